"""The network room: listeners, connections in and out, limits. Makes no Kafka decision."""
