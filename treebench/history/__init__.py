"""Nights of one machine: kept as Parquet, judged against one another, and what came of it."""
