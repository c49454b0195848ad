"""Two sets of samples against each other: what got worse, and how sure that is."""
