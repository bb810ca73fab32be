"""What a late request is, and what a response says.

A `Scene` makes something that is only its own: a group with a member, a transaction, records that a member of a share
group has. Its table has requests that would be right but for one thing, each with the errors that are right answers.
Beside these it may be told what is said of somebody who is gone, as sessions end and coordinators move (`Scene.GONE`),
and what any broker says that is just failing over (`PASSING`). It is never told that all is well.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message, Struct
from kafkaproto.messages import (
    AddOffsetsToTxnRequest,
    DeleteGroupsRequest,
    EndTxnRequest,
    InitProducerIdRequest,
)
from tests.sim.nodes.coordination.client import GROUP, LOOK_AGAIN, TRANSACTION, CoordinatedClient
from tests.sim.nodes.data.link import LinkLostError, Place

PREFIX = "late-"
"""Of groups, transactional ids and topics."""
TOPIC, SECOND_TOPIC = f"{PREFIX}topic", f"{PREFIX}second"
PARTITIONS = 2
"""Of each topic."""
MOVED = frozenset(
    {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.KAFKA_STORAGE_ERROR}
)
"""Said by brokers that do not lead."""
PASSING = (
    LOOK_AGAIN
    | MOVED
    | {
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
        # The broker has not read of the topic yet.
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
)
"""Said by brokers while others take over."""
MEMBER_GONE = frozenset(
    {
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.GROUP_ID_NOT_FOUND,
        ErrorCode.REBALANCE_IN_PROGRESS,
    }
)
"""Said of members whose sessions have ended."""
PRODUCER_GONE = frozenset(
    {
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.PRODUCER_FENCED,
        ErrorCode.TRANSACTION_ABORTABLE,
    }
)
"""Said of producers whose transactions were aborted: clocks jump."""

_S = TypeVar("_S", bound=Struct)


class NotBegunError(Exception):
    """Something else was said than who begins a scene needs."""


def error_codes(response: Struct) -> frozenset[ErrorCode]:
    """All errors in a response; NONE alone if there is none."""
    return frozenset(_found(response)) - {ErrorCode.NONE} or frozenset({ErrorCode.NONE})


def _found(part: Struct) -> Iterator[ErrorCode]:
    names: Iterable[str] = type(part).__slots__
    for name in names:
        value = getattr(part, name.removeprefix("_"))
        if name.endswith("error_code"):
            yield ErrorCode(value)
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, Struct):
                    yield from _found(each)


def done(response: Any) -> Any:
    """A response, which has no error. Raises NotBegunError if it has one."""
    found = error_codes(response)
    if found != {ErrorCode.NONE}:
        raise NotBegunError(found)
    return response


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request in which one thing is wrong."""

    name: str
    codes: frozenset[ErrorCode]
    """Right answers while its sender is who it was."""
    request: Callable[[Any], Message]
    """Takes the scene."""
    version: int | None = None
    """The newest if None."""
    may_pass_at_load: bool = False
    """Whether it is taken by a coordinator that still reads its log."""


def case(
    name: str,
    codes: ErrorCode | Iterable[ErrorCode],
    request: Callable[[Any], Message],
    version: int | None = None,
    *,
    may_pass_at_load: bool = False,
) -> Case:
    """A row of a table."""
    found = frozenset({codes} if isinstance(codes, ErrorCode) else codes)
    return Case(name=name, codes=found, request=request, version=version, may_pass_at_load=may_pass_at_load)


