"""The log engine: segments, indexes, epochs, recovery."""
