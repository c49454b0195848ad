"""What is kept of a run: its facts and its samples."""
