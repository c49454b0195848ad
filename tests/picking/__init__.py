"""Tests of picking, on a world without processes."""
