"""Sessions of members of classic groups.

Members of other kinds have `SessionWatches`. Here a member is watched itself: it may wait for a response, and its
session does not end meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicMember
from kafkaproto_server.core.coordinators.groups.classic.table import ClassicTable
from kafkaproto_server.core.coordinators.values import Surroundings


class ClassicSessions:
    """When members are removed unless they are heard from."""

    def __init__(
        self,
        table: ClassicTable,
        surroundings: Surroundings,
        ended: Callable[[ClassicGroup, ClassicMember], None],
    ) -> None:
        """``ended`` is called when the session of a member has ended."""
        self._table = table
        self._surroundings = surroundings
        self._ended = ended

    def watch(self, group: ClassicGroup, member: ClassicMember, timeout_ms: int) -> None:
        """A member was heard from; its session ends after this time. One call is due for each member, not one for each
        heartbeat."""
        member.session_ends_ms = self._surroundings.now_ms() + timeout_ms
        # The first session is longer than those after it: its call would come too late for them.
        if member.watched_ms is None or member.session_ends_ms < member.watched_ms:
            self._watch_until(group, member, member.session_ends_ms)

    def _watch_until(self, group: ClassicGroup, member: ClassicMember, at_ms: int) -> None:
        member.watched_ms = at_ms
        self._surroundings.call_at(at_ms, partial(self._look_at, group, member, at_ms))

    def _look_at(self, group: ClassicGroup, member: ClassicMember, at_ms: int) -> None:
        if member.watched_ms != at_ms:
            # An earlier call is due, or was.
            return
        member.watched_ms = None
        if not self._table.is_current(group) or group.members.get(member.member_id) is not member:
            return
        if member.session_ends_ms > self._surroundings.now_ms():
            self._watch_until(group, member, member.session_ends_ms)
        elif member.is_waiting and not member.is_new:
            self.watch(group, member, member.session_timeout_ms)
        else:
            self._ended(group, member)
