"""Members that come, go, are slow and lose responses: no task runs twice, all run in the end, the log says it all.

Tests: `core.coordinators.groups.streams.group`.
"""

from __future__ import annotations

from random import Random

import pytest

from kafkaproto_server.core.coordinators.groups.streams.group import StreamsState
from tests.core.coordinators.support.consumers import compacted
from tests.core.coordinators.support.derived import check_streams
from tests.core.coordinators.support.streams import (
    INTERVAL_MS,
    SESSION_MS,
    Client,
    Coordinator,
    persistent,
    subtopology,
    topology,
)

TOPOLOGY = topology(
    subtopology("0", ["a"], changelogs=["a-changelog"]),
    subtopology("1", ["b"], changelogs=["b-changelog"]),
    subtopology("2", ["a", "b"]),
)
COUNTS = {"a": 2, "a-changelog": 2, "b": 3, "b-changelog": 3}
TASKS = {("0", 0), ("0", 1), *(("1", each) for each in range(3)), *(("2", each) for each in range(3))}
STEPS = 120


class Play:
    """One run."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.coordinator = Coordinator(
            dict(COUNTS),
            num_standby_replicas=seed % 3,
            assignment_interval_ms=1_000 * (seed % 2),
            initial_rebalance_delay_ms=3_000 * (seed % 2),
        )
        self.clients = [
            Client(self.coordinator, name, f"p{self.rng.randrange(3)}", TOPOLOGY, is_static=name in "ab")
            for name in "abcd"
        ]

    def act(self) -> None:
        """One member, or the cluster, does something."""
        client = self.rng.choice(self.clients)
        kind = self.rng.choice(
            ["beat"] * 8
            + ["slow"] * 3
            + ["silent", "lost", "leave", "away", "expand", "move", "wait", "crash"]
        )
        if kind == "leave":
            client.leave()
        elif kind == "away" and client.instance_id is not None:
            client.leave(-2)
        elif kind == "expand" and self.coordinator.topics.counts["a"] < 3:
            self._expand()
        elif kind == "move":
            self._move()
        elif kind == "wait":
            self._wait()
        elif kind == "crash":
            # Its tasks are free once its session is over; until then it runs nothing.
            client.begin_anew()
        else:
            client.beat(is_lost=kind == "lost", is_slow=kind == "slow", is_silent=kind == "silent")
        self.check()

    def _wait(self) -> None:
        """Members whose sessions end meanwhile give up everything."""
        world = self.coordinator.world
        world.advance(INTERVAL_MS)
        for client in self.clients:
            if world.now_ms() - client.heard_ms >= SESSION_MS:
                client.begin_anew()

    def _expand(self) -> None:
        for name in ("a", "a-changelog"):
            self.coordinator.change_topic(name, 3)

    def _move(self) -> None:
        coordinator = self.coordinator
        before = {group_id: persistent(group) for group_id, group in coordinator.groups.groups.items()}
        records = coordinator.world.log.records()
        coordinator.move(self.rng.choice([records, compacted(records)]))
        assert {
            group_id: persistent(group) for group_id, group in coordinator.groups.groups.items()
        } == before

    def check(self) -> None:
        """No two members run a task, and no process has one twice."""
        for group in self.coordinator.groups.groups.values():
            check_streams(group, self.coordinator.world)
        running: dict[tuple[str, int], str] = {}
        for client in self.clients:
            for task in client.active():
                assert running.setdefault(task, client.name) == client.name, task

    def settle(self) -> None:
        """Everything is quiet: all tasks run, and the group is stable."""
        for client in self.clients:
            client.begin_anew()
        self.coordinator.world.advance(SESSION_MS)
        for _ in range(40):
            for client in self.clients:
                client.beat()
                self.check()
            self.coordinator.world.advance(INTERVAL_MS)


@pytest.mark.parametrize("seed", range(20))
def test_no_task_runs_twice_and_all_run_in_the_end(seed: int) -> None:
    play = Play(seed)
    for _ in range(STEPS):
        play.act()
    play.settle()
    expected = TASKS | ({("0", 2)} if play.coordinator.topics.counts["a"] == 3 else set())
    assert set().union(*(each.active() for each in play.clients)) == expected
    assert play.coordinator.group.state is StreamsState.STABLE
    for member in play.coordinator.group.members.values():
        assert member.assigned.without_epochs() == play.coordinator.group.targets[member.member_id]
