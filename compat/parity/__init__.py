"""Facts of ours against the same facts in the jars of Apache Kafka: message schemas and the error table."""
