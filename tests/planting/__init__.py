"""Faults planted in the product by rewriting syntax trees, and probes that count how often a rule decides."""
