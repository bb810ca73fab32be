"""Members of streams groups (KIP-1071), several in each process, which heartbeat as Kafka Streams does: they close a
task before they say that they do not have it any more, and say which tasks they have when that has changed.

Tasks are told once, as in Apache Kafka. A member that has not taken a response goes on with what it knows, or begins
anew. Once the faults are over it always does the latter: nobody would tell it what it has missed.
"""

from __future__ import annotations

import random
import uuid

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import StreamsGroupHeartbeatRequest, StreamsGroupHeartbeatResponse
from tests.sim.nodes.coordination.client import GROUP, LOOK_AGAIN, CoordinatedClient
from tests.sim.nodes.coordination.promises import REBALANCE_S, SESSION_S
from tests.sim.nodes.coordination.streams_promises import StreamsPromises
from tests.sim.nodes.coordination.streams_topology import Topology
from tests.sim.nodes.coordination.work import Identity, Work
from tests.sim.nodes.data.link import LinkLostError, Place
from tests.sim.nodes.invariants import NodeInvariant

HEARTBEAT_S = 0.3
_JOINS, _LEAVES, _LEAVES_FOR_A_WHILE = 0, -1, -2
"""Member epochs."""
_NO_MEMBER = frozenset(
    {ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.GROUP_ID_NOT_FOUND}
)
_WAITS = frozenset({ErrorCode.UNRELEASED_INSTANCE_ID, ErrorCode.FENCED_INSTANCE_ID})
_SLOWEST_CLOSING_S = 2.5
_NOTHING: frozenset[Place] = frozenset()

Request = StreamsGroupHeartbeatRequest
Response = StreamsGroupHeartbeatResponse


class StreamsProcess:
    """A process: its members end together when it crashes, and find the folder of states again when it is back."""

    def __init__(self, process_id: str, endpoint: Request.Endpoint | None) -> None:
        self.process_id = process_id
        self.endpoint = endpoint
        self.states: dict[Place, int] = {}
        """How far the states on its disk are."""
        self.members: list[StreamsMember] = []

    def crash(self) -> None:
        """All members end."""
        for member in self.members:
            member.crash()


