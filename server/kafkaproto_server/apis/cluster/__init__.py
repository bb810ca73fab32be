"""What clients ask about the cluster as a whole, and its features."""
