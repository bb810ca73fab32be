"""The configs of a node: read from a file in the format of Kafka's ``server.properties``, checked with Kafka's rules.

- `properties`: reads the file; every value knows where it was written, so that an error can name the place.
- `listeners`: addresses and security protocols.
- `rules`: conditions between keys.
- `node_config`: the result, `Config`, and what this server does not support yet.
- `layers`: the values in effect, of the node, of topics and of groups, and where each comes from.
- `dynamic`: which changes at run time are allowed.
- `log_levels`: the levels of the loggers of this process.
- `keys`: Kafka's keys as data. It is pure, and the cores use it.
"""
