"""The Kafka protocol as a library: every message at every version, record batches, framing, error codes.

Useful without the server in this repository; `kafkaproto.messages` is the door to the messages.
"""
