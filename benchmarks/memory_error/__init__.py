"""How far the memory model is off on cells that it was not fitted on."""
