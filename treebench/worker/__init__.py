"""The measured process."""
