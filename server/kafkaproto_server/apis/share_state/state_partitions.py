"""What the five APIs about the state of share groups have in common.

Each names a group, topics by their ids, and partitions; each partition has a result of its own. As in Apache Kafka, the
response is empty if the request has no group or no topics, and names each partition once, with its last result, however
often the request does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from kafkaproto.error_codes import describe
from kafkaproto.message import Message
from kafkaproto_server.apis.ports.coordinators import ShareStatePort
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.core.coordinators.share_state.coordinator import ShareCoordinator
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.refusals import Refusal, Refuse
from kafkaproto_server.requests.share_state import Done, ShareStateResult

ResponseT = TypeVar("ResponseT", bound=Message)

Ask = Callable[[ShareCoordinator, SharePartitionKey, Any, Done], None]
"""Asks a share coordinator for a share partition, by the partition of the request."""
Fill = Callable[[Any, ShareStateResult], None]
"""Puts a result into the response's partition."""


def asked(
    request: Any,
    coordinators: ShareStatePort,
    response_type: type[ResponseT],
    topic_type: Callable[..., Any],
    *,
    ask: Ask,
    fill: Fill = lambda place, result: None,
    needs_partitions: bool = True,
) -> Steps[Deferred[ResponseT]]:
    """Ask for each partition, one a step. With ``needs_partitions`` the response is empty if a topic has none."""
    reply: Deferred[ResponseT] = Deferred()
    response: Any = response_type()
    gather = Gather(lambda: reply.resolve(response))

    def done(places: list[Any], position: int, result: ShareStateResult) -> None:
        # Anew, also if the request names the partition twice.
        place = places[position] = type(response).PartitionResult(
            partition=places[position].partition, error_code=result.code, error_message=result.message
        )
        fill(place, result)
        gather.came()

    is_empty = not request.group_id or (
        needs_partitions and not all(each.partitions for each in request.topics)
    )
    if not is_empty:
        for topic_id, named, places, position in _places(request, response, topic_type):
            gather.asked()
            key = SharePartitionKey(request.group_id, topic_id, named.partition)
            tell = partial(done, places, position)
            try:
                coordinator = coordinators.of(key)
            except CoordinatorError as error:
                tell(ShareStateResult(error.code, describe(error.code).message))
            else:
                ask(coordinator, key, named, tell)
            yield
    gather.all_asked()
    return reply


def refusing(response_type: type[ResponseT], topic_type: Callable[..., Any]) -> Refuse:
    """Makes the response with an error for each partition."""

    def refuse(request: Any, refusal: Refusal) -> Steps[ResponseT]:
        response: Any = response_type()
        message = refusal.message or describe(refusal.code).message
        for topic in request.topics:
            answered = topic_type(topic_id=bytes(topic.topic_id))
            response.results.append(answered)
            for named in topic.partitions:
                place = type(response).PartitionResult(
                    partition=named.partition, error_code=refusal.code, error_message=message
                )
                answered.partitions.append(place)
                yield
        return response  # type: ignore[no-any-return]

    return refuse


def _places(
    request: Any, response: Any, topic_type: Callable[..., Any]
) -> Iterator[tuple[bytes, Any, list[Any], int]]:
    """Fill a response with what a request names, and yield on the way: topic id, partition of the request, and the
    place of the partition in the response."""
    topics: dict[bytes, Any] = {}
    positions: dict[tuple[bytes, int], int] = {}
    for topic in request.topics:
        topic_id = bytes(topic.topic_id)
        for named in topic.partitions:
            answered = topics.get(topic_id)
            if answered is None:
                answered = topics[topic_id] = topic_type(topic_id=topic_id)
                response.results.append(answered)
            position = positions.setdefault((topic_id, named.partition), len(answered.partitions))
            if position == len(answered.partitions):
                answered.partitions.append(type(response).PartitionResult(partition=named.partition))
            yield topic_id, named, answered.partitions, position
