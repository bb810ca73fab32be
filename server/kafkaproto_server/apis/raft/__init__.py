"""Requests of the metadata quorum: those between its replicas, and those of administrators about its voters."""
