"""Requests of the metadata quorum: what its replicas ask each other, and what administrators ask about its voters."""
