"""A node's configs: read from a file in the format of Kafka's ``server.properties``, checked with Kafka's rules.

- `properties`: reads the file; every value knows where it was written, so that an error can name the place.
- `listeners`: addresses and security protocols.
- `rules`: conditions between keys.
- `node_config`: the result, `Config`, and what this server does not support yet.
- `log_levels`: the levels of the loggers of this process.
"""

from kafkaproto_server.config.node_config import Config, check_supported, default_config
from kafkaproto_server.config.properties import ConfigError

__all__ = ["Config", "ConfigError", "check_supported", "default_config"]
