"""Picking a configuration under a memory budget: space, pilots, search, proof, outcome."""
