"""Coordinators on this broker: they live in the partitions of internal topics that it leads."""
