"""Probes and the facts of the machine; nothing here knows of trees."""
