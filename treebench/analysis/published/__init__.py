"""A published comparison against what was measured here: figures of columns, and verdicts."""
