"""Clients that send what comes too late, or is for somebody else, and look at what they are told."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Sequence

import trio

from kafkaproto.error_codes import ErrorCode
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.coordination.client import CoordinatedClient
from tests.sim.nodes.data.link import LinkLostError, make_topic
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.late.cases import (
    PARTITIONS,
    PASSING,
    PREFIX,
    SECOND_TOPIC,
    TOPIC,
    Case,
    NotBegunError,
    Scene,
    error_codes,
)
from tests.sim.nodes.late.classic_groups import ClassicScene
from tests.sim.nodes.late.consumer_groups import ConsumerScene
from tests.sim.nodes.late.share_groups import ShareGroupScene
from tests.sim.nodes.late.share_records import ShareRecordsScene
from tests.sim.nodes.late.share_states import ShareStateScene
from tests.sim.nodes.late.streams_groups import StreamsScene
from tests.sim.nodes.late.transactions import OpenScene, RestingScene
from tests.sim.nodes.network import NetHost

SCENES: Sequence[type[Scene]] = (
    ClassicScene,
    OpenScene,
    ConsumerScene,
    ShareRecordsScene,
    StreamsScene,
    RestingScene,
    ShareGroupScene,
    ShareStateScene,
)
PAUSE_S = 0.01
"""Mean, between two requests."""
LOADING_S = 2.0
"""A coordinator has read its log by then."""
_MIN_ISR = 2


class Programme:
    """Which scenes come next, for all clients of a run."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._next: list[type[Scene]] = []
        self._number = 0
        self._missing = set(SCENES)
        """Nobody has played them through."""
        self._playing: list[type[Scene]] = []

    def take(self, *, is_over: bool) -> tuple[type[Scene], int] | None:
        """One of those that were played least, and a number that no other one has. ``is_over``: only if nobody has
        played it; None if there is none left."""
        if is_over:
            self._next = [each for each in SCENES if each in self._missing and each not in self._playing]
            if not self._next:
                return None
        elif not self._next:
            self._next = self._rng.sample(SCENES, len(SCENES))
        self._number += 1
        self._playing.append(self._next.pop())
        return self._playing[-1], self._number

    def ended(self, scene: type[Scene], *, was_played: bool) -> None:
        """A scene has ended, perhaps before it had begun."""
        self._playing.remove(scene)
        if was_played:
            self._missing.discard(scene)


class LateClient:
    """Plays scenes, one after the other, until it is over and every scene was played."""

    def __init__(
        self,
        net: NetHost,
        hosts: Sequence[Host],
        rng: random.Random,
        programme: Programme,
        counts: Counter[str],
        replicas: int,
        is_excused: Callable[[], bool],
    ) -> None:
        """``counts``: of the answers. ``replicas``: of each topic. ``is_excused``: whether coordinators may have lost
        what they knew."""
        self.address = net.address
        self.is_over = False
        self.has_ended = False
        self.answers: Counter[str] = Counter()
        """How often the requests of each case got an answer of their own, and not one of `PASSING`."""
        self._net = net
        self._hosts = [host for host in hosts if host.is_broker]
        self._rng = rng
        self._programme = programme
        self._counts = counts
        self._replicas = replicas
        self._is_excused = is_excused
        self._client = CoordinatedClient(net, hosts, rng)

    @property
    def state(self) -> str:
        """In words."""
        return f"{self._net.name} has had {sum(self.answers.values())} answers, and still asks"

    async def run(self) -> None:
        """Make the topics, and play."""
        for name in (TOPIC, SECOND_TOPIC):
            configs = {"min.insync.replicas": str(_MIN_ISR)}
            await make_topic(self._net, self._hosts, name, PARTITIONS, self._replicas, configs)
        while (taken := self._programme.take(is_over=self.is_over)) is not None:
            kind, number = taken
            was_played = False
            try:
                was_played = await self._play(kind(self._client, self._rng, f"{PREFIX}{number}"))
            except (NotBegunError, LinkLostError):
                # Where coordinators have lost what they knew, nobody waits for anything.
                was_played = self.is_over and self._is_excused()
                await trio.sleep(self._rng.uniform(0.05, 0.3))
            self._programme.ended(kind, was_played=was_played)
        self._client.close()
        self.has_ended = True

    async def _play(self, scene: Scene) -> bool:
        """Returns True once all is sent, or nothing is as it was. Raises NotBegunError and LinkLostError if it cannot
        begin."""
        await self._client.learn([TOPIC, SECOND_TOPIC])
        await scene.begin()
        self._counts["late scenes"] += 1
        for case in self._rng.sample(scene.CASES, len(scene.CASES)):
            try:
                if not scene.is_certain:
                    await scene.look()
                    if not scene.is_certain:
                        return True
                await self._send(scene, case)
            except NotBegunError:
                return True
            except LinkLostError:
                # The next coordinator gets the next one.
                pass
            await trio.sleep(self._rng.expovariate(1 / PAUSE_S))
        with contextlib.suppress(NotBegunError, LinkLostError):
            await scene.end()
        return True

    async def _send(self, scene: Scene, case: Case, *, is_second: bool = False) -> None:
        response = await scene.send(case.request(scene), case.version)
        found = error_codes(response)
        if found <= case.codes:
            self.answers[case.name] += 1
            self._counts["late requests refused"] += 1
            return
        self._counts["late requests with other answers"] += 1
        if found <= case.codes | scene.GONE | PASSING or not scene.is_certain or self._is_excused():
            return
        if case.may_pass_at_load and found == {ErrorCode.NONE} and not is_second:
            await trio.sleep(LOADING_S)
            await scene.look()
            await self._send(scene, case, is_second=True)
            return
        said = ", ".join(sorted(each.name for each in found))
        raise ViolationError(NodeInvariant.LATE_REQUESTS_REFUSED, f"{self._net.name}: {case.name}: {said}")
