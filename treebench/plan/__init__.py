"""What a sweep will do: its cells, their ids and their order."""
