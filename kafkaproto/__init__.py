"""The Kafka protocol as a library: every message at every version, record batches, framing, error codes.

The library works without the server in this repository. Import messages from `kafkaproto.messages`.
"""
