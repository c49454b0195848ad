"""How a figure grows along an axis: curves fitted to samples, and what they can and cannot say."""
