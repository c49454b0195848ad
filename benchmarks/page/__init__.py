"""How long the report's page takes to make, and how large it is."""
