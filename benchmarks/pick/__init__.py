"""Whether `treebench pick` picks well: against a full grid, Optuna's constraints, and FLAML."""
