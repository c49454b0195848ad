"""How long a long history takes to judge."""
