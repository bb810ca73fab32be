"""A node's settings: read from a file in the format of Kafka's ``server.properties``, checked with Kafka's rules.

- `properties`: reads the file; every value knows where it was written, so that an error can name the place.
- `listeners`: addresses and security protocols.
- `rules`: conditions between keys.
- `settings`: the result, `Config`, and what this server does not support yet.
- `log_levels`: the levels of the loggers of this process.
"""

from kafkaproto_server.config.properties import ConfigError
from kafkaproto_server.config.settings import Config, check_supported, default_config

__all__ = ["Config", "ConfigError", "check_supported", "default_config"]
