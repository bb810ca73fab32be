"""What belongs to the process and not to Kafka: its threads, its memory, its log, the pauses of the collector."""
