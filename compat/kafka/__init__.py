"""Apache Kafka itself: its jars, its tools, its nodes."""
