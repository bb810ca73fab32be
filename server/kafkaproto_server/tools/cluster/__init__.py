"""kafka-local-cluster."""
