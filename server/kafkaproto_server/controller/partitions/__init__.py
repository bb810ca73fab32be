"""Where partitions lie, who leads them, who is in sync."""
