"""What one replica holds: its index of the log, its state towards the quorum, requests under way, unsynced effects."""
