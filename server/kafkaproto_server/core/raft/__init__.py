"""The KRaft metadata quorum as a pure core: events in, effects out, no clock, no disk, no network.

``node.RaftNode`` is the entry point.
"""
