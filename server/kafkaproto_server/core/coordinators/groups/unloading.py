"""Ends and frees the groups of a partition that another broker coordinates now, in turns of a few milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.values import Surroundings

AT_ONCE = 1_000
"""How many groups and members of classic groups are dealt with in one turn."""


def let_go(
    surroundings: Surroundings,
    classic: CountedGroups[ClassicGroup],
    others: Sequence[CountedGroups[Any]],
    end: Callable[[ClassicGroup], None],
) -> None:
    """Call ``end`` with each classic group, then free all groups. Nobody finds them any more."""
    ending = iter(classic.values())
    tables = [classic, *others]

    def go_on() -> None:
        most = AT_ONCE
        for group in ending:
            group.counted = None
            end(group)
            most -= 1 + len(group.members)
            if most <= 0:
                break
        while tables and (most := tables[-1].let_go(most)) > 0:
            tables.pop()
            # An empty one takes its time, too.
            most -= 1
        if tables:
            surroundings.call_at(surroundings.now_ms() + 1, go_on)

    go_on()
