"""Clients that are now members of the classic protocol and now of the consumer protocol (KIP-848), in one group: each
time that one crashes or leaves, it comes back with either."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.sim.nodes.coordination.classic_members import ClassicMember
from tests.sim.nodes.coordination.client import CoordinatedClient
from tests.sim.nodes.coordination.consumer_members import ConsumerMember
from tests.sim.nodes.coordination.promises import GroupPromises
from tests.sim.nodes.coordination.work import Work
from tests.sim.nodes.data.link import Place

Member = ClassicMember | ConsumerMember


class MovingMember:
    """One client."""

    def __init__(
        self, classic: Callable[[], ClassicMember], consumer: Callable[[], ConsumerMember], rng: random.Random
    ) -> None:
        """The functions make a member of one protocol, always with the same client and work."""
        self._kinds: tuple[Callable[[], Member], ...] = (classic, consumer)
        self._rng = rng
        self._member = self._next()
        self._is_over = self._is_calm = False

    def _next(self) -> Member:
        member = self._rng.choice(self._kinds)()
        member.ends_with_its_membership = True
        return member

    async def run(self) -> None:
        """Be a member, and another one, until it is over."""
        while True:
            await self._member.run()
            if self._is_over:
                return
            self.group.counts["members moved"] += 1
            self._member = self._next()
            self._member.is_calm = self._is_calm

    @property
    def client(self) -> CoordinatedClient:
        """Of all that it is."""
        return self._member.client

    @property
    def group(self) -> GroupPromises:
        """In which it is."""
        return self._member.group

    @property
    def work(self) -> Work:
        """What it does."""
        return self._member.work

    @property
    def assigned(self) -> frozenset[Place]:
        """The partitions that it has."""
        return self._member.assigned

    @property
    def is_settled(self) -> bool:
        """Whether it has what it subscribes to."""
        return self._member.is_settled

    @property
    def is_calm(self) -> bool:
        """Whether it stays what it is."""
        return self._is_calm

    @is_calm.setter
    def is_calm(self, is_calm: bool) -> None:
        self._is_calm = self._member.is_calm = is_calm

    @property
    def is_over(self) -> bool:
        """Whether it is to end."""
        return self._is_over

    @is_over.setter
    def is_over(self, is_over: bool) -> None:
        self._is_over = self._member.is_over = is_over
