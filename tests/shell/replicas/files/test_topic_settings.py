"""The settings of topics: what follows from their configs, and how often the configs are asked."""

from __future__ import annotations

import pytest

from kafkaproto.messages import ConfigRecord
from kafkaproto_server.config.layers import ConfigEntry, NodeConfigs
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.replay import replay
from kafkaproto_server.shell.replicas.files.topic_settings import KnownSettings


def with_config(topic: str, key: str, value: str) -> ClusterImage:
    record = ConfigRecord(resource_type=TOPIC_RESOURCE, resource_name=topic, name=key, value=value)
    return replay(EMPTY_IMAGE, record, 0)


def test_what_topics_inherit_is_looked_up_once_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    original = NodeConfigs.effective_topic_config

    def counted(self: NodeConfigs, name: str, own: dict[str, str]) -> ConfigEntry:
        asked.append(name)
        return original(self, name, own)

    monkeypatch.setattr(NodeConfigs, "effective_topic_config", counted)
    known, configs = KnownSettings(), NodeConfigs(static={})
    known.of("a", EMPTY_IMAGE, configs)
    first = len(asked)
    assert first
    known.of("b", EMPTY_IMAGE, configs)
    known.of("c", with_config("c", "flush.ms", "7"), configs)
    assert len(asked) == first
    known.of("a", EMPTY_IMAGE, NodeConfigs(static={"log.flush.interval.ms": "9"}))
    assert len(asked) == 2 * first


def test_a_topics_own_value_counts_before_that_of_the_broker() -> None:
    known = KnownSettings()
    image = with_config("own", "cleanup.policy", "compact")
    configs = NodeConfigs(static={"log.cleanup.policy": "delete", "log.flush.interval.ms": "9"})
    own, other = (known.of(topic, image, configs) for topic in ("own", "other"))
    assert (own.deletes, own.compaction is None, own.log.cuts_at_gaps) == (False, False, False)
    assert (other.deletes, other.compaction is None, other.log.cuts_at_gaps) == (True, True, True)
    assert own.flush_ms == other.flush_ms == 9


def test_settings_are_the_same_object_until_something_has_changed() -> None:
    known, configs = KnownSettings(), NodeConfigs(static={})
    settings = known.of("a", EMPTY_IMAGE, configs)
    assert known.of("a", EMPTY_IMAGE, configs) is settings
    assert known.of("a", EMPTY_IMAGE, NodeConfigs(static={})) is not settings
