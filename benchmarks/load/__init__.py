"""What it takes to bring made Parquet into memory, against the usual ways."""
