"""kafka-dump-log."""
