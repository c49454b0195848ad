"""A run's samples as series along an axis, the curves through them, and what theory says."""
