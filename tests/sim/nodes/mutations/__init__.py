"""Broken rules of whole nodes: of storage, drivers, network and broker life."""
