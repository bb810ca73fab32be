"""Requests of clients about the cluster as a whole and its features."""
