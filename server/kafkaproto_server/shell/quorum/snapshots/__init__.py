"""What log and snapshots of the metadata contain, and how a new snapshot is written."""
