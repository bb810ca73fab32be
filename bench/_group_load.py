"""Many members of one group: how soon all have their partitions, and what that costs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bench._group_servers import GROUPS, Brokers
from bench._members import GROUP, ClassicMembers, ConsumerMembers, Crowd
from bench._parts import Measurements

ROUNDS = 5
"""Medians are of so many."""
SETTLES_WITHIN = 400
"""Heartbeats of each member."""
FORMED_AT_ONCE = {"group.initial.rebalance.delay.ms": "2000"}
"""So that the first generation of a classic group has all members."""
TOPIC = "work"


def _timed(brokers: Brokers, what: str, do: Callable[[], float | None]) -> Measurements:
    """Seconds that something takes, or says that it took, and what it costs the broker."""
    brokers.begin_turns()
    cpu, begin = brokers.servers.cpu_s(), time.perf_counter()
    told_s = do()
    taken_s = time.perf_counter() - begin
    return {
        f"{what}, s": taken_s if told_s is None else told_s,
        f"{what}: CPU s": brokers.servers.cpu_s() - cpu,
        f"{what}: longest turn, ms": brokers.longest_turn_ms(),
    }


def classic(implementation: str, folder: Path, members: int) -> Measurements:
    """A member joins a stable classic group, and leaves it; every other member hears of it at once."""
    with Brokers(implementation, folder, 1, FORMED_AT_ONCE) as brokers:
        brokers.servers.create(TOPIC, members)
        with closing(Crowd(brokers.coordinator(GROUP, GROUPS), members)) as crowd:
            group = ClassicMembers(crowd, TOPIC)
            last = members - 1

            def joins() -> float:
                group.join(last)
                group.hear()
                return group.rebalance()

            def leaves() -> None:
                group.leave(last)
                group.hear()
                group.rebalance()

            found: list[Measurements] = []
            group.begin(range(last))
            group.rebalance()
            for _ in range(ROUNDS):
                group.begin([last])
                measured = _timed(brokers, "last join to all assigned", joins)
                found.append(measured | _timed(brokers, "one leaves until stable", leaves))
            return {key: statistics.median(each[key] for each in found) for key in found[0]}


def consumer(implementation: str, folder: Path, members: int) -> Measurements:
    """All members join a consumer group, then one leaves. They send heartbeats without pause."""
    with Brokers(implementation, folder, 1, {}) as brokers:
        brokers.servers.create(TOPIC, members)
        with closing(Crowd(brokers.coordinator(GROUP, GROUPS), members)) as crowd:
            group = ConsumerMembers(crowd, TOPIC, members)

            def settle() -> None:
                group.settle(SETTLES_WITHIN)

            def leaves() -> None:
                group.leave([members - 1])
                settle()

            rounds: list[Measurements] = []
            for _ in range(ROUNDS):
                found = _timed(brokers, "all join", lambda: group.join(range(members)))
                found |= _timed(brokers, "last join to all assigned", settle)
                rounds.append(found | _timed(brokers, "one leaves until stable", leaves))
                group.leave(range(members - 1))
            return {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
