"""One file per library: what it supports, and how it constructs, fits and predicts."""
