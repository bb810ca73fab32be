"""The same administrators' requests to a controller of Apache Kafka and to one of ours; they must agree."""
