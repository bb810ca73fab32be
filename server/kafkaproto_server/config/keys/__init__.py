"""Kafka's configuration keys as data, and the values that a node, a topic or a group has in effect; pure.

- `model`: the definition of a key; reading and checking one value.
- `definitions`: the keys of Kafka 4.4.0, from JSON, and our own.
- `validate`: the values that may be set on a topic or, at run time, on brokers.
- `group_values`: the values that may be set on a group, within the limits of the brokers.
- `node_configs`: the layers of a node's configuration, and its entries as clients see them.

This package knows nothing of properties files, images or messages.
"""
