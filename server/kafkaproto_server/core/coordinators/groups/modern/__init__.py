"""What consumer, share and streams groups have in common: the coordinator assigns, and members follow by heartbeats."""
