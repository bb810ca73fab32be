"""The coordinators of groups and transactions: what they decide, without I/O, clock or randomness of their own.

A coordinator lives in one partition of an internal topic, on the broker that leads it. It keeps its state in memory and
as records in that partition, from which another broker rebuilds it.
"""
