"""The YAML people write: reading, checking and multiplying it out."""
