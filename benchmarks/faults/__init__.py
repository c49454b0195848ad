"""What a sweep loses, counts twice or leaves behind while its processes are killed at random."""
