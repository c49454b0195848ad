"""The fault benchmark's own eyes: what it is there to find, it must see."""
