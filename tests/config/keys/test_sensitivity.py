"""Which configs are secrets: passwords, and what nobody knows."""

from __future__ import annotations

import pytest

from kafkaproto_server.config.keys.sensitivity import is_sensitive, plain_keys

TOPIC, BROKER, LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32


@pytest.mark.parametrize(
    ("resource_type", "name", "sensitive"),
    [
        (TOPIC, "retention.ms", False),
        (TOPIC, "retention.mss", True),
        (TOPIC, "log.retention.ms", True),
        (BROKER, "log.retention.ms", False),
        (BROKER, "ssl.keystore.key", True),
        (BROKER, "ssl.keystore.password", True),
        (BROKER, "sasl.jaas.config", True),
        (BROKER, "password.encoder.secret", True),
        (BROKER, "listener.name.external.ssl.keystore.password", True),
        (BROKER, "listener.name.external.ssl.keystore.type", False),
        (BROKER, "listener.name.external.plain.sasl.jaas.config", True),
        (BROKER, "listener.name.external.no.such.key", True),
        (CLIENT_METRICS, "interval.ms", False),
        (GROUP, "consumer.session.timeout.ms", False),
        (LOGGER, "kafka.server", True),
        (77, "retention.ms", True),
    ],
)
def test_a_value_is_secret_unless_its_key_is_known_and_no_password(
    resource_type: int, name: str, sensitive: bool
) -> None:
    assert is_sensitive(resource_type, name) is sensitive
    if resource_type in (TOPIC, BROKER, CLIENT_METRICS, GROUP) and not name.startswith("listener.name."):
        assert (name in plain_keys(resource_type)) is not sensitive
