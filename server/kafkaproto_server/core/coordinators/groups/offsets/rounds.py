"""Looks at all groups of a partition, or some of them, in turns of a few milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import chain

from kafkaproto_server.core.coordinators.groups.offsets.offsets import GONE_AT_ONCE
from kafkaproto_server.core.coordinators.values import CoordinatorError, Surroundings

GROUPS_AT_ONCE = 100
"""How many groups are looked at in one turn."""
OFFSETS_SEEN_PER_GONE = 20
"""How many offsets are looked at in the time in which one is deleted."""


class GroupRounds:
    """Looks at groups until another broker coordinates them."""

    def __init__(self, surroundings: Surroundings, offset_count: Callable[[str], int]) -> None:
        """``offset_count`` is the number of offsets of a group."""
        self._surroundings = surroundings
        self._offset_count = offset_count
        self._is_over = False

    def unload(self) -> None:
        """Another broker coordinates these groups now."""
        self._is_over = True

    def look_at_each(
        self, group_ids: Iterable[str], look: Callable[[str], int | None], done: Callable[[], None]
    ) -> None:
        """Call ``look`` with each group, some at a time; go on if it raises CoordinatorError.

        If it returns the number of offsets that it has deleted, a turn has fewer groups the more offsets these have.
        After `GONE_AT_ONCE` there may be more, so it is called again.
        """
        rest = iter(group_ids)

        def look_at_some() -> None:
            nonlocal rest
            if self._is_over:
                return
            work = 0
            for _ in range(GROUPS_AT_ONCE):
                group_id = next(rest, None)
                if group_id is None:
                    done()
                    return
                work += self._offset_count(group_id) // OFFSETS_SEEN_PER_GONE
                gone = 0
                with suppress(CoordinatorError):
                    gone = look(group_id) or 0
                if gone >= GONE_AT_ONCE:
                    rest = chain([group_id], rest)
                work += gone
                if work >= GONE_AT_ONCE:
                    break
            self._surroundings.call_at(self._surroundings.now_ms() + 1, look_at_some)

        look_at_some()
