"""From a made Parquet file to the matrix a trainer is given. Runs in the measured process."""
