"""kafka-metadata-shell."""
