"""Kafka's configuration keys as data, and what a node, a topic or a group has in effect; pure.

- `model`: what a key is, reading and checking one value.
- `definitions`: the keys of Kafka 4.3.1, from JSON, and our own.
- `validate`: what may be set on a topic or, at run time, on brokers.
- `group_values`: what may be set on a group, within the limits of the brokers.
- `node_configs`: the layers of a node's configuration, and the entries that clients are shown of it.

Knows nothing of files of properties, of images or of messages.
"""