class Scene(ABC):
    """What the requests of a table are about."""

    CASES: ClassVar[Sequence[Case]]
    GONE: ClassVar[frozenset[ErrorCode]]
    """Said if what the scene has made is there no more."""
    SESSION_S: ClassVar[float]
    """So long it is certainly there after a good answer."""

    def __init__(self, client: CoordinatedClient, rng: random.Random, name: str) -> None:
        """``name``: of the group, or the transactional id."""
        self.client = client
        self.rng = rng
        self.name = name
        self.heard_s = float("-inf")
        """When the last request was sent whose answer shows that all is as it was made."""

    @property
    def key_type(self) -> int:
        """Of the coordinator."""
        return GROUP

    @property
    def topic_id(self) -> bytes:
        """Of the topic."""
        return self.client.view.topic_ids[TOPIC]

    @abstractmethod
    async def begin(self) -> None:
        """Make it. Raises LinkLostError and NotBegunError."""

    @abstractmethod
    async def look(self) -> None:
        """Ask whether it is as it was. Raises LinkLostError and NotBegunError."""

    @abstractmethod
    async def end(self) -> None:
        """Have the cluster forget it. Raises LinkLostError and NotBegunError."""

    async def send(self, request: Message, version: int | None = None) -> Any:
        """The response to a request of the table, of the coordinator of the group that it names."""
        return await self.of_coordinator(self.key_type, _group_of(request) or self.name, request, version)

    async def of_coordinator(
        self, key_type: int, key: str, request: Message, version: int | None = None, within_s: float = 4.0
    ) -> Any:
        """The response of a coordinator."""
        response = await self.client.ask_coordinator(
            key_type, key, request, version=version, within_s=within_s
        )
        if error_codes(response) & LOOK_AGAIN:
            self.client.forget(key_type, key)
        return response

    async def of_leader(self, place: Place, request: Message, version: int | None = None) -> Any:
        """The response of a partition's leader. Raises LinkLostError also if nobody leads."""
        leader, _ = self.client.view.leaders.get(place, (-1, -1))
        if leader < 0:
            await self.client.learn([place[0]])
            raise LinkLostError
        response = await self.client.ask(self.client.host(leader), request, version=version)
        if error_codes(response) & MOVED:
            self.client.view.leaders.pop(place, None)
        return response

    async def must(self, request: Message, version: int | None = None, within_s: float = 4.0) -> Any:
        """The coordinator's response, which has no error. Raises NotBegunError if it has one."""
        sent_s = trio.current_time()
        response = done(await self.of_coordinator(self.key_type, self.name, request, version, within_s))
        self.heard_s = sent_s
        return response

    async def begin_transaction(self) -> tuple[int, int]:
        """Have the group take part in a transaction of its name, and one that there is not; the producer's id and
        epoch."""
        begun = await self.of_transaction(
            InitProducerIdRequest(transactional_id=self.name, transaction_timeout_ms=60_000)
        )
        producer = begun.producer_id, begun.producer_epoch
        for group_id in (self.name, f"{self.name}-unknown"):
            await self.of_transaction(
                AddOffsetsToTxnRequest(
                    transactional_id=self.name,
                    producer_id=producer[0],
                    producer_epoch=producer[1],
                    group_id=group_id,
                )
            )
        return producer

    async def end_transaction(self, producer: tuple[int, int]) -> None:
        """Abort it."""
        producer_id, epoch = producer
        await self.of_transaction(
            EndTxnRequest(
                transactional_id=self.name, producer_id=producer_id, producer_epoch=epoch, committed=False
            )
        )

    async def of_transaction(self, request: Message) -> Any:
        """The response of the coordinator of the transactional id, without an error. Raises NotBegunError."""
        return done(await self.of_coordinator(TRANSACTION, self.name, request))

    async def delete_group(self) -> None:
        """Delete the group, which has no members any more."""
        await self.must(DeleteGroupsRequest(groups_names=[self.name]))

    @property
    def is_certain(self) -> bool:
        """Whether everything is certainly as it was made."""
        return trio.current_time() - self.heard_s < self.SESSION_S / 2


def _group_of(request: Any) -> str:
    names = getattr(request, "groups_names", None) or [getattr(request, "group_id", "")]
    return str(names[0])


def changed(message: type[_S], fields: Mapping[str, Any], other: Mapping[str, Any]) -> _S:
    """A message, or a part of one, with fields, some of which have other values."""
    return message(**{**fields, **other})
