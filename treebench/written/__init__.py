"""What people write by hand, configs and cards: read safely, its mistakes found and placed."""
