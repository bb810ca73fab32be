"""DeleteTopics (20, v1-6): deletes topics by name, and from v6 on also by topic id.

A topic that is named twice, or by name and by id, is not deleted. A name or id that comes twice has one result. Results
come in the order of the request; Apache Kafka's controllers shuffle them. A quota on the rate of partition changes
refuses topics from v5 on, and delays the sender before (KIP-599).

Apache Kafka: ``QuorumController.deleteTopics`` and ``ControllerApis.deleteTopics``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import DeleteTopicsRequest, DeleteTopicsResponse, RemoveTopicRecord
from kafkaproto.uuids import to_text
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage

_TopicResult = DeleteTopicsResponse.DeletableTopicResult

_FIRST_VERSION_WITH_DELETION_DISABLED = 3
"""Earlier versions do not know the error TOPIC_DELETION_DISABLED."""

_Named = tuple[str | None, bytes]
"""How a request names a topic: by name, by id, by both (wrong) or by neither (wrong: None and zeros)."""


def delete_topics(situation: Situation, request: DeleteTopicsRequest) -> Steps[CommandResult]:
    """Delete the topics that can be deleted; raises ApiError if the request as a whole is refused."""
    if not situation.config.delete_topic_enable:
        raise _deletion_disabled(situation.version)
    image = situation.image
    times_named: Counter[_Named] = Counter()
    for named in _named_topics(request):
        times_named[named] += 1
        yield
    times_meant: Counter[bytes | None] = Counter()
    for name, topic_id in times_named:
        if _is_named(name, topic_id):
            times_meant[_meant_id(image, name, topic_id)] += 1
        yield
    records: list[Message] = []
    results = []
    for (name, topic_id), times in times_named.items():
        if not _is_named(name, topic_id):
            # It is not known which topic is meant, nor whether it is the same one each time.
            results += [_failure(name, topic_id, _badly_named(name))] * times
            continue
        try:
            # Check this first, as Kafka does: it reports it for topics that do not exist, too.
            if times > 1:
                raise ApiError(ErrorCode.INVALID_REQUEST, "The topic is named twice.")
            topic = _topic_to_delete(image, name, topic_id)
            # By id and by name: replay would refuse a second RemoveTopicRecord.
            if times_meant[topic.topic_id] > 1:
                raise ApiError(ErrorCode.INVALID_REQUEST, "The topic is given by name and by id.")
            assert times_meant[topic.topic_id] == 1, f"topic {topic.name} is deleted once"
            situation.take_permits(len(topic.partitions))
            # This record alone: replay also removes the partitions and configs, as every Kafka node
            # does.
            records.append(RemoveTopicRecord(topic_id=topic.topic_id))
            results.append(_TopicResult(name=topic.name, topic_id=topic.topic_id))
        except ApiError as error:
            results.append(_failure(name, topic_id, error))
        yield
    return CommandResult(
        response=DeleteTopicsResponse(throttle_time_ms=situation.permits.throttle_ms, responses=results),
        records=records,
        permits=situation.permits,
    )


def _deletion_disabled(version: int) -> ApiError:
    code = ErrorCode.TOPIC_DELETION_DISABLED
    if version < _FIRST_VERSION_WITH_DELETION_DISABLED:
        # The same as Kafka responds with to these versions.
        code = ErrorCode.INVALID_REQUEST
    return ApiError(code, "delete.topic.enable is false on the controller.")


def _named_topics(request: DeleteTopicsRequest) -> Iterator[_Named]:
    """The topics that the request names, in any of its versions."""
    for name in request.topic_names:
        yield name, ZERO_UUID
    for topic in request.topics:
        yield topic.name, topic.topic_id


def _meant_id(image: ClusterImage, name: str | None, topic_id: bytes) -> bytes | None:
    return topic_id if name is None else image.topic_ids.get(name)


def _is_named(name: str | None, topic_id: bytes) -> bool:
    # Exactly one of both. Before version 6 there is only the name, and the id is zero.
    return (name is None) != (topic_id == ZERO_UUID)


def _badly_named(name: str | None) -> ApiError:
    what = "Neither a name nor an id is given."
    if name is not None:
        what = f"Topic {name} has an id too; only one of them may be given."
    return ApiError(ErrorCode.INVALID_REQUEST, what)


def _topic_to_delete(image: ClusterImage, name: str | None, topic_id: bytes) -> TopicImage:
    """The topic with that name or id; raises ApiError if it does not exist."""
    if name is not None:
        topic = image.topic_by_name(name)
        if topic is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic {name!r} does not exist.")
        return topic
    found = image.topics.get(topic_id)
    if found is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID, f"No topic has the id {to_text(topic_id)}.")
    return found


def _failure(name: str | None, topic_id: bytes, error: ApiError) -> _TopicResult:
    return _TopicResult(name=name, topic_id=topic_id, error_code=error.code, error_message=error.message)