class StreamsMember:
    """One thread of a process, and all members that it is in its life."""

    def __init__(
        self,
        client: CoordinatedClient,
        group: StreamsPromises,
        work: Work,
        rng: random.Random,
        process: StreamsProcess,
        topology: Topology,
        *,
        instance_id: str | None,
    ) -> None:
        self.client = client
        self.group = group
        self.work = work
        self.process = process
        self.is_calm = False
        self.is_over = False
        self.has_ended = False
        self.assigned: frozenset[Place] = _NOTHING
        """What its active tasks read, those that it still has to close among them."""
        self.standby: frozenset[Place] = _NOTHING
        """What the tasks of its standby replicas read."""
        self.epoch = _JOINS
        self._target: tuple[frozenset[Place], frozenset[Place]] = (_NOTHING, _NOTHING)
        """Active and standby tasks, once it has closed the others."""
        self._closed_s = 0.0
        """When it will have closed them."""
        self._rng = rng
        self._topology = topology
        self._instance_id = instance_id
        self._member_id = self._new_id()
        self._endpoint_epoch = 0
        self._says_all = True
        """Whether the next heartbeat has all fields: the response to the last one is lost, or something has changed."""
        self._is_in_doubt = False
        """Whether it may have been told of tasks, and does not know of which."""
        self._life = trio.CancelScope()
        process.members.append(self)

    @property
    def is_settled(self) -> bool:
        """Whether it is a member, and has the tasks that it was told of, as far as it knows."""
        has_all = (self.assigned, self.standby) == self._target
        return self.epoch > 0 and has_all and not self._is_in_doubt

    def _new_id(self) -> str:
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))

    async def run(self) -> None:
        """Be a member, until it is over."""
        while not self.is_over:
            self._life = trio.CancelScope()
            with self._life:
                await self._live()
            if self._life.cancelled_caught:
                # Whatever it was about to do when it crashed is not done.
                self.work.crash()
                self.client.close()
                await trio.sleep(self._rng.uniform(0, 1.5 * SESSION_S))
        self.group.gone(self._member_id)
        self.client.close()
        self.has_ended = True

    def crash(self) -> None:
        """The process ends."""
        self.group.counts["members crashed"] += 1
        self._membership_ends()
        self._life.cancel()

    async def _live(self) -> None:
        while not self.is_over:
            try:
                self._maybe_close()
                await self._heartbeat()
                if self.epoch > 0 and not await self.work.step(self._identity, self._worked_on):
                    # The next heartbeat says what it is.
                    self.work.forget()
                self._write_states()
                if not self.is_calm:
                    await self._misbehave()
                elif self._is_in_doubt:
                    self._begin_anew()
                await trio.sleep(self._rng.uniform(0.3, 1.0) * HEARTBEAT_S)
            except LinkLostError:
                await trio.sleep(self._rng.uniform(0.05, 0.4))

    @property
    def _identity(self) -> Identity:
        return Identity(
            member_id=self._member_id,
            generation=self.epoch,
            instance_id=self._instance_id,
            is_classic=False,
        )

    @property
    def _worked_on(self) -> frozenset[Place]:
        """Other topics are the server's, and may not be there."""
        return frozenset(each for each in self.assigned if each[0] in self._topology.source_topics)

    def _begin_anew(self) -> None:
        self.group.gone(self._member_id)
        self.epoch, self._says_all, self._is_in_doubt = _JOINS, True, False
        self.assigned = self.standby = _NOTHING
        self._target = (_NOTHING, _NOTHING)
        self.work.forget()

    def _membership_ends(self) -> None:
        self._begin_anew()
        self._member_id = self._new_id()

    async def _misbehave(self) -> None:
        chance = self._rng.random()
        if chance < 0.008:
            self.process.crash()
        elif chance < 0.015:
            self.crash()
        elif chance < 0.025:
            self.group.counts["members paused"] += 1
            await trio.sleep(self._rng.uniform(0.5, 2) * SESSION_S)
            if self.epoch > 0 and not await self.work.step(self._identity, self._worked_on):
                self.work.forget()
        elif chance < 0.04:
            await self._leave()

    def _write_states(self) -> None:
        for place in sorted(self.assigned | self.standby):
            if place[0] in self._topology.stateful_topics:
                self.process.states[place] = self.process.states.get(place, 0) + self._rng.randint(0, 9)

    # -- requests ------------------------------------------------------------------------------------------------

    def _request(self, epoch: int) -> Request:
        request = Request(
            group_id=self.group.group_id,
            member_id=self._member_id,
            member_epoch=epoch,
            instance_id=self._instance_id,
            endpoint_information_epoch=self._endpoint_epoch,
        )
        if epoch < _JOINS:
            return request
        if self._says_all:
            request.rebalance_timeout_ms = int(REBALANCE_S * 1000)
        if epoch == _JOINS:
            request.topology = self._topology.message()
            request.process_id = self.process.process_id
            request.user_endpoint = self.process.endpoint
            request.client_tags = []
        if self._says_all or self._rng.random() < 0.2:
            # What has not changed need not be said.
            request.active_tasks = self._topology.tasks(self.assigned)
            request.standby_tasks = self._topology.tasks(self.standby)
            request.warmup_tasks = []
        if epoch > _JOINS and self._rng.random() < 0.2:
            self._add_offsets(request)
        return request

    def _add_offsets(self, request: Request) -> None:
        """Of its standby tasks, and of states that no task of this process uses."""
        used = frozenset(place for each in self.process.members for place in (*each.assigned, *each.standby))
        told = [each for each in sorted(self.process.states) if each in self.standby or each not in used]
        offsets = {self._topology.task(each): self.process.states[each] for each in told}
        request.task_offsets = [
            Request.TaskOffset(subtopology_id=each, partition=index, offset=offset)
            for (each, index), offset in offsets.items()
        ]
        request.task_end_offsets = [
            Request.TaskOffset(subtopology_id=each, partition=index, offset=offset + 5)
            for (each, index), offset in offsets.items()
        ]

    async def _heartbeat(self) -> None:
        group_id, member_id, before = self.group.group_id, self._member_id, self.epoch
        host = await self.client.coordinator(GROUP, group_id)
        term, sent = self.group.term(host), trio.current_time()
        request = self._request(before)
        self._says_all = True
        try:
            response = await self.client.ask_coordinator(GROUP, group_id, request)
        except LinkLostError:
            self._has_missed(sent)
            raise
        if self._member_id != member_id:
            # It has crashed at this very moment.
            return
        code = ErrorCode(response.error_code)
        if trio.current_time() - sent > SESSION_S / 2:
            # It may be none any more.
            self._has_missed(sent)
        elif code in LOOK_AGAIN:
            # The coordinator may have moved before the change was committed, or behind it.
            self.client.forget(GROUP, group_id)
            self._has_missed(sent)
        elif code in _NO_MEMBER:
            self._begin_anew()
        elif code in _WAITS:
            self._begin_anew()
            await trio.sleep(0.3)
        elif code is not ErrorCode.NONE:
            self.group.unexpected(self.client.name, f"StreamsGroupHeartbeat: {code.name}")
            self._begin_anew()
        else:
            is_newest = term is not None and self.group.term(host) == term
            self._take(response, before, sent, is_newest=is_newest)

    def _has_missed(self, sent: float) -> None:
        """What a response has said of tasks is not known, and is not said again."""
        if not self.is_calm and self._rng.random() < 0.5:
            self._is_in_doubt = True
            self.group.in_doubt(self._member_id, sent)
        else:
            self._begin_anew()

    def _take(self, response: Response, before: int, sent: float, *, is_newest: bool) -> None:
        if not is_newest:
            # Nobody can say whether others have what it is given.
            self._has_missed(sent)
            return
        self.epoch, self._says_all = response.member_epoch, False
        self._endpoint_epoch = response.endpoint_information_epoch
        self.group.heard(self._member_id, sent)
        self.group.in_epoch(self._member_id, before, self.epoch, sent)
        self.group.subscribed(self._member_id, self._topology.topics)
        self._check_endpoints(response)
        if response.active_tasks is None:
            return
        self._is_in_doubt = False
        active = self._topology.places(response.active_tasks)
        standby = self._topology.places(response.standby_tasks)
        if active & standby:
            what = f"{self._member_id} is given {sorted(active & standby)} twice"
            self.group.violated(NodeInvariant.ONCE_IN_A_PROCESS, what)
        self._target = (active, standby)
        new_active = active - self.assigned
        self.group.took_tasks(
            self._member_id, self.process.process_id, new_active, standby - self.standby - self.assigned
        )
        self.assigned |= new_active
        # A task that becomes active, or a standby replica, is not closed for that.
        self.standby = (self.standby - active) | (standby - self.assigned)
        self._closed_s = (
            trio.current_time() + self._rng.choice((0, 0, 0, self._rng.random())) * _SLOWEST_CLOSING_S
        )
        self._says_all = True
        self._maybe_close()

    def _maybe_close(self) -> None:
        """Once the tasks that it should give up are closed, it has them no more."""
        active, standby = self._target
        if self._closed_s > trio.current_time() or (self.assigned, self.standby) == self._target:
            return
        self.group.has_only(self._member_id, active, standby)
        self.work.lose(self.assigned - active)
        self.assigned, self.standby = self._target
        self._says_all = True

    def _check_endpoints(self, response: Response) -> None:
        """No partition is active at two endpoints."""
        seen: set[Place] = set()
        for each in response.partitions_by_user_endpoint or ():
            found = {(topic.topic, index) for topic in each.active_partitions for index in topic.partitions}
            if found & seen:
                what = f"{sorted(found & seen)} are active at two endpoints"
                self.group.violated(NodeInvariant.ONE_OWNER, what)
            seen |= found

    async def _leave(self) -> None:
        is_back_soon = self._instance_id is not None and self._rng.random() < 0.7
        request = self._request(_LEAVES_FOR_A_WHILE if is_back_soon else _LEAVES)
        self._membership_ends()
        self.group.counts["members left"] += 1
        await self.client.ask_coordinator(GROUP, self.group.group_id, request)
        await trio.sleep(self._rng.uniform(0, 1))
