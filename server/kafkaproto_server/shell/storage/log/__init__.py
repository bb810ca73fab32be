"""The log engine: segments, indexes, leader epochs, recovery."""
