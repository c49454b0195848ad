"""Benchmarks of treebench itself: each prints a ratio measured in one interleaved run."""
