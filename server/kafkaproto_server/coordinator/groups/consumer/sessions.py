"""Members that are fenced by time: their session ends, or they take too long to revoke partitions.

A call is due for each member, not one for each heartbeat. It looks at the member's `Watch` again when it comes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kafkaproto_server.coordinator.groups.consumer.group import ConsumerGroup, Watch
from kafkaproto_server.coordinator.groups.consumer.member import ConsumerMember, MemberState
from kafkaproto_server.coordinator.values import CoordinatorError, Surroundings

RETRY_MS = 500
"""When a member is to be fenced and that cannot be written: time until the next attempt."""


class Sessions:
    """The watches over the members of all groups of one partition of the internal topic."""

    def __init__(
        self,
        surroundings: Surroundings,
        is_current: Callable[[ConsumerGroup], bool],
        fence: Callable[[ConsumerGroup, ConsumerMember], None],
    ) -> None:
        """``fence`` removes a member, and raises CoordinatorError if it cannot be written."""
        self._surroundings = surroundings
        self._is_current = is_current
        self._fence = fence

    def extend(self, group: ConsumerGroup, member_id: str, timeout_ms: int) -> None:
        """The member was heard from: its session ends after this time."""
        watch = group.watches.setdefault(member_id, Watch())
        watch.session_ends_ms = self._surroundings.now_ms() + timeout_ms
        if not watch.is_session_watched:
            self._watch_session(group, member_id, watch, watch.session_ends_ms)

    def _watch_session(self, group: ConsumerGroup, member_id: str, watch: Watch, at_ms: int) -> None:
        watch.is_session_watched = True
        self._surroundings.call_at(at_ms, partial(self._look_at_session, group, member_id, watch))

    def _look_at_session(self, group: ConsumerGroup, member_id: str, watch: Watch) -> None:
        watch.is_session_watched = False
        member = self._watched(group, member_id, watch)
        if member is None:
            return
        now_ms = self._surroundings.now_ms()
        if watch.session_ends_ms > now_ms:
            self._watch_session(group, member_id, watch, watch.session_ends_ms)
        elif not self._try_fence(group, member):
            self._watch_session(group, member_id, watch, now_ms + RETRY_MS)

    def expect_revocation(self, group: ConsumerGroup, member: ConsumerMember) -> None:
        """If the member has partitions to revoke, it has its rebalance timeout for that from now on.

        A static member that is away has nothing to revoke, and one of the classic protocol has timeouts of its own.
        """
        watch = group.watches.setdefault(member.member_id, Watch())
        is_here = member.epoch >= 0 and not member.is_classic
        if member.state is not MemberState.UNREVOKED_PARTITIONS or not is_here:
            watch.revocation_ends_ms = None
            return
        watch.revocation_ends_ms = self._surroundings.now_ms() + member.rebalance_timeout_ms
        self._watch_revocation(group, member, watch, watch.revocation_ends_ms, watch.revocation_ends_ms)

    def _watch_revocation(
        self, group: ConsumerGroup, member: ConsumerMember, watch: Watch, ends_ms: int, at_ms: int
    ) -> None:
        look = partial(self._look_at_revocation, group, member.member_id, member.epoch, watch, ends_ms)
        self._surroundings.call_at(at_ms, look)

    def _look_at_revocation(
        self, group: ConsumerGroup, member_id: str, epoch: int, watch: Watch, ends_ms: int
    ) -> None:
        member = self._watched(group, member_id, watch)
        # It has moved on, or was given more time.
        if member is None or member.epoch != epoch or watch.revocation_ends_ms != ends_ms:
            return
        now_ms = self._surroundings.now_ms()
        if ends_ms > now_ms:
            self._watch_revocation(group, member, watch, ends_ms, ends_ms)
        elif not self._try_fence(group, member):
            self._watch_revocation(group, member, watch, ends_ms, now_ms + RETRY_MS)

    def expect_request(self, group: ConsumerGroup, member_id: str, timeout_ms: int | None) -> None:
        """A member of the classic protocol has so much time for its next JoinGroup or SyncGroup; None if it has all."""
        watch = group.watches.setdefault(member_id, Watch())
        watch.request_ends_ms = None if timeout_ms is None else self._surroundings.now_ms() + timeout_ms
        if watch.request_ends_ms is not None:
            self._watch_request(group, member_id, watch, watch.request_ends_ms, watch.request_ends_ms)

    def maybe_expect_request(self, group: ConsumerGroup, member_id: str, timeout_ms: int) -> None:
        """The same, unless one is due already."""
        watch = group.watches.setdefault(member_id, Watch())
        if watch.request_ends_ms is None:
            self.expect_request(group, member_id, timeout_ms)

    def _watch_request(
        self, group: ConsumerGroup, member_id: str, watch: Watch, ends_ms: int, at_ms: int
    ) -> None:
        self._surroundings.call_at(at_ms, partial(self._look_at_request, group, member_id, watch, ends_ms))

    def _look_at_request(self, group: ConsumerGroup, member_id: str, watch: Watch, ends_ms: int) -> None:
        member = self._watched(group, member_id, watch)
        if member is None or watch.request_ends_ms != ends_ms or not member.is_classic:
            return
        if not self._try_fence(group, member):
            again_ms = self._surroundings.now_ms() + RETRY_MS
            self._watch_request(group, member_id, watch, ends_ms, again_ms)

    def _watched(self, group: ConsumerGroup, member_id: str, watch: Watch) -> ConsumerMember | None:
        """The member, if this watch is still about it."""
        if not self._is_current(group) or group.watches.get(member_id) is not watch:
            return None
        return group.members.get(member_id)

    def _try_fence(self, group: ConsumerGroup, member: ConsumerMember) -> bool:
        try:
            self._fence(group, member)
        except CoordinatorError:
            return False
        return True
