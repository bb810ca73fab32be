"""A Kafka-compatible server: KRaft controllers and brokers over the real binary protocol.

The rooms and what each may import are laid out in ARCHITECTURE.md; the directions are checked.
"""
