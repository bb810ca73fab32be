"""Members of classic groups: they join, the one that leads assigns, all heartbeat and work; and they crash, pause for
longer than their session, leave, and change what they subscribe to."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from typing import Any

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    HeartbeatRequest,
    JoinGroupRequest,
    LeaveGroupRequest,
    SyncGroupRequest,
)
from tests.sim.nodes.coordination.client import GROUP, LOOK_AGAIN, RESPONSE_S, CoordinatedClient
from tests.sim.nodes.coordination.promises import REBALANCE_S, SESSION_S, GroupPromises
from tests.sim.nodes.coordination.work import Identity, Work
from tests.sim.nodes.data.link import LinkLostError, Place

HEARTBEAT_S = 0.3
_VERSION = struct.Struct(">h")
_SUBSCRIPTION_VERSION = 1
_PROTOCOL, _PROTOCOL_TYPE = "range", "consumer"
_JOIN_AGAIN = frozenset({ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.ILLEGAL_GENERATION})
_NO_MEMBER = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID})


class ClassicMember:
    """One client, and all members that it is in its life."""

    def __init__(
        self,
        client: CoordinatedClient,
        group: GroupPromises,
        work: Work,
        rng: random.Random,
        topics: Sequence[str],
        partitions: int,
        *,
        instance_id: str | None,
    ) -> None:
        """``partitions`` is the number of each topic."""
        self.client = client
        self.group = group
        self.work = work
        self.is_calm = False
        self.is_over = False
        self.has_ended = False
        self.ends_with_its_membership = False
        """Whether `run` returns once it has crashed or left."""
        self.assigned: frozenset[Place] = frozenset()
        self.generation: int | None = None
        """None while it has to join."""
        self._rng = rng
        self._all_topics = tuple(topics)
        self._topics = self._all_topics
        self._partitions = partitions
        self._instance_id = instance_id
        self._member_id = ""

    @property
    def is_settled(self) -> bool:
        """Whether it has what it subscribes to."""
        return self.generation is not None and self._topics == self._all_topics

    @property
    def _key(self) -> str:
        """A static member gets another id each time it is started."""
        return self._instance_id or self._member_id

    async def run(self) -> None:
        """Be a member, until it is over."""
        while not self.is_over:
            try:
                if self.generation is None:
                    await self._join()
                    continue
                await trio.sleep(self._rng.uniform(0.3, 1.0) * HEARTBEAT_S)
                if await self._heartbeat() and not await self.work.step(self._identity, self.assigned):
                    self._rejoin()
                if not self.is_calm:
                    await self._misbehave()
                elif self._topics != self._all_topics:
                    self._topics = self._all_topics
                    self._rejoin()
            except LinkLostError:
                await trio.sleep(self._rng.uniform(0.05, 0.4))
        self.client.close()
        self.has_ended = True

    @property
    def _identity(self) -> Identity:
        assert self.generation is not None, "it is a member"
        return Identity(
            member_id=self._member_id,
            generation=self.generation,
            instance_id=self._instance_id,
            is_classic=True,
        )

    def _rejoin(self) -> None:
        self.group.gave_up(self._key, self.assigned)
        self.generation, self.assigned = None, frozenset()
        self.work.forget()

    def _begin_anew(self) -> None:
        self.group.gone(self._key)
        self._rejoin()
        self._member_id = ""

    def _membership_ends(self) -> None:
        self._begin_anew()
        self.is_over |= self.ends_with_its_membership

    async def _misbehave(self) -> None:
        chance = self._rng.random()
        if chance < 0.015:
            self.work.crash()
            self.client.close()
            self._membership_ends()
            self.group.counts["members crashed"] += 1
            await trio.sleep(self._rng.uniform(0, 1.5 * SESSION_S))
        elif chance < 0.025:
            # Others may have its partitions when it is back, and it does not know.
            self.group.counts["members paused"] += 1
            await trio.sleep(self._rng.uniform(0.5, 2) * SESSION_S)
            if self.generation is not None and not await self.work.step(self._identity, self.assigned):
                self._rejoin()
        elif chance < 0.035:
            await self._leave()
        elif chance < 0.05:
            self._topics = self._all_topics if len(self._topics) == 1 else self._all_topics[:1]
            self._rejoin()

    def _problem(self, what: str, code: ErrorCode) -> None:
        """The coordinator has refused. Raises LinkLostError if it may not be the coordinator."""
        if code in LOOK_AGAIN:
            self.client.forget(GROUP, self.group.group_id)
            raise LinkLostError
        if code in _NO_MEMBER:
            self._begin_anew()
        elif code in _JOIN_AGAIN:
            self._rejoin()
        else:
            self.group.unexpected(self.client.name, f"{what}: {code.name}")

    # -- requests ------------------------------------------------------------------------------------------------

    async def _join(self) -> None:
        subscription = ConsumerProtocolSubscription(topics=list(self._topics))
        metadata = _VERSION.pack(_SUBSCRIPTION_VERSION) + bytes(subscription.encode(_SUBSCRIPTION_VERSION))
        request = JoinGroupRequest(
            group_id=self.group.group_id,
            session_timeout_ms=int(SESSION_S * 1000),
            rebalance_timeout_ms=int(REBALANCE_S * 1000),
            member_id=self._member_id,
            group_instance_id=self._instance_id,
            protocol_type=_PROTOCOL_TYPE,
            protocols=[JoinGroupRequest.Protocol(name=_PROTOCOL, metadata=metadata)],
        )
        response = await self.client.ask_coordinator(
            GROUP, self.group.group_id, request, within_s=REBALANCE_S + 4
        )
        code = ErrorCode(response.error_code)
        if code is ErrorCode.MEMBER_ID_REQUIRED:
            self._member_id = response.member_id
        elif code is not ErrorCode.NONE:
            self._problem("JoinGroup", code)
        else:
            self._member_id = response.member_id
            await self._sync(response)

    async def _sync(self, joined: Any) -> None:
        assignments = {}
        if joined.leader == self._member_id and not joined.skip_assignment:
            assignments = self._assign(joined)
        request = SyncGroupRequest(
            group_id=self.group.group_id,
            generation_id=joined.generation_id,
            member_id=self._member_id,
            group_instance_id=self._instance_id,
            protocol_type=_PROTOCOL_TYPE,
            protocol_name=_PROTOCOL,
            assignments=[
                SyncGroupRequest.Assignment(member_id=each, assignment=_encoded(places))
                for each, places in assignments.items()
            ],
        )
        response, is_newest = await self._ask(request, within_s=REBALANCE_S + 4)
        code = ErrorCode(response.error_code)
        if code is not ErrorCode.NONE:
            self._problem("SyncGroup", code)
            return
        assigned = _decoded(response.assignment)
        if not self.group.assigned(joined.generation_id, self._key, assigned, is_newest=is_newest):
            return
        self.assigned, self.generation = assigned, joined.generation_id
        self.work.forget()

    async def _ask(self, request: Message, within_s: float = RESPONSE_S) -> tuple[Any, bool]:
        """The response of the coordinator, and whether that is the newest one."""
        host = await self.client.coordinator(GROUP, self.group.group_id)
        term, sent = self.group.term(host), trio.current_time()
        response = await self.client.ask_coordinator(GROUP, self.group.group_id, request, within_s=within_s)
        is_newest = term is not None and self.group.term(host) == term
        if is_newest and not response.error_code:
            self.group.heard(self._key, sent)
        return response, is_newest

    def _assign(self, joined: Any) -> dict[str, frozenset[Place]]:
        subscribed = {each.member_id: _topics_of(each.metadata) for each in joined.members}
        found: dict[str, set[Place]] = {each: set() for each in subscribed}
        for topic in self._all_topics:
            takers = [each for each, topics in subscribed.items() if topic in topics]
            for index in range(self._partitions if takers else 0):
                found[takers[index % len(takers)]].add((topic, index))
        assignments = {each: frozenset(places) for each, places in found.items()}
        keys = {each.member_id: each.group_instance_id or each.member_id for each in joined.members}
        self.group.assigned_by_leader(
            joined.generation_id, {keys[each]: places for each, places in assignments.items()}
        )
        return assignments

    async def _heartbeat(self) -> bool:
        """Returns whether all goes on as it is."""
        request = HeartbeatRequest(
            group_id=self.group.group_id,
            generation_id=self._identity.generation,
            member_id=self._member_id,
            group_instance_id=self._instance_id,
        )
        response, _ = await self._ask(request)
        code = ErrorCode(response.error_code)
        if code is ErrorCode.NONE:
            return True
        self._problem("Heartbeat", code)
        return False

    async def _leave(self) -> None:
        member = LeaveGroupRequest.MemberIdentity(
            member_id=self._member_id, group_instance_id=self._instance_id
        )
        request = LeaveGroupRequest(group_id=self.group.group_id, members=[member])
        self._membership_ends()
        self.group.counts["members left"] += 1
        await self.client.ask_coordinator(GROUP, self.group.group_id, request)
        await trio.sleep(self._rng.uniform(0, 1))


def _encoded(places: frozenset[Place]) -> bytes:
    topics: dict[str, list[int]] = {}
    for name, index in sorted(places):
        topics.setdefault(name, []).append(index)
    message = ConsumerProtocolAssignment(
        assigned_partitions=[
            ConsumerProtocolAssignment.TopicPartition(topic=name, partitions=indexes)
            for name, indexes in topics.items()
        ]
    )
    return _VERSION.pack(0) + bytes(message.encode(0))


def _decoded(assignment: bytes) -> frozenset[Place]:
    if not assignment:
        return frozenset()
    found, _ = ConsumerProtocolAssignment.decode(assignment, _version_of(assignment), _VERSION.size)
    return frozenset((each.topic, index) for each in found.assigned_partitions for index in each.partitions)


def _topics_of(metadata: bytes) -> list[str]:
    found, _ = ConsumerProtocolSubscription.decode(metadata, _version_of(metadata), _VERSION.size)
    return found.topics


def _version_of(data: bytes) -> int:
    return int(_VERSION.unpack_from(data)[0])
