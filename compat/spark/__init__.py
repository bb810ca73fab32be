"""Apache Spark as a partner: its connector for Kafka, and a cluster of its own processes."""
