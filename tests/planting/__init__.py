"""Faults planted in the product by rewriting syntax trees, and who notices them."""
