"""What a streams group (KIP-1071) promises beside what consumer groups do, and whether it was kept.

A task is known by the partition that it reads. A member has a task from the response that gives it until it has closed
it, or was told that it is no member, or has not been heard from for its session. No process has a task twice: its
members share the folder of the states.

As in Apache Kafka, tasks are told once. If that response is lost, the member does not know what it should give up, and
is fenced after its rebalance timeout without knowing that, either.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import trio

from tests.sim.nodes.coordination.promises import Coordinators, GroupPromises
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.invariants import NodeInvariant


@dataclass(slots=True)
class _Tasks:
    """The tasks of a member, as it sees them."""

    process_id: str
    active: set[Place] = field(default_factory=set)
    standby: set[Place] = field(default_factory=set)


class StreamsPromises(GroupPromises):
    """Of one streams group."""

    def __init__(self, group_id: str, coordinators: Coordinators, counts: Counter[str]) -> None:
        super().__init__(group_id, coordinators, counts)
        self._tasks: dict[str, _Tasks] = {}
        self._epochs: list[tuple[float, int]] = []
        """When members were told of each epoch that was higher than those before."""

    def in_epoch(self, member: str, before: int, epoch: int, sent: float) -> None:
        """The newest coordinator has told a member its epoch. ``before`` is what the request said, 0 for a member that
        joins: it is told the newest epoch for which tasks were assigned."""
        known = max((each for told, each in self._epochs if told < sent), default=0)
        lowest = before or known
        if epoch < lowest:
            what = f"{member} was in epoch {before}, and is told {epoch}; {known} was there before"
            self.violated(NodeInvariant.EPOCHS_GROW, what)
        if epoch > max((each for _, each in self._epochs), default=0):
            self._epochs.append((trio.current_time(), epoch))

    def took_tasks(
        self, member: str, process_id: str, active: frozenset[Place], standby: frozenset[Place]
    ) -> None:
        """The newest coordinator tells a member its tasks. These are those that it has not had."""
        self.took(member, active)
        self._holders[member].doubt_s = None
        now = trio.current_time()
        given = active | standby
        for other, tasks in self._tasks.items():
            both = sorted(given & (tasks.active | tasks.standby))
            if other != member and tasks.process_id == process_id and both and self.holds(other, now):
                what = f"{member} is given {both}, which {other} has, in the same process"
                self.violated(NodeInvariant.ONCE_IN_A_PROCESS, what)
        own = self._tasks.setdefault(member, _Tasks(process_id))
        own.active |= active
        own.standby = (own.standby - active) | standby

    def has_only(self, member: str, active: frozenset[Place], standby: frozenset[Place]) -> None:
        """A member has closed all others of its tasks, and is about to say so. An active one may be a standby replica
        now."""
        own = self._tasks[member]
        self.gave_up(member, frozenset(own.active) - active)
        own.active, own.standby = set(active), set(standby)

    def gone(self, member: str) -> None:
        """See `GroupPromises`."""
        super().gone(member)
        self._tasks.pop(member, None)
