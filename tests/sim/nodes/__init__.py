"""Whole nodes in one thread: real drivers, storage and bytes, on a clock, a network and disks that a seed decides."""
