"""Members of consumer groups (KIP-848): all that they ask for and are told is in one kind of request, the heartbeat.

A member begins with a partition when it is given it, and gives it up before it says so. Until then nobody else may be
given it, unless the member was not heard from for its session.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence

import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse
from tests.sim.nodes.coordination.client import GROUP, LOOK_AGAIN, CoordinatedClient
from tests.sim.nodes.coordination.promises import REBALANCE_S, SESSION_S, GroupPromises
from tests.sim.nodes.coordination.work import Identity, Work
from tests.sim.nodes.data.link import LinkLostError, Place

HEARTBEAT_S = 0.3
_JOINS, _LEAVES, _LEAVES_FOR_A_WHILE = 0, -1, -2
"""Member epochs."""
_NO_MEMBER = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH})
_WAITS = frozenset({ErrorCode.UNRELEASED_INSTANCE_ID, ErrorCode.FENCED_INSTANCE_ID})

Request = ConsumerGroupHeartbeatRequest


class ConsumerMember:
    """One client, and all members that it is in its life."""

    def __init__(
        self,
        client: CoordinatedClient,
        group: GroupPromises,
        work: Work,
        rng: random.Random,
        topics: Sequence[str],
        *,
        instance_id: str | None,
        uses_expression: bool = False,
    ) -> None:
        """``uses_expression``: it subscribes by a regular expression."""
        self.client = client
        self.group = group
        self.work = work
        self.is_calm = False
        self.is_over = False
        self.has_ended = False
        self.ends_with_its_membership = False
        """Whether `run` returns once it has crashed or left."""
        self.assigned: frozenset[Place] = frozenset()
        self.epoch = _JOINS
        self._rng = rng
        self._all_topics = tuple(topics)
        self._topics = self._all_topics
        self._instance_id = instance_id
        self._uses_expression = uses_expression
        self._member_id = self._new_id()
        self._says_all = True
        """Whether the next heartbeat has all fields: the response to the last one is lost, or something has changed."""

    @property
    def is_settled(self) -> bool:
        """Whether it is a member, and subscribes to all that it should."""
        return self.epoch > 0 and self._topics == self._all_topics

    def _new_id(self) -> str:
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))

    async def run(self) -> None:
        """Be a member, until it is over."""
        while not self.is_over:
            try:
                if not self.client.view.topic_ids.keys() >= set(self._all_topics):
                    await self.client.learn(list(self._all_topics))
                await self._heartbeat()
                if self.epoch > 0 and not await self.work.step(self._identity, self.assigned):
                    # The next heartbeat says what it is.
                    self.work.forget()
                if not self.is_calm:
                    await self._misbehave()
                elif self._topics != self._all_topics:
                    self._topics, self._says_all = self._all_topics, True
                await trio.sleep(self._rng.uniform(0.3, 1.0) * HEARTBEAT_S)
            except LinkLostError:
                await trio.sleep(self._rng.uniform(0.05, 0.4))
        self.group.gone(self._member_id)
        self.client.close()
        self.has_ended = True

    @property
    def _identity(self) -> Identity:
        return Identity(
            member_id=self._member_id,
            generation=self.epoch,
            instance_id=self._instance_id,
            is_classic=False,
        )

    def _begin_anew(self) -> None:
        self.group.gone(self._member_id)
        self.epoch, self.assigned, self._says_all = _JOINS, frozenset(), True
        self.work.forget()

    def _membership_ends(self) -> None:
        self._begin_anew()
        self._member_id = self._new_id()
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
            self.group.counts["members paused"] += 1
            await trio.sleep(self._rng.uniform(0.5, 2) * SESSION_S)
            if self.epoch > 0 and not await self.work.step(self._identity, self.assigned):
                self.work.forget()
        elif chance < 0.04:
            await self._leave()
        elif chance < 0.06:
            self._topics = self._all_topics if len(self._topics) == 1 else self._all_topics[:1]
            self._says_all = True

    # -- requests ------------------------------------------------------------------------------------------------

    def _request(self, epoch: int) -> Request:
        request = Request(
            group_id=self.group.group_id,
            member_id=self._member_id,
            member_epoch=epoch,
            instance_id=self._instance_id,
        )
        if self._says_all and epoch >= _JOINS:
            request.rebalance_timeout_ms = int(REBALANCE_S * 1000)
            if self._uses_expression:
                request.subscribed_topic_names = []
                request.subscribed_topic_regex = "|".join(self._topics)
            else:
                request.subscribed_topic_names = list(self._topics)
        if epoch >= _JOINS:
            request.topic_partitions = self._owned()
        return request

    def _owned(self) -> list[Request.TopicPartitions]:
        topics: dict[str, list[int]] = {}
        for name, index in sorted(self.assigned):
            topics.setdefault(name, []).append(index)
        ids = self.client.view.topic_ids
        return [
            Request.TopicPartitions(topic_id=ids[name], partitions=indexes)
            for name, indexes in topics.items()
        ]

    async def _heartbeat(self) -> None:
        host = await self.client.coordinator(GROUP, self.group.group_id)
        term, sent = self.group.term(host), trio.current_time()
        request, was_full = self._request(self.epoch), self._says_all
        if not was_full and self._rng.random() < 0.7:
            # What has not changed need not be said.
            request.topic_partitions = None
        self._says_all = True
        if request.subscribed_topic_names:
            self.group.subscribes(self._member_id, request.subscribed_topic_names)
        response = await self.client.ask_coordinator(GROUP, self.group.group_id, request)
        if trio.current_time() - sent > SESSION_S / 2:
            # It may be none any more, and asks again.
            return
        code = ErrorCode(response.error_code)
        if code in LOOK_AGAIN:
            self.client.forget(GROUP, self.group.group_id)
        elif code in _NO_MEMBER or (code is ErrorCode.GROUP_ID_NOT_FOUND and self.ends_with_its_membership):
            # Without its last member of this protocol, a group goes back to the classic one.
            self._begin_anew()
        elif code in _WAITS:
            self._begin_anew()
            await trio.sleep(0.3)
        elif code is not ErrorCode.NONE:
            self.group.unexpected(self.client.name, f"ConsumerGroupHeartbeat: {code.name}")
            # Excused: the group is lost with its partition. Whoever runs the client starts it again.
            self._begin_anew()
        else:
            self._says_all = False
            is_newest = term is not None and self.group.term(host) == term
            if request.subscribed_topic_names and is_newest:
                self.group.subscribed(self._member_id, request.subscribed_topic_names)
            self._take(response, sent, is_newest=is_newest)

    def _take(self, response: ConsumerGroupHeartbeatResponse, sent: float, *, is_newest: bool) -> None:
        self.epoch = response.member_epoch
        if is_newest:
            self.group.heard(self._member_id, sent)
        if response.assignment is None:
            return
        names = {topic_id: name for name, topic_id in self.client.view.topic_ids.items()}
        target = frozenset(
            (names[topic.topic_id], index)
            for topic in response.assignment.topic_partitions
            for index in topic.partitions
        )
        lost, new = self.assigned - target, target - self.assigned
        if lost:
            self.group.gave_up(self._member_id, lost)
            self.work.lose(lost)
        if new and not is_newest:
            # Nobody can say whether others have them; it asks again.
            target -= new
            self._says_all = True
        elif new:
            self.group.took(self._member_id, new)
        if target != self.assigned:
            self.assigned = target
            self._says_all = True

    async def _leave(self) -> None:
        is_back_soon = self._instance_id is not None and self._rng.random() < 0.7
        request = self._request(_LEAVES_FOR_A_WHILE if is_back_soon else _LEAVES)
        self._membership_ends()
        self.group.counts["members left"] += 1
        await self.client.ask_coordinator(GROUP, self.group.group_id, request)
        await trio.sleep(self._rng.uniform(0, 1))
