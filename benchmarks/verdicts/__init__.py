"""How often nights raise a false alarm, and how soon they find a true one, on made series."""
