"""Configs of the metadata log that this release does not allow: each is logged once, and ends nobody."""

from __future__ import annotations

import logging
from unittest.mock import Mock

import pytest

from kafkaproto.messages import ConfigRecord
from kafkaproto_server.config.keys.definitions import GROUP_KEYS, TOPIC_KEYS
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.usable_configs import UsableConfigs
from kafkaproto_server.core.coordinators.groups.consumer.settings import (
    ConsumerGroupConfig,
    consumer_settings_of,
)
from kafkaproto_server.core.coordinators.groups.share.settings import (
    ShareGroupConfig,
    share_group_settings_of,
)
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsConfig, streams_settings_of
from kafkaproto_server.core.share_partitions.settings import SharePartitionConfig, share_settings_of
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE, TOPIC_RESOURCE
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.metadata.image.replay import replay
from kafkaproto_server.shell.broker.metadata_applier import MetadataApplier
from kafkaproto_server.shell.coordinators.groups.settings import current_group_configs
from kafkaproto_server.shell.replicas.files.topic_settings import KnownSettings
from tests.config.keys.test_usable import ODD

NODE = NodeConfigs(static={})


def with_config(image: ClusterImage, offset: int, key: str, value: str | None) -> ClusterImage:
    record = ConfigRecord(resource_type=TOPIC_RESOURCE, resource_name="t", name=key, value=value)
    return replay(image, record, offset)


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:20])
def test_no_value_of_any_key_ends_a_broker(value: str) -> None:
    topics, groups = KnownSettings(), UsableConfigs(GROUP_KEYS, "group")
    for offset, key in enumerate((*TOPIC_KEYS, "message.format.version")):
        settings = topics.of("t", with_config(EMPTY_IMAGE, offset, key, value), NODE)
        assert settings.min_insync_replicas >= 1
        assert settings.log.segment_bytes >= 1 << 20
    for key in (*GROUP_KEYS, "consumer.made.up"):
        own = groups.of("g", {key: value})
        consumer_settings_of(ConsumerGroupConfig(), own)
        share_group_settings_of(ShareGroupConfig(), own)
        streams_settings_of(StreamsConfig(), own)
        share_settings_of(SharePartitionConfig(), own, has_dead_letters=True)


def test_what_cannot_be_used_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kafkaproto.server.configs")
    topics = KnownSettings()
    image = with_config(EMPTY_IMAGE, 0, "segment.bytes", "14000")
    for node in (NODE, NODE, NodeConfigs(static={"log.retention.ms": "5"})):
        assert topics.of("t", image, node).log.segment_bytes == 1_048_576
    # A later change of another key does not repeat it.
    image = with_config(image, 1, "retention.ms", "x")
    assert topics.of("t", image, NODE).log.segment_bytes == 1_048_576
    image = with_config(image, 2, "segment.bytes", None)
    assert topics.of("t", image, NODE).log.segment_bytes == 1 << 30
    first, second = caplog.messages
    assert first == "topic 't': segment.bytes='14000' must be 1048576 or more; 1048576 is used"
    assert second.startswith("topic 't': retention.ms='x' must be a whole number")
    assert second.endswith("; it is not used")


def test_a_broker_logs_once_which_of_its_configs_it_cannot_use(caplog: pytest.LogCaptureFixture) -> None:
    applier = MetadataApplier(
        broker_id=1,
        static_config={},
        directories=Mock(cordon=lambda paths: (False, []), all=()),
        replicas=Mock(look=lambda: False),
    )
    image = EMPTY_IMAGE
    sets = (("", "log.segment.bytes", "14000"), ("1", "log.retention.ms", "x"), ("1", "retention.bytes", "1"))
    for offset, (name, key, value) in enumerate((*sets, ("1", "num.io.threads", "3"))):
        record = ConfigRecord(resource_type=BROKER_RESOURCE, resource_name=name, name=key, value=value)
        image = replay(image, record, offset)
        applier.apply(image, has_caught_up=True)
    first, second = caplog.messages
    assert first.endswith("log.segment.bytes='14000' must be 1048576 or more; 1048576 is used")
    assert "log.retention.ms='x' must be a whole number" in second


def test_blanks_in_a_list_of_protocols_do_not_matter() -> None:
    static = {"group.coordinator.rebalance.protocols": "classic , consumer, streams"}
    groups = current_group_configs(lambda: NodeConfigs(static=static))
    assert groups.consumer().is_served
    assert groups.streams().is_served
