"""Consumer groups of the protocol of KIP-848: the coordinator assigns partitions, and members only send heartbeats."""
