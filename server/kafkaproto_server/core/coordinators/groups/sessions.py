"""Members whose session ends are fenced: what consumer groups and share groups have in common.

A call is due for each member, not one for each heartbeat. It looks at the member's watch again when it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from kafkaproto_server.core.coordinators.values import CoordinatorError, Surroundings

RETRY_MS = 500
"""When a member is to be fenced and that cannot be written: time until the next attempt."""


@dataclass(slots=True)
class MemberSessionWatch:
    """When a member is fenced unless something happens. In memory only."""

    session_ends_ms: int = 0
    session_watched_ms: int | None = None
    """When the next call for the end of its session is due; None if none is."""


class _Watched(Protocol):
    @property
    def members(self) -> Mapping[str, Any]:
        """By member id."""

    @property
    def watches(self) -> dict[str, Any]:
        """By member id."""


GroupT = TypeVar("GroupT", bound=_Watched)
MemberT = TypeVar("MemberT")
WatchT = TypeVar("WatchT", bound=MemberSessionWatch)


class SessionWatches(Generic[GroupT, MemberT, WatchT]):
    """The watches over the members of all groups of one partition of the internal topic."""

    def __init__(
        self,
        surroundings: Surroundings,
        is_current: Callable[[GroupT], bool],
        fence: Callable[[GroupT, MemberT], None],
        new_watch: Callable[[], WatchT],
    ) -> None:
        """``fence`` removes a member, and raises CoordinatorError if it cannot be written."""
        self._surroundings = surroundings
        self._is_current = is_current
        self._fence = fence
        self._new_watch = new_watch

    def begin(self, group: GroupT, member_id: str, member: MemberT, timeout_ms: int) -> None:
        """This coordinator has taken over: the member has its whole session from now on."""
        self.extend(group, member_id, timeout_ms)

    def extend(self, group: GroupT, member_id: str, timeout_ms: int) -> None:
        """The member was heard from: its session ends after this time."""
        watch = self._watch(group, member_id)
        watch.session_ends_ms = self._surroundings.now_ms() + timeout_ms
        # A session may be shorter than the one before it: that one's call comes too late for it.
        if watch.session_watched_ms is None or watch.session_ends_ms < watch.session_watched_ms:
            self._watch_session(group, member_id, watch, watch.session_ends_ms)

    def _watch(self, group: GroupT, member_id: str) -> WatchT:
        watch: WatchT | None = group.watches.get(member_id)
        if watch is None:
            watch = group.watches[member_id] = self._new_watch()
        return watch

    def _watch_session(self, group: GroupT, member_id: str, watch: WatchT, at_ms: int) -> None:
        watch.session_watched_ms = at_ms
        self._surroundings.call_at(at_ms, partial(self._look_at_session, group, member_id, watch, at_ms))

    def _look_at_session(self, group: GroupT, member_id: str, watch: WatchT, at_ms: int) -> None:
        if watch.session_watched_ms != at_ms:
            # An earlier call was due since.
            return
        watch.session_watched_ms = None
        member = self._watched(group, member_id, watch)
        if member is None:
            return
        now_ms = self._surroundings.now_ms()
        if watch.session_ends_ms > now_ms:
            self._watch_session(group, member_id, watch, watch.session_ends_ms)
        elif not self._try_fence(group, member):
            self._watch_session(group, member_id, watch, now_ms + RETRY_MS)

    def _watched(self, group: GroupT, member_id: str, watch: WatchT) -> MemberT | None:
        """The member, if this watch is still about it."""
        if not self._is_current(group) or group.watches.get(member_id) is not watch:
            return None
        return group.members.get(member_id)

    def _try_fence(self, group: GroupT, member: MemberT) -> bool:
        try:
            self._fence(group, member)
        except CoordinatorError:
            return False
        return True
