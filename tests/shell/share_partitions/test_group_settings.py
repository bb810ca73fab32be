"""The settings of share groups follow the configs of the broker and of the group, and are made once for each state."""

from __future__ import annotations

import msgspec
import pytest
from immutables import Map

from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.metadata.features import SHARE_VERSION
from kafkaproto_server.metadata.image.entries import GROUP_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.share_partitions import group_settings
from kafkaproto_server.shell.share_partitions.group_settings import DEAD_LETTERS_SINCE, CurrentShareSettings

TOPIC_KEY = "errors.deadletterqueue.topic.name"


class Broker:
    def __init__(self) -> None:
        self.configs = NodeConfigs(static={"group.share.delivery.count.limit": "4"})
        self.image = ClusterImage()
        self.settings = CurrentShareSettings(lambda: self.image, lambda: self.configs)

    def configure(self, group_id: str, key: str, value: str) -> None:
        configs = self.image.configs.set((GROUP_RESOURCE, group_id), Map({key: value}))
        self.image = msgspec.structs.replace(self.image, configs=configs)


def test_settings_are_made_once() -> None:
    broker = Broker()
    first = broker.settings.of("g")
    assert first.delivery_count_limit == 4
    broker.image = broker.image.at(7, 1, 0)
    assert broker.settings.of("g") is first


def test_settings_follow_the_broker() -> None:
    broker = Broker()
    broker.settings.of("g")
    broker.configs = NodeConfigs(static={"group.share.delivery.count.limit": "6"})
    assert broker.settings.of("g").delivery_count_limit == 6


def test_settings_follow_the_group_and_no_other_one() -> None:
    broker = Broker()
    other = broker.settings.of("other")
    broker.settings.of("g")
    broker.configure("g", "share.delivery.count.limit", "3")
    assert broker.settings.of("g").delivery_count_limit == 3
    assert broker.settings.of("other") is other


def test_settings_follow_the_feature_level() -> None:
    broker = Broker()
    broker.configure("g", TOPIC_KEY, "dlq.t")
    assert broker.settings.of("g").dead_letter_topic == ""
    features = broker.image.features.set(SHARE_VERSION, DEAD_LETTERS_SINCE)
    broker.image = msgspec.structs.replace(broker.image, features=features)
    assert broker.settings.of("g").dead_letter_topic == "dlq.t"


def test_the_groups_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_settings, "MAX_KNOWN", 2)
    broker = Broker()
    for number in range(5):
        broker.settings.of(f"g{number}")
        assert len(broker.settings._known) <= 2
