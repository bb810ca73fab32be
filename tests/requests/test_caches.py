"""What is kept of responses holds as long as what it was made of, and no longer; and responses are put together of
it.

Tests: `requests.encoding`.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kafkaproto.messages import DescribeConfigsResponse, MetadataRequest, MetadataResponse
from kafkaproto_server.apis.cluster.metadata import handle_metadata
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests import caches
from kafkaproto_server.requests.caches import EncodedTopics, KeptTopic, ResponseCaches
from kafkaproto_server.requests.encoding import element_codec, inner_codec
from tests.apis.support.services import context, decoded_response, driven, golden, services, with_changes

IMAGE = golden().image
TOPICS = MetadataRequest(topics=None)


def asked(image: ClusterImage, known: Any, version: int = 12) -> tuple[MetadataResponse, int]:
    """The response for all topics, and how many steps it took."""
    steps = handle_metadata(TOPICS, context(TOPICS, version), with_changes(known, image=lambda: image))
    number = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return decoded_response(end.value, TOPICS, version), number
        number += 1


def test_what_was_encoded_once_is_told_again() -> None:
    known = services(IMAGE)
    first, steps = asked(IMAGE, known)
    again, fewer = asked(IMAGE, known)
    assert again == first
    assert fewer < steps


@pytest.mark.parametrize("version", range(14))
def test_every_version_is_what_it_is_without_anything_kept(version: int) -> None:
    known = services(IMAGE)
    asked(IMAGE, known, 12)
    assert asked(IMAGE, known, version)[0] == asked(IMAGE, services(IMAGE), version)[0]


def test_a_topic_that_changed_is_told_anew() -> None:
    known = services(IMAGE)
    asked(IMAGE, known)
    topic = next(iter(IMAGE.topics.values()))
    partition = msgspec.structs.replace(topic.partitions[0], leader_epoch=4711)
    changed = msgspec.structs.replace(topic, partitions=topic.partitions.set(0, partition))
    image = msgspec.structs.replace(IMAGE, topics=IMAGE.topics.set(topic.topic_id, changed))
    told = next(each for each in asked(image, known)[0].topics if each.topic_id == topic.topic_id)
    assert told.partitions[0].leader_epoch == 4711
    assert asked(IMAGE, known)[0] == asked(IMAGE, services(IMAGE))[0]


def test_a_broker_that_changed_changes_what_is_told_of_topics() -> None:
    known = services(IMAGE)
    asked(IMAGE, known)
    brokers = IMAGE.brokers
    for broker_id, broker in IMAGE.brokers.items():
        brokers = brokers.set(broker_id, msgspec.structs.replace(broker, fenced=True))
    fenced = msgspec.structs.replace(IMAGE, brokers=brokers)
    leaders = {part.leader_id for topic in asked(fenced, known)[0].topics for part in topic.partitions}
    assert leaders == {-1}
    assert asked(IMAGE, known)[0] == asked(IMAGE, services(IMAGE))[0]


def test_listeners_do_not_share_what_they_tell() -> None:
    known = services(IMAGE)
    asked(IMAGE, known)
    elsewhere = context(TOPICS, 12, kind=ListenerKind.BROKER, listener_name="NOWHERE")
    response = decoded_response(driven(handle_metadata(TOPICS, elsewhere, known)), TOPICS, 12)
    assert {part.leader_id for topic in response.topics for part in topic.partitions} == {-1}


def test_a_request_that_works_by_a_former_image_keeps_nothing_for_the_next() -> None:
    known = ResponseCaches()
    former = known.topics_for("view", IMAGE)
    image = msgspec.structs.replace(IMAGE, brokers=IMAGE.brokers.delete(next(iter(IMAGE.brokers))))
    newer = known.topics_for("view", image)
    topic = next(iter(IMAGE.topics.values()))
    former.keep(KeptTopic(topic=topic, data=b"former", healthy=1, errors={}))
    assert newer.get(topic) is None


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "MAX_TOPIC_BYTES", 3_000)
    known = ResponseCaches()
    topic = next(iter(IMAGE.topics.values()))
    views = [known.topics_for(number, IMAGE) for number in range(caches.MAX_TOPIC_VIEWS)]
    for view in views:
        view.keep(KeptTopic(topic=topic, data=b"x" * 400, healthy=1, errors={}))
    assert views[0].size == 400 + caches.ENTRY_OVERHEAD_BYTES
    # The view that was asked for first is forgotten, and that is enough.
    assert known.has_room()
    assert known.topics_for(0, IMAGE) is not views[0]
    assert known.topics_for(1, IMAGE) is views[1]
    lonely = ResponseCaches()
    view = lonely.topics_for("view", IMAGE)
    view.keep(KeptTopic(topic=topic, data=b"x" * 3_001, healthy=1, errors={}))
    assert not lonely.has_room()


def test_a_topic_that_is_kept_twice_counts_once() -> None:
    view = EncodedTopics(None)
    topic = next(iter(IMAGE.topics.values()))
    for size in (10, 20):
        view.keep(KeptTopic(topic=topic, data=b"x" * size, healthy=1, errors={}))
    assert view.size == 20 + caches.ENTRY_OVERHEAD_BYTES


def test_names_are_sorted_once_for_the_same_topics() -> None:
    known = ResponseCaches()
    names = driven(known.topic_names(IMAGE))
    assert names == sorted(IMAGE.topic_ids)
    assert driven(known.topic_names(IMAGE)) is names


@pytest.mark.parametrize("count", [0, 1, 126, 127, 128, 20_000])
@pytest.mark.parametrize("version", [1, 3, 4])
def test_a_response_put_together_is_the_response(version: int, count: int) -> None:
    result = DescribeConfigsResponse.DescribeConfigsResult

    def sample_result() -> DescribeConfigsResponse.DescribeConfigsResult:
        return result(error_message="")

    codec = element_codec(DescribeConfigsResponse, "results", version, sample_result)
    items = [result(resource_name=str(number), error_message="") for number in range(count)]
    before, after = codec.around(DescribeConfigsResponse(throttle_time_ms=5).encode(version), count)
    whole = before + b"".join(codec.elements([item]) for item in items) + after
    assert whole == DescribeConfigsResponse(throttle_time_ms=5, results=items).encode(version)
    assert codec.elements(items) == whole[len(before) : len(whole) - len(after)]


@pytest.mark.parametrize("count", [0, 1, 126, 127, 128, 20_000])
@pytest.mark.parametrize("version", range(14))
def test_an_element_put_together_is_the_element(version: int, count: int) -> None:
    def topic() -> MetadataResponse.Topic:
        return MetadataResponse.Topic(name="")

    codec = element_codec(MetadataResponse, "topics", version, topic)
    partitions = inner_codec(codec, "partitions", topic, MetadataResponse.Partition)
    described = MetadataResponse.Topic(name="a-topic", is_internal=version > 0)
    items = [MetadataResponse.Partition(partition_index=number, isr_nodes=[1]) for number in range(count)]
    before, after = partitions.around(codec.elements([described]), count)
    pieces = (partitions.elements(items[start : start + 3]) for start in range(0, count, 3))
    described.partitions = items
    assert b"".join([before, *pieces, after]) == codec.elements([described])
