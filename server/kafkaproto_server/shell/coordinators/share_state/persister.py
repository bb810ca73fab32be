"""Keeps the states of share groups' partitions for this broker: see `requests.share_state.Persister`.

The share coordinator may be on this broker; otherwise it is asked over the wire, for all partitions of a group in one
request. If it cannot be found, or says that it is not the one, it is looked for again after a while, as Kafka's
DefaultStatePersister and PersisterStateManager do: five tries in a row, 2 s to 16 s apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.message import Message
from kafkaproto.messages import (
    DeleteShareGroupStateRequest,
    InitializeShareGroupStateRequest,
    ReadShareGroupStateRequest,
    ReadShareGroupStateSummaryRequest,
    WriteShareGroupStateRequest,
)
from kafkaproto_server.apis.ports.coordinators import ShareStatePort
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.coordinators.share_state.coordinator import ShareCoordinator
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.topic_names import SHARE_TOPIC
from kafkaproto_server.requests.coordinator_places import partition_of, share_key
from kafkaproto_server.requests.share_state import Done, ShareState, ShareStateResult, StateBatch
from kafkaproto_server.shell.coordinators.broker_requests import BrokerRequests, OtherBrokers

MAX_TRIES = 5
BACKOFF_MS = 1_000
"""Doubled with each try."""
ELEMENTS_AT_ONCE = 200
"""What is handed to coordinators in one turn: partitions, and batches of them. A group's thousand partitions may begin
at once."""
MAX_ELEMENTS = 2_000
"""Of one request. A broker that may do no more than CLUSTER_ACTION has 64 KiB read (`apis.serving`)."""
_AGAIN = frozenset(
    {
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NETWORK_EXCEPTION,
    }
)


class _Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One of the five things that can be asked."""

    request: Callable[..., Message]
    topic: Callable[..., Any]
    """A topic in the request."""
    partition: Callable[..., Any]
    """A partition of it."""
    ask_here: Callable[..., None]
    """The method of the coordinator, for one on this broker."""
    found: Callable[[Any], tuple[ShareState | None, int]] = lambda place: (None, -1)
    """State and leader epoch in a partition of the response."""


class _PersisterCall(msgspec.Struct, kw_only=True, eq=False):
    """A call of the persister, until it has its result."""

    kind: _Kind
    group_id: str
    topic_id: bytes
    partition: int
    arguments: tuple[Any, ...]
    """Of the port's call, behind the partition."""
    fields: dict[str, Any]
    """The same in the request's partition."""
    weight: int = 1
    done: Done
    tries: int = 0
    """Requests in a row that have failed."""
    searches: int = 0
    """The same for the search of the coordinator."""

    @property
    def key(self) -> tuple[bytes, int]:
        """Responses name topics and partitions."""
        return self.topic_id, self.partition

    @property
    def elements(self) -> int:
        """One for the partition, one for the topic, and one for each batch."""
        return 1 + self.weight

    @property
    def lane(self) -> tuple[int, str]:
        """A request is of one kind, and of one group."""
        return id(self.kind), self.group_id


