"""Getting the files of public data sets: over the network, or from a person who has them."""
