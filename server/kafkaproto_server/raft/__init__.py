"""The metadata quorum's consensus as a pure core: events in, effects out, no clock, no disk, no network.

``node.RaftNode`` is the door. Only a quorum whose sole voter is this node elects a leader here so far.
"""
