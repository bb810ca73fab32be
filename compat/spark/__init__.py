"""Apache Spark as a partner: its connector for Kafka."""
