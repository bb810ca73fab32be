"""Share partitions at the leader of the partition (KIP-932): which records are in flight, and the sessions of members.

This is a room of its own beside `replica`: a replica has one log, and any number of share groups read it, each with
its own state. It is pure: it does no I/O and knows no clock, and what has to be persisted is returned to the caller.
"""
