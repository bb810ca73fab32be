"""Questions that an image answers.

Tests: `metadata.image.entries`, `shell.process.image_building`.
"""

from __future__ import annotations

import pytest
from immutables import Map

from kafkaproto_server.metadata.image.entries import (
    LOST_DIRECTORY,
    MIGRATING_DIRECTORY,
    UNASSIGNED_DIRECTORY,
    BrokerRegistration,
    ControllerRegistration,
    FeatureRange,
    PartitionImage,
    TopicImage,
)
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage


def _broker(broker_id: int = 1, **fields: object) -> BrokerRegistration:
    given = {
        "broker_id": broker_id,
        "incarnation_id": b"i" * 16,
        "epoch": 1,
        "endpoints": (),
        "features": (FeatureRange(name="f", min_level=1, max_level=2),),
        "rack": None,
        "fenced": False,
        "in_controlled_shutdown": False,
        "directories": (b"d" * 16,),
        "cordoned_directories": None,
        **fields,
    }
    return BrokerRegistration(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fenced", "shutting_down", "active"),
    [(False, False, True), (True, False, False), (False, True, False), (True, True, False)],
)
def test_a_broker_is_active_unless_fenced_or_shutting_down(
    fenced: bool, shutting_down: bool, active: bool
) -> None:
    assert _broker(fenced=fenced, in_controlled_shutdown=shutting_down).is_active() is active


def test_a_replica_is_usable_in_a_known_directory_or_where_none_is_known_yet() -> None:
    broker = _broker()
    assert broker.has_online_directory(b"d" * 16)
    assert not broker.has_online_directory(b"e" * 16)
    assert broker.has_online_directory(MIGRATING_DIRECTORY)
    assert broker.has_online_directory(UNASSIGNED_DIRECTORY)
    assert not broker.has_online_directory(LOST_DIRECTORY)
    without = _broker(directories=())
    assert without.has_online_directory(b"e" * 16)
    assert not without.has_online_directory(LOST_DIRECTORY)


def test_where_a_registration_lies_is_no_part_of_what_it_is() -> None:
    assert _broker(registration_offset=1) == _broker(registration_offset=2)


def test_the_directory_of_a_replica_is_found_by_broker() -> None:
    partition = PartitionImage(replicas=(4, 2), directories=(b"d" * 16, b"e" * 16), isr=())
    assert partition.directory_of(2) == b"e" * 16
    with pytest.raises(ValueError):
        partition.directory_of(3)


def test_an_empty_image_has_no_level_and_no_content() -> None:
    assert EMPTY_IMAGE.metadata_version == 0
    assert not EMPTY_IMAGE.elr_enabled
    assert EMPTY_IMAGE.topic_by_name("t") is None
    assert EMPTY_IMAGE.partition(b"t" * 16, 0) is None
    assert EMPTY_IMAGE.config(2, "t") == Map()


def test_topics_brokers_and_controllers_come_in_order() -> None:
    partitions = {
        number: PartitionImage(replicas=(), directories=(), isr=()) for number in (40, 3, 1000, 2, 999_999)
    }
    topics = {
        name: TopicImage(name=name, topic_id=name.encode() * 8, partitions=Map(partitions))
        for name in ("tz", "ta", "tm")
    }
    ids = (1000, 64, 7, 32)
    image = ClusterImage(
        features=Map({"eligible.leader.replicas.version": 1}),
        topics=Map({topic.topic_id: topic for topic in topics.values()}),
        topic_ids=Map({name: topic.topic_id for name, topic in topics.items()}),
        brokers=Map({number: _broker(number) for number in ids}),
        controllers=Map(
            {
                number: ControllerRegistration(
                    controller_id=number, incarnation_id=b"", endpoints=(), features=()
                )
                for number in ids
            }
        ),
    )
    assert [topic.name for topic in image.topics_in_order()] == ["ta", "tm", "tz"]
    assert [index for index, _ in topics["ta"].partitions_in_order()] == [2, 3, 40, 1000, 999_999]
    assert [broker.broker_id for broker in image.brokers_in_order()] == sorted(ids)
    assert [controller.controller_id for controller in image.controllers_in_order()] == sorted(ids)
    assert image.elr_enabled
    assert image.partition(b"ta" * 8, 7) is None
