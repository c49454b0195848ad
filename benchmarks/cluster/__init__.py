"""What a Dask scheduler carries for a sweep: bytes and messages per sample, and its CPU time."""
