"""What treebench adds to a fit: a bare script against a sample of the same fit."""
