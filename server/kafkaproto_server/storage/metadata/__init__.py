"""Files of the metadata log's own: snapshots, quorum-state, bootstrap records, and how they fit together at a start."""
