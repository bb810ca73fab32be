"""Generations of classic groups: a rebalance begins, members join again, the leader assigns, and all are told.

Everybody has to join again within the longest rebalance timeout of the members; whoever does not is removed, unless it
is static (KIP-345). Then the leader gets the list of all members and sends back an assignment for each, which the
coordinator keeps as a record and hands out. The partition's log decides: if the record cannot be written, there is
another rebalance.

The first rebalance of an empty group waits for `group.initial.rebalance.delay.ms`, and again for as long as members
come, so that not each of a hundred that start together makes all others join again (KIP-134).

Apache Kafka has this in prepareRebalance and completeClassicGroupJoin of GroupMetadataManager, and their siblings.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.classic.config import ClassicGroupConfig
from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicMember, ClassicState
from kafkaproto_server.core.coordinators.groups.classic.sessions import ClassicSessions
from kafkaproto_server.core.coordinators.groups.classic.table import ClassicTable
from kafkaproto_server.core.coordinators.values import CoordinatorError, CoordinatorLog, Surroundings
from kafkaproto_server.requests.group_requests import Joined, JoinOutcome, SyncOutcome

MIN_STATIC_WAIT_MS = 1_000
"""How long static members are waited for at least before it is looked again whether one has come. Their rebalance
timeouts may be 0."""


class Rebalances:
    """The rebalances of the groups of one partition of the internal topic."""

    def __init__(
        self,
        table: ClassicTable,
        config: Callable[[], ClassicGroupConfig],
        log: CoordinatorLog,
        surroundings: Surroundings,
        metrics: GroupMetrics,
    ) -> None:
        self._table = table
        self._config = config
        self._log = log
        self._surroundings = surroundings
        self._metrics = metrics
        self.sessions = ClassicSessions(table, surroundings, self._session_ended)

    # -- the members join ----------------------------------------------------------------------------------------

    def rebalance(self, group: ClassicGroup) -> None:
        """Begin a rebalance, unless there is one."""
        if group.state is ClassicState.PREPARING_REBALANCE:
            return
        if group.state is ClassicState.COMPLETING_REBALANCE:
            self._end_syncs(group, ErrorCode.REBALANCE_IN_PROGRESS)
        is_first = group.state is ClassicState.EMPTY
        self._table.become(group, ClassicState.PREPARING_REBALANCE)
        group.rebalance += 1
        group.waits_for_delay = is_first
        if is_first:
            delay_ms = self._config().initial_rebalance_delay_ms
            group.has_new_member = False
            self._wait_for_first(group, group.rebalance, delay_ms, group.rebalance_timeout_ms)
        else:
            self._wait_for_all(group)

    def _wait_for_first(self, group: ClassicGroup, rebalance: int, delay_ms: int, left_ms: int) -> None:
        """Complete the first rebalance after the delay, or later if members came meanwhile."""
        delay_ms = min(delay_ms, left_ms)

        def over() -> None:
            if not self._is_in_rebalance(group, rebalance):
                return
            remaining_ms = left_ms - delay_ms
            if group.has_new_member and remaining_ms > 0:
                group.has_new_member = False
                self._wait_for_first(
                    group, rebalance, self._config().initial_rebalance_delay_ms, remaining_ms
                )
            else:
                self._complete_join(group)

        self._surroundings.call_at(self._surroundings.now_ms() + delay_ms, over)

    def _wait_for_all(self, group: ClassicGroup, min_ms: int = 0) -> None:
        if group.has_all_joined:
            self._complete_join(group)
            return
        rebalance = group.rebalance

        def over() -> None:
            if self._is_in_rebalance(group, rebalance):
                self._complete_join(group)

        delay_ms = max(group.rebalance_timeout_ms, min_ms)
        self._surroundings.call_at(self._surroundings.now_ms() + delay_ms, over)

    def _is_in_rebalance(self, group: ClassicGroup, rebalance: int) -> bool:
        return (
            self._table.is_current(group)
            and group.state is ClassicState.PREPARING_REBALANCE
            and group.rebalance == rebalance
        )

    def answer_join(self, member: ClassicMember, joined: Joined) -> None:
        """A member waits for the next generation. An earlier request of it gets an answer: its client has given up."""
        if member.joining is not None:
            member.joining(JoinOutcome(ErrorCode.UNKNOWN_MEMBER_ID, member.member_id))
        member.joining = joined

    def maybe_complete_join(self, group: ClassicGroup) -> None:
        """Complete a rebalance in which nobody else is waited for; that of an empty group takes its time."""
        is_rebalancing = group.state is ClassicState.PREPARING_REBALANCE
        if is_rebalancing and not group.waits_for_delay and group.has_all_joined:
            self._complete_join(group)

    def _complete_join(self, group: ClassicGroup) -> None:
        """The rebalance's time is over, or all have joined."""
        for member in tuple(group.members.values()):
            if member.joining is None and member.group_instance_id is None:
                group.remove(member)
        waiting = [member for member in group.members.values() if member.joining is not None]
        if group.members and not waiting:
            # Only static members are left, and none is here: they are waited for until their sessions end.
            group.rebalance += 1
            self._wait_for_all(group, MIN_STATIC_WAIT_MS)
            return
        if waiting and group.leader_id not in {each.member_id for each in waiting}:
            group.leader_id = waiting[0].member_id
        group.begin_generation(self._surroundings.wall_ms())
        self._table.groups.changed(group)
        if group.state is ClassicState.EMPTY:
            self._keep_empty(group)
            return
        for member in waiting:
            assert member.joining is not None, "it waits"
            joined, member.joining = member.joining, None
            member.is_new = False
            self.sessions.watch(group, member, member.session_timeout_ms)
            joined(self.joined(group, member))
        self._wait_for_syncs(group)

    @staticmethod
    def joined(
        group: ClassicGroup,
        member: ClassicMember,
        *,
        is_told_members: bool = True,
        skip_assignment: bool = False,
        leader_id: str | None = None,
    ) -> JoinOutcome:
        """What a member hears of the generation."""
        assert group.protocol is not None, "a generation with members has a protocol"
        is_leader = group.leader_id == member.member_id
        members = [
            (each.member_id, each.group_instance_id, each.metadata_of(group.protocol))
            for each in (group.members.values() if is_leader and is_told_members else ())
        ]
        return JoinOutcome(
            code=ErrorCode.NONE,
            member_id=member.member_id,
            generation=group.generation,
            protocol_type=group.protocol_type,
            protocol=group.protocol,
            leader_id=(group.leader_id or "") if leader_id is None else leader_id,
            skip_assignment=skip_assignment,
            members=members,
        )

    def _keep_empty(self, group: ClassicGroup) -> None:
        try:
            self._log.append([group.record({})])
        except CoordinatorError:
            # The next coordinator finds members that are gone, and their sessions end.
            return

    def _wait_for_syncs(self, group: ClassicGroup) -> None:
        """Members that do not fetch their assignments are removed after a while (KAFKA-13435)."""
        generation = group.generation

        def over() -> None:
            if not self._table.is_current(group) or group.generation != generation or not group.unsynced:
                return
            if group.state not in (ClassicState.COMPLETING_REBALANCE, ClassicState.STABLE):
                return
            for member_id in tuple(group.unsynced):
                group.remove(group.members[member_id])
            group.unsynced.clear()
            self.rebalance_or_end(group)

        self._surroundings.call_at(self._surroundings.now_ms() + group.rebalance_timeout_ms, over)

    # -- the leader assigns --------------------------------------------------------------------------------------

    def assign(self, group: ClassicGroup, assignments: dict[str, bytes]) -> None:
        """The leader has assigned: that is kept, then all are told."""
        generation = group.generation
        try:
            end_offset = self._log.append([group.record(assignments)])
        except CoordinatorError as error:
            self._end_syncs(group, error.code)
            self.rebalance(group)
            return

        def kept(code: ErrorCode) -> None:
            # It may have begun another generation meanwhile, and told everybody.
            if (
                not self._table.is_current(group)
                or group.state is not ClassicState.COMPLETING_REBALANCE
                or group.generation != generation
            ):
                return
            if code is not ErrorCode.NONE:
                self._end_syncs(group, code)
                self.rebalance(group)
                return
            for member in group.members.values():
                member.assignment = assignments.get(member.member_id, b"")
            self._table.become(group, ClassicState.STABLE)
            self._metrics.completed_rebalances += 1
            for member in tuple(group.members.values()):
                if member.syncing is not None:
                    synced, member.syncing = member.syncing, None
                    self.sessions.watch(group, member, member.session_timeout_ms)
                    synced(self.synced(group, member))

        self._log.when_committed(end_offset, kept)

    @staticmethod
    def synced(group: ClassicGroup, member: ClassicMember) -> SyncOutcome:
        return SyncOutcome(ErrorCode.NONE, member.assignment, group.protocol_type, group.protocol)

    def _end_syncs(self, group: ClassicGroup, code: ErrorCode) -> None:
        """Nobody gets an assignment of this generation."""
        for member in group.members.values():
            member.assignment = b""
            if member.syncing is not None:
                synced, member.syncing = member.syncing, None
                self.sessions.watch(group, member, member.session_timeout_ms)
                synced(SyncOutcome(code))

    # -- members go ----------------------------------------------------------------------------------------------

    def rebalance_or_end(self, group: ClassicGroup) -> None:
        """Members are gone: the others take over what was theirs."""
        if group.state in (ClassicState.STABLE, ClassicState.COMPLETING_REBALANCE):
            self._rebalance_without(group)
        else:
            self.maybe_complete_join(group)

    def _rebalance_without(self, group: ClassicGroup) -> None:
        if group.members:
            self.rebalance(group)
            return
        self._end_syncs(group, ErrorCode.REBALANCE_IN_PROGRESS)
        self._table.become(group, ClassicState.PREPARING_REBALANCE)
        group.rebalance += 1
        self._complete_join(group)

    def _session_ended(self, group: ClassicGroup, member: ClassicMember) -> None:
        self.answer_gone(group, member)
        self.rebalance_or_end(group)

    def answer_gone(self, group: ClassicGroup, member: ClassicMember) -> None:
        """Remove a member, whose requests get an answer."""
        code = ErrorCode.UNKNOWN_MEMBER_ID
        if member.joining is not None:
            member.joining(JoinOutcome(code, member.member_id))
            member.joining = None
        if member.syncing is not None:
            member.syncing(SyncOutcome(code))
            member.syncing = None
        group.remove(member)

    def end(self, group: ClassicGroup, code: ErrorCode) -> None:
        """The coordinator is elsewhere now, or the group is deleted: whoever waits is told so."""
        self._table.become(group, ClassicState.DEAD)
        for member in group.members.values():
            if member.joining is not None:
                joined, member.joining = member.joining, None
                joined(JoinOutcome(code, member.member_id))
            if member.syncing is not None:
                synced, member.syncing = member.syncing, None
                synced(SyncOutcome(code))
