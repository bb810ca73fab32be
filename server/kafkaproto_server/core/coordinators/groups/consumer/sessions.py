"""Members of consumer groups that are fenced by time: a session ends, or partitions take too long to be revoked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup, Watch
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember
from kafkaproto_server.core.coordinators.groups.revocations import RevocationWatches
from kafkaproto_server.core.coordinators.groups.sessions import RETRY_MS
from kafkaproto_server.core.coordinators.values import Surroundings


class Sessions(RevocationWatches[ConsumerGroup, ConsumerMember, Watch]):
    """The watches over the members of all groups of one partition of the internal topic."""

    def __init__(
        self,
        surroundings: Surroundings,
        is_current: Callable[[ConsumerGroup], bool],
        fence: Callable[[ConsumerGroup, ConsumerMember], None],
    ) -> None:
        super().__init__(surroundings, is_current, fence, Watch)

    def expect_request(self, group: ConsumerGroup, member_id: str, timeout_ms: int | None) -> None:
        """A member of the classic protocol has so much time for its next JoinGroup or SyncGroup; None if it has all."""
        watch = self._watch(group, member_id)
        watch.request_ends_ms = None if timeout_ms is None else self._surroundings.now_ms() + timeout_ms
        if watch.request_ends_ms is not None:
            self._watch_request(group, member_id, watch, watch.request_ends_ms, watch.request_ends_ms)

    def maybe_expect_request(self, group: ConsumerGroup, member_id: str, timeout_ms: int) -> None:
        """The same, unless one is due already."""
        watch = self._watch(group, member_id)
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
