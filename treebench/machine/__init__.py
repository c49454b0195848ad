"""What this process may use of the machine: cores and memory. Any room may ask."""
