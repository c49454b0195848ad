"""From samples to what is known: statistics, summaries, labels and axes. Never measures."""
