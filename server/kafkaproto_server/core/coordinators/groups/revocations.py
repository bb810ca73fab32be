"""Members that are fenced by time in groups whose members give up what others are to get: sessions, and revocations.

A member that has something to revoke has its rebalance timeout for that. Consumer groups and streams groups have this
in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from kafkaproto_server.core.coordinators.groups.sessions import (
    RETRY_MS,
    GroupT,
    MemberSessionWatch,
    SessionWatches,
)


@dataclass(slots=True)
class RevocationWatch(MemberSessionWatch):
    """When a member is fenced unless something happens. In memory only."""

    revocation_ends_ms: int | None = None
    """When it has to have revoked what it should give up; None if there is nothing."""


class _RevokingMember(Protocol):
    @property
    def member_id(self) -> str:
        """Its id."""

    @property
    def epoch(self) -> int:
        """Its epoch: it goes to the next one when it has revoked everything."""

    @property
    def rebalance_timeout_ms(self) -> int:
        """How long it may take."""

    @property
    def must_revoke(self) -> bool:
        """Whether it has something to revoke, and is here."""


MemberT = TypeVar("MemberT", bound=_RevokingMember)
WatchT = TypeVar("WatchT", bound=RevocationWatch)


class RevocationWatches(SessionWatches[GroupT, MemberT, WatchT]):
    """The watches over the members of all groups of one partition of the internal topic."""

    def begin(self, group: GroupT, member_id: str, member: MemberT, timeout_ms: int) -> None:
        """This coordinator has taken over: the member has its whole session, and all its time to revoke, from now
        on."""
        self.extend(group, member_id, timeout_ms)
        self.expect_revocation(group, member)

    def expect_revocation(self, group: GroupT, member: MemberT) -> None:
        """If the member has something to revoke, it has its rebalance timeout for that from now on."""
        watch = self._watch(group, member.member_id)
        if not member.must_revoke:
            watch.revocation_ends_ms = None
            return
        watch.revocation_ends_ms = self._surroundings.now_ms() + member.rebalance_timeout_ms
        self._watch_revocation(group, member, watch, watch.revocation_ends_ms, watch.revocation_ends_ms)

    def _watch_revocation(
        self, group: GroupT, member: MemberT, watch: WatchT, ends_ms: int, at_ms: int
    ) -> None:
        look = partial(self._look_at_revocation, group, member.member_id, member.epoch, watch, ends_ms)
        self._surroundings.call_at(at_ms, look)

    def _look_at_revocation(
        self, group: GroupT, member_id: str, epoch: int, watch: WatchT, ends_ms: int
    ) -> None:
        member = self._watched(group, member_id, watch)
        # It has moved on, or was given more time.
        if member is None or member.epoch != epoch or watch.revocation_ends_ms != ends_ms:
            return
        if not self._try_fence(group, member):
            again_ms = self._surroundings.now_ms() + RETRY_MS
            self._watch_revocation(group, member, watch, ends_ms, again_ms)
