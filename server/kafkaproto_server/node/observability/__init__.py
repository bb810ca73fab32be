"""What a node counts of itself, as Prometheus shows it."""
