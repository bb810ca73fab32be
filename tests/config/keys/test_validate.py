"""What topics take when they are created, and brokers at run time."""

from __future__ import annotations

import pytest

from kafkaproto_server.config.keys.validate import validate_broker_config, validate_topic_config
from kafkaproto_server.config.layers import NodeConfigs

NODE = NodeConfigs(static={})


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("retention.ms", "-1", None),
        ("internal.segment.bytes", "100", None),
        ("retention.ms", "-2", "retention.ms='-2' must be -1 or more"),
        ("made.up", "1", "Unknown topic config name: 'made.up'"),
        ("log.retention.ms", "1", "Unknown topic config name: 'log.retention.ms'"),
        ("", "", "Unknown topic config name: ''"),
    ],
)
def test_a_topics_value_is_checked_by_its_key(name: str, value: str, problem: str | None) -> None:
    assert validate_topic_config(name, value) == problem
    assert NODE.validate_topic({name: value}) == problem


def test_a_topic_must_not_compact_later_than_it_allows() -> None:
    assert NODE.validate_topic({"min.compaction.lag.ms": "5", "max.compaction.lag.ms": "5"}) is None
    assert NODE.validate_topic({"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "5"}) == (
        "min.compaction.lag.ms=10 must not be more than max.compaction.lag.ms=5"
    )
    inherited = NodeConfigs(static={"log.cleaner.max.compaction.lag.ms": "7"})
    assert inherited.validate_topic({"min.compaction.lag.ms": "8"}) is not None


def test_a_topic_can_be_tiered_only_on_brokers_with_tiered_storage() -> None:
    assert "remote.log.storage.system.enable" in (
        NODE.validate_topic({"remote.storage.enable": "true"}) or ""
    )
    assert NODE.validate_topic({"remote.storage.enable": "false"}) is None
    tiered = NodeConfigs(static={"remote.log.storage.system.enable": "true"})
    assert tiered.validate_topic({"remote.storage.enable": "true"}) is None


@pytest.mark.parametrize(
    ("name", "value", "one", "all_"),
    [
        ("log.cleaner.threads", "2", True, True),
        ("log.cleaner.threads", "x", False, False),
        ("log.cleaner.threads", "0", False, False),
        ("log.roll.ms", "-5", False, False),
        ("num.partitions", "3", False, False),
        ("http.listener", "h:1", False, False),
        ("unclean.leader.election.interval.ms", "5", False, False),
        ("ssl.keystore.location", "/x", False, False),
        ("listeners", "PLAINTEXT://:1", True, False),
        ("listener.name.plaintext.max.connections", "3", True, True),
        ("listener.name.plaintext.max.connections", "0", False, False),
        ("max.connections", "0", False, False),
        ("max.connections", "1", True, True),
        ("max.connection.creation.rate", "0", False, False),
        ("listener.name.plaintext.max.connections", "-3", False, False),
        ("listener.name.plaintext.ssl.keystore.location", "/x", True, False),
        ("follower.replication.throttled.rate", "-1", False, False),
        ("follower.replication.throttled.rate", "1000", True, True),
        ("made.up", "1", True, True),
    ],
)
def test_brokers_take_values_at_run_time_at_the_level_of_the_key(
    name: str, value: str, one: bool, all_: bool
) -> None:
    assert (validate_broker_config(name, value, cluster_default=False) is None) is one
    assert (validate_broker_config(name, value, cluster_default=True) is None) is all_


def test_a_refusal_says_why() -> None:
    assert validate_broker_config("log.cleaner.threads", "x", cluster_default=True) == (
        "log.cleaner.threads='x' must be a whole number from -2147483648 to 2147483647"
    )
    assert "read only" in (validate_broker_config("node.id", "1", cluster_default=False) or "")
    assert "for one broker" in (validate_broker_config("listeners", "x", cluster_default=True) or "")
