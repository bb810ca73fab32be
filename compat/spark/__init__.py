"""Apache Spark as a partner: its Kafka connector, and a standalone cluster of it on this machine."""
