"""What the five APIs about the state of share groups have in common.

Each names a group, topics by their ids, and partitions; each partition has a result of its own. As in Apache Kafka, the
response is empty if the request has no group or no topics, and names each partition once, with its last result, however
often the request does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Generic, NamedTuple, Protocol, TypeVar

from kafkaproto.error_codes import describe
from kafkaproto.message import Message
from kafkaproto_server.apis.ports.coordinators import ShareStatePort
from kafkaproto_server.base.later import Deferred, Gather, Steps
from kafkaproto_server.core.coordinators.share_state.coordinator import ShareCoordinator
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.refusals import Refusal
from kafkaproto_server.requests.share_state import Done, ShareStateResult


class NamedPartition(Protocol):
    """A partition in a request, with what the API says of it."""

    @property
    def partition(self) -> int: ...


NamedT = TypeVar("NamedT", bound=NamedPartition)
NamedT_co = TypeVar("NamedT_co", bound=NamedPartition, covariant=True)


class NamedTopic(Protocol[NamedT_co]):
    """A topic in a request."""

    @property
    def topic_id(self) -> bytes: ...

    @property
    def partitions(self) -> Sequence[NamedT_co]: ...


class StateRequest(Protocol[NamedT_co]):
    """The request of any of the APIs."""

    @property
    def group_id(self) -> str: ...

    @property
    def topics(self) -> Sequence[NamedTopic[NamedT_co]]: ...


ResponseT = TypeVar("ResponseT", bound=Message)
TopicT = TypeVar("TopicT")
PlaceT = TypeVar("PlaceT")
ResponseT_co = TypeVar("ResponseT_co", bound=Message, covariant=True)
TopicT_co = TypeVar("TopicT_co", covariant=True)
PlaceT_co = TypeVar("PlaceT_co", covariant=True)


class ResponseClasses(NamedTuple, Generic[ResponseT_co, TopicT_co, PlaceT_co]):
    """Of what the response of one of the APIs is made."""

    response: Callable[..., ResponseT_co]
    """Made of ``results``, one for each topic."""
    topic: Callable[..., TopicT_co]
    """Made of ``topic_id`` and ``partitions``."""
    partition: Callable[..., PlaceT_co]
    """Made of ``partition``, ``error_code`` and ``error_message``."""


def asked(
    request: StateRequest[NamedT],
    coordinators: ShareStatePort,
    classes: ResponseClasses[ResponseT, TopicT, PlaceT],
    *,
    ask: Callable[[ShareCoordinator, SharePartitionKey, NamedT, Done], None],
    fill: Callable[[PlaceT, ShareStateResult], None] = lambda place, result: None,
    needs_partitions: bool = True,
) -> Steps[Deferred[ResponseT]]:
    """Ask for each partition, one a step. ``ask`` asks the share coordinator for a partition of the request, ``fill``
    puts a result into the response's partition. With ``needs_partitions`` the response is empty if a topic has none."""
    reply: Deferred[ResponseT] = Deferred()
    results: list[TopicT] = []
    gather = Gather(lambda: reply.resolve(classes.response(results=results)))

    def done(places: list[PlaceT], position: int, partition: int, result: ShareStateResult) -> None:
        # Anew, also if the request names the partition twice.
        place = places[position] = classes.partition(
            partition=partition, error_code=result.code, error_message=result.message
        )
        fill(place, result)
        gather.came()

    is_empty = not request.group_id or (
        needs_partitions and not all(each.partitions for each in request.topics)
    )
    if not is_empty:
        for topic_id, named, places, position in _places(request, results, classes):
            gather.asked()
            key = SharePartitionKey(request.group_id, topic_id, named.partition)
            tell = partial(done, places, position, named.partition)
            try:
                coordinator = coordinators.of(key)
            except CoordinatorError as error:
                tell(ShareStateResult(error.code, describe(error.code).message))
            else:
                ask(coordinator, key, named, tell)
            yield
    gather.all_asked()
    return reply


def refusing(
    classes: ResponseClasses[ResponseT, TopicT, PlaceT],
) -> Callable[[StateRequest[NamedPartition], Refusal], Steps[ResponseT]]:
    """Makes the response with an error for each partition."""

    def refuse(request: StateRequest[NamedPartition], refusal: Refusal) -> Steps[ResponseT]:
        results: list[TopicT] = []
        message = refusal.message or describe(refusal.code).message
        for topic in request.topics:
            places: list[PlaceT] = []
            results.append(classes.topic(topic_id=bytes(topic.topic_id), partitions=places))
            for named in topic.partitions:
                place = classes.partition(
                    partition=named.partition, error_code=refusal.code, error_message=message
                )
                places.append(place)
                yield
        return classes.response(results=results)

    return refuse


def _places(
    request: StateRequest[NamedT], results: list[TopicT], classes: ResponseClasses[ResponseT, TopicT, PlaceT]
) -> Iterator[tuple[bytes, NamedT, list[PlaceT], int]]:
    """Fill the results with what a request names, and yield on the way: topic id, partition of the request, and the
    place of the partition in the response."""
    topics: dict[bytes, list[PlaceT]] = {}
    positions: dict[tuple[bytes, int], int] = {}
    for topic in request.topics:
        topic_id = bytes(topic.topic_id)
        for named in topic.partitions:
            places = topics.get(topic_id)
            if places is None:
                places = topics[topic_id] = []
                results.append(classes.topic(topic_id=topic_id, partitions=places))
            position = positions.setdefault((topic_id, named.partition), len(places))
            if position == len(places):
                places.append(classes.partition(partition=named.partition))
            yield topic_id, named, places, position
