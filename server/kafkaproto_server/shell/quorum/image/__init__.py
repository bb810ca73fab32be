"""The image of the committed metadata: built from what the log and snapshots contain, published to the node."""
