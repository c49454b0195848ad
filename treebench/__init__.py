"""treebench measures the training of tabular tree models."""

__version__ = "0.1.0"
