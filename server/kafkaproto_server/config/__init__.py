"""A node's settings: from a file in the format of Kafka's ``server.properties``, checked with Kafka's rules.

- `properties`: reading the file; every value knows where it was written, so that an error can say it.
- `listeners`: addresses and security protocols.
- `rules`: what must hold between keys.
- `settings`: the result, `Config`, and what this server cannot do yet.
- `log_levels`: the levels of the loggers of this process.
"""

from kafkaproto_server.config.properties import ConfigError
from kafkaproto_server.config.settings import Config, check_supported, default_config

__all__ = ["Config", "ConfigError", "check_supported", "default_config"]
