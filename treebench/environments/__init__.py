"""Python environments that workers run in: found, or built and kept."""
