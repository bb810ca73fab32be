"""The network layer: listeners, connections in and out, limits. It makes no decision about Kafka's protocol."""
