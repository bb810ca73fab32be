"""kafka-storage."""