class SharePersister:
    """The persister of this broker. Implements `Persister`."""

    def __init__(
        self,
        others: OtherBrokers,
        *,
        image: Callable[[], ClusterImage],
        here: ShareStatePort,
        create_topic: Callable[[str], None],
        call_later: Callable[[int, Callable[[], None]], None],
    ) -> None:
        """``here`` is the share coordinator of this broker. ``create_topic`` asks for an internal topic. ``call_later``
        calls a function after milliseconds."""
        self._broker_id = others.broker_id
        self._image = image
        self._here = here
        self._create_topic = create_topic
        self._call_later = call_later
        self._rng = others.rng
        self._ready: deque[_PersisterCall] = deque()
        """What is to be handed to a coordinator."""
        self._is_turn_set = False
        self._requests: BrokerRequests[_PersisterCall] = BrokerRequests(
            others,
            "share-persister",
            max_elements=MAX_ELEMENTS,
            request=_request,
            responded=self._responded,
            lane=lambda call: call.lane,
        )
        self.run = self._requests.run

    # -- see Persister ---------------------------------------------------------------------------------------------

    def initialize(
        self, group_id: str, topic_id: bytes, partition: int, state_epoch: int, start_offset: int, done: Done
    ) -> None:
        fields = {"state_epoch": state_epoch, "start_offset": start_offset}
        self._begin(_INITIALIZE, group_id, topic_id, partition, (state_epoch, start_offset), fields, done)

    def read(self, group_id: str, topic_id: bytes, partition: int, leader_epoch: int, done: Done) -> None:
        fields = {"leader_epoch": leader_epoch}
        self._begin(_READ, group_id, topic_id, partition, (leader_epoch,), fields, done)

    def read_summary(
        self, group_id: str, topic_id: bytes, partition: int, leader_epoch: int, done: Done
    ) -> None:
        fields = {"leader_epoch": leader_epoch}
        self._begin(_READ_SUMMARY, group_id, topic_id, partition, (), fields, done)

    def write(
        self, group_id: str, topic_id: bytes, partition: int, state: ShareState, leader_epoch: int, done: Done
    ) -> None:
        fields = {
            "state_epoch": state.state_epoch,
            "leader_epoch": leader_epoch,
            "start_offset": state.start_offset,
            "delivery_complete_count": state.delivery_complete_count,
            "state_batches": state.batches,
        }
        self._begin(_WRITE, group_id, topic_id, partition, (state, leader_epoch), fields, done)

    def delete(self, group_id: str, topic_id: bytes, partition: int, done: Done) -> None:
        self._begin(_DELETE, group_id, topic_id, partition, (), {}, done)

    # -- the way of a call -------------------------------------------------------------------------------------------

    def _begin(
        self,
        kind: _Kind,
        group_id: str,
        topic_id: bytes,
        partition: int,
        arguments: tuple[Any, ...],
        fields: dict[str, Any],
        done: Done,
    ) -> None:
        self._enqueue(
            _PersisterCall(
                kind=kind,
                group_id=group_id,
                topic_id=topic_id,
                partition=partition,
                arguments=arguments,
                fields=fields,
                weight=1 + len(fields.get("state_batches", ())),
                done=done,
            )
        )

    def _enqueue(self, call: _PersisterCall) -> None:
        self._ready.append(call)
        if not self._is_turn_set:
            self._is_turn_set = True
            self._call_later(0, self._turn)

    def _turn(self) -> None:
        self._is_turn_set = False
        weight = 0
        while self._ready and weight < ELEMENTS_AT_ONCE:
            call = self._ready.popleft()
            weight += call.elements
            self._hand_over(call)
        if self._ready and not self._is_turn_set:
            self._is_turn_set = True
            self._call_later(1, self._turn)

    def _hand_over(self, call: _PersisterCall) -> None:
        topic = self._image().topic_by_name(SHARE_TOPIC)
        if topic is None:
            self._create_topic(SHARE_TOPIC)
            self._not_found(call)
            return
        index = partition_of(share_key(call.group_id, call.topic_id, call.partition), len(topic.partitions))
        partition = topic.partitions.get(index)
        if partition is None or partition.leader == NO_NODE:
            self._not_found(call)
            return
        call.searches = 0
        if partition.leader == self._broker_id:
            self._ask_here(call)
        else:
            self._requests.send(partition.leader, call)

    def _ask_here(self, call: _PersisterCall) -> None:
        key = SharePartitionKey(call.group_id, call.topic_id, call.partition)
        try:
            coordinator = self._here.of(key)
        except CoordinatorError as error:
            self._has_result(call, ShareStateResult(error.code, describe(error.code).message))
        else:
            call.kind.ask_here(
                coordinator, key, *call.arguments, lambda result: self._has_result(call, result)
            )

    def _not_found(self, call: _PersisterCall) -> None:
        call.searches += 1
        self._again(call, call.searches, ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def _has_result(self, call: _PersisterCall, result: ShareStateResult) -> None:
        if result.code in _AGAIN:
            call.tries += 1
            self._again(call, call.tries, result.code, result.message)
        else:
            call.done(result)

    def _again(
        self, call: _PersisterCall, failures: int, code: ErrorCode, message: str | None = None
    ) -> None:
        if failures >= MAX_TRIES:
            call.done(ShareStateResult(code, message or describe(code).message))
            return
        delay_ms = BACKOFF_MS << failures
        # A fifth more or less, so that brokers that failed together do not retry together.
        delay_ms += self._rng.below(2 * delay_ms // 5 + 1) - delay_ms // 5
        self._call_later(delay_ms, lambda: self._enqueue(call))

    def _responded(self, calls: Sequence[_PersisterCall], response: Any) -> None:
        places = {
            (bytes(topic.topic_id), place.partition): place
            for topic in (() if response is None else response.results)
            for place in topic.partitions
        }
        for call in calls:
            place = places.get(call.key)
            if place is not None:
                code = describe(place.error_code).code
                found = (None, -1) if code is not ErrorCode.NONE else call.kind.found(place)
                self._has_result(call, ShareStateResult(code, place.error_message, *found))
            else:
                # What a response leaves out cannot be told.
                code = ErrorCode.NETWORK_EXCEPTION if response is None else ErrorCode.UNKNOWN_SERVER_ERROR
                self._has_result(call, ShareStateResult(code, describe(code).message))


def _request(calls: Sequence[_PersisterCall]) -> Message:
    kind = calls[0].kind
    topics: dict[bytes, list[Any]] = {}
    for call in calls:
        topics.setdefault(call.topic_id, []).append(kind.partition(partition=call.partition, **call.fields))
    return kind.request(
        group_id=calls[0].group_id,
        topics=[kind.topic(topic_id=topic_id, partitions=some) for topic_id, some in topics.items()],
    )


def _written(*, state_batches: Sequence[StateBatch], **fields: Any) -> Any:
    batch = WriteShareGroupStateRequest.StateBatch
    return WriteShareGroupStateRequest.PartitionData(
        **fields, state_batches=[batch(**each._asdict()) for each in state_batches]
    )


def _read_state(place: Any) -> tuple[ShareState, int]:
    batches = tuple(
        StateBatch(each.first_offset, each.last_offset, each.delivery_state, each.delivery_count)
        for each in place.state_batches
    )
    return ShareState(place.state_epoch, place.start_offset, batches=batches), -1


def _read_summary(place: Any) -> tuple[ShareState, int]:
    state = ShareState(place.state_epoch, place.start_offset, place.delivery_complete_count)
    return state, place.leader_epoch


_INITIALIZE = _Kind(
    request=InitializeShareGroupStateRequest,
    topic=InitializeShareGroupStateRequest.InitializeStateData,
    partition=InitializeShareGroupStateRequest.PartitionData,
    ask_here=ShareCoordinator.initialize,
)
_READ = _Kind(
    request=ReadShareGroupStateRequest,
    topic=ReadShareGroupStateRequest.ReadStateData,
    partition=ReadShareGroupStateRequest.PartitionData,
    ask_here=ShareCoordinator.read,
    found=_read_state,
)
_READ_SUMMARY = _Kind(
    request=ReadShareGroupStateSummaryRequest,
    topic=ReadShareGroupStateSummaryRequest.ReadStateSummaryData,
    partition=ReadShareGroupStateSummaryRequest.PartitionData,
    ask_here=ShareCoordinator.read_summary,
    found=_read_summary,
)
_WRITE = _Kind(
    request=WriteShareGroupStateRequest,
    topic=WriteShareGroupStateRequest.WriteStateData,
    partition=_written,
    ask_here=ShareCoordinator.write,
)
_DELETE = _Kind(
    request=DeleteShareGroupStateRequest,
    topic=DeleteShareGroupStateRequest.DeleteStateData,
    partition=DeleteShareGroupStateRequest.PartitionData,
    ask_here=ShareCoordinator.delete,
)
