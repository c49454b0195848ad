"""The coefficients that the memory model ships with, measured and fitted."""
