"""Data sets: cards, making them as Parquet, and reading them as matrices."""
