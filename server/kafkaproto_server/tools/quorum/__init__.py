"""kafka-metadata-quorum."""
