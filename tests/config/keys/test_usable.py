"""What is used of configs in the metadata that this release does not allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.config.keys.definitions import (
    BROKER_KEYS,
    CLIENT_METRICS_KEYS,
    GROUP_KEYS,
    TOPIC_KEYS,
    Definitions,
)
from kafkaproto_server.config.keys.usable import usable, usable_by_brokers
from kafkaproto_server.config.layers import NodeConfigs

ODD = (
    *("", " ", "x", ",", "-1", "-5", "0", "1", "14000", "99999999999", "-99999999999", "9" * 30, "9" * 5_000),
    *(
        "NaN",
        "Infinity",
        "1e400",
        "0.5",
        "-0.5",
        "7.5",
        "true",
        "yes",
        "compact,zzz",
        "compact,compact",
        "a,,b",
    ),
    *("0:1,x", "*,0:1", "by_duration:x", "__x", "client_id=(", "\u00a0", "none"),
)


@pytest.mark.parametrize(
    ("definitions", "key", "value", "used"),
    [
        (TOPIC_KEYS, "segment.bytes", "14000", "1048576"),
        (TOPIC_KEYS, "segment.bytes", "99999999999", "2147483647"),
        (TOPIC_KEYS, "segment.bytes", "9" * 5_000, None),
        (TOPIC_KEYS, "segment.bytes", "x", None),
        (TOPIC_KEYS, "segment.bytes", " 2000000 ", "2000000"),
        (TOPIC_KEYS, "retention.ms", "-5", "-1"),
        (TOPIC_KEYS, "compression.gzip.level", "0", "1"),
        (TOPIC_KEYS, "min.cleanable.dirty.ratio", "7", "1.0"),
        (TOPIC_KEYS, "min.cleanable.dirty.ratio", "-.5", "0.0"),
        (TOPIC_KEYS, "min.cleanable.dirty.ratio", "NaN", None),
        (TOPIC_KEYS, "cleanup.policy", "compact, zzz,compact", "compact"),
        (TOPIC_KEYS, "cleanup.policy", "zzz", None),
        (TOPIC_KEYS, "cleanup.policy", "compact,compact", "compact"),
        (TOPIC_KEYS, "preallocate", "maybe", None),
        (TOPIC_KEYS, "preallocate", "TRUE", "true"),
        (TOPIC_KEYS, "leader.replication.throttled.replicas", "0:1,x", "0:1"),
        (TOPIC_KEYS, "message.format.version", "2.8", None),
        (GROUP_KEYS, "share.delivery.count.limit", "0", "2"),
        (GROUP_KEYS, "streams.rack.aware.assignment.tags", "a,b,a", "a,b"),
        (CLIENT_METRICS_KEYS, "interval.ms", "1", "100"),
    ],
)
def test_the_nearest_allowed_value_is_used(
    definitions: Definitions, key: str, value: str, used: str | None
) -> None:
    found, unusable = usable(definitions, {key: value})
    assert found.get(key) == used
    is_fine = key in definitions and definitions[key].problem_with(value) is None
    assert [each.name for each in unusable] == ([] if is_fine else [key])


@given(
    text=st.one_of(st.sampled_from(ODD), st.text(max_size=8), st.integers().map(str), st.floats().map(str))
)
def test_whatever_is_set_only_allowed_values_are_used(text: str) -> None:
    for definitions in (TOPIC_KEYS, GROUP_KEYS, CLIENT_METRICS_KEYS):
        found, unusable = usable(definitions, dict.fromkeys([*definitions, "made.up"], text))
        assert all(definitions[key].problem_with(value) is None for key, value in found.items())
        told = {each.name for each in unusable}
        assert "made.up" in told
        assert all(each.describe() for each in unusable)
        # Nothing is replaced, or lost, without a word.
        assert {key for key, value in found.items() if value != definitions[key].canonical(text)} <= told
        assert set(definitions) - found.keys() <= told
    for of_all in (True, False):
        found, unusable = usable_by_brokers(dict.fromkeys(BROKER_KEYS, text), cluster_default=of_all)
        assert set(BROKER_KEYS) - found.keys() <= {each.name for each in unusable}
        assert all(BROKER_KEYS[key].problem_with(value) is None for key, value in found.items())


def test_a_broker_uses_the_nearest_value_too_and_no_key_of_the_wrong_layer() -> None:
    node = NodeConfigs(
        static={"min.insync.replicas": "2"},
        dynamic_default={"log.segment.bytes": "14000", "min.insync.replicas": "x", "cordoned.log.dirs": "/d"},
        dynamic_broker={"num.io.threads": "0", "broker.id": "7"},
    )
    assert node.value_of("log.segment.bytes") == "1048576"
    assert node.value_of("min.insync.replicas") == "2"
    assert node.value_of("num.io.threads") == "1"
    assert not node.is_set("cordoned.log.dirs")
    told = {each.name: each.used for each in node.unusable}
    assert told == {
        "broker.id": None,
        "cordoned.log.dirs": None,
        "log.segment.bytes": "1048576",
        "min.insync.replicas": None,
        "num.io.threads": "1",
    }


def test_a_secret_is_not_told() -> None:
    secret = "listener.name.x.ssl.key.password"
    (told,) = usable_by_brokers({secret: "hush"}, cluster_default=True)[1]
    assert told.name == secret
    assert "hush" not in told.describe()


def test_a_topics_value_in_use_is_an_allowed_one() -> None:
    node = NodeConfigs(static={"min.insync.replicas": "2"})
    assert node.topic_value("min.insync.replicas", {"min.insync.replicas": "0"}) == "1"
    assert node.topic_value("min.insync.replicas", {"min.insync.replicas": "x"}) == "2"
    # What was set is shown as it is.
    assert node.effective_topic_config("min.insync.replicas", {"min.insync.replicas": "0"}).value == "0"
