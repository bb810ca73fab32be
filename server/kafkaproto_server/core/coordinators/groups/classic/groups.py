"""The classic protocol of groups: members join, the one that leads assigns partitions, and all fetch what is theirs.

A generation begins with a rebalance. Everybody has to join again within the longest rebalance timeout of the members;
whoever does not is removed, unless it is static (KIP-345). Then the leader gets the list of all members and sends back
an assignment for each, which the coordinator keeps as a record and hands out. The partition's log decides: if the
record cannot be written, there is another rebalance.

The first rebalance of an empty group waits for `group.initial.rebalance.delay.ms`, and again for as long as members
come, so that not each of a hundred that start together makes all others join again (KIP-134).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicMember, ClassicState
from kafkaproto_server.core.coordinators.groups.classic.pending_members import PendingMembers, id_key
from kafkaproto_server.core.coordinators.groups.config import GroupConfig
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.values import CoordinatorError, CoordinatorLog, Surroundings
from kafkaproto_server.requests.group_requests import (
    UNKNOWN_MEMBER,
    Joined,
    JoinOutcome,
    JoinValues,
    Synced,
    SyncOutcome,
    SyncValues,
)
from kafkaproto_server.requests.offset_requests import Committer

NEW_MEMBER_TIMEOUT_MS = 300_000
"""How long a member that joins for the first time may wait for its response. Its client may be gone, and nothing else
would show that."""

MIN_STATIC_WAIT_MS = 1_000
"""How long static members are waited for at least before it is looked again whether one has come. Their rebalance
timeouts may be 0."""
MAX_PREFIX_BYTES = 32_000
"""What a member's id may begin with: with the UUID behind it, a string has at most 32,767 bytes."""


class ClassicGroups:
    """Decides for the groups of one partition of the internal topic. `GroupShard` owns them."""

    def __init__(
        self,
        config: Callable[[], GroupConfig],
        log: CoordinatorLog,
        surroundings: Surroundings,
        groups: CountedGroups[ClassicGroup],
        metrics: GroupMetrics,
    ) -> None:
        """``groups`` are those that there are; others are no more."""
        self._config = config
        self._log = log
        self._surroundings = surroundings
        self._groups = groups
        self._metrics = metrics
        self._pending = PendingMembers(surroundings, self._pending_gone)
        self.has_offsets: Callable[[str], bool] = lambda _: False
        """Whether offsets are kept for a group."""

    def unload(self, none: CountedGroups[ClassicGroup]) -> None:
        """Another broker coordinates these groups now: from now on there are none."""
        self._groups = none

    def _is_current(self, group: ClassicGroup) -> bool:
        return self._groups.get(group.group_id) is group

    def _become(self, group: ClassicGroup, state: ClassicState) -> None:
        group.become(state, self._surroundings.wall_ms())
        self._groups.changed(group)

    # -- JoinGroup -----------------------------------------------------------------------------------------------

    def join(self, group: ClassicGroup, values: JoinValues, joined: Joined) -> None:
        """Take a member in, or let it join the next generation. ``joined`` is called now or later.

        Raises CoordinatorError.
        """
        names = [name for name, _ in values.protocols]
        if not group.supports(values.protocol_type, names):
            raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if not self._has_room(group, values.member_id):
            group.pending_ids.discard(id_key(values.member_id))
            raise CoordinatorError(ErrorCode.GROUP_MAX_SIZE_REACHED)
        if values.member_id == UNKNOWN_MEMBER:
            self._join_new(group, values, joined)
        else:
            self._join_known(group, values, joined)
        self._maybe_complete_join(group)

    def _has_room(self, group: ClassicGroup, member_id: str) -> bool:
        """Whether the group may take a member in, or the member is in it already and not behind the limit."""
        limit = self._config().max_size
        member = group.members.get(member_id)
        if group.state is ClassicState.EMPTY or len(group.members) < limit:
            return True
        if group.state is ClassicState.PREPARING_REBALANCE:
            # Those count that have joined anew: after a limit was lowered, the first to come stay.
            waiting = sum(each.joining is not None for each in group.members.values())
            return (member is not None and member.joining is not None) or waiting < limit
        return member is not None

    def _join_new(self, group: ClassicGroup, values: JoinValues, joined: Joined) -> None:
        prefix = values.group_instance_id or values.client_id
        member_id = f"{prefix}-{self._surroundings.new_id()}"
        if values.group_instance_id is not None:
            old_id = group.static_ids.get(values.group_instance_id)
            if old_id is not None:
                self._replace_static(group, group.members[old_id], member_id, values, joined)
                return
        elif values.needs_known_id:
            self._pending.hand_out(group, member_id, values.session_timeout_ms)
            raise CoordinatorError(ErrorCode.MEMBER_ID_REQUIRED, member_id)
        self._add_and_rebalance(group, member_id, values, joined)

    def _pending_gone(self, group: ClassicGroup) -> None:
        """A group does not wait for a member any more that has an id and did not come."""
        if not self._is_current(group):
            return
        self._maybe_complete_join(group)
        if group.is_unused and not self.has_offsets(group.group_id):
            self._groups.discard(group.group_id)

    def _join_known(self, group: ClassicGroup, values: JoinValues, joined: Joined) -> None:
        member_id = values.member_id
        if id_key(member_id) in group.pending_ids:
            group.pending_ids.discard(id_key(member_id))
            self._add_and_rebalance(group, member_id, values, joined)
            return
        member = self._member(group, member_id, values.group_instance_id)
        has_changed = member.protocols != values.protocols
        if group.state is ClassicState.PREPARING_REBALANCE:
            self._update_and_rebalance(group, member, values, joined)
        elif group.state is ClassicState.COMPLETING_REBALANCE:
            if has_changed:
                self._update_and_rebalance(group, member, values, joined)
            else:
                # Its client did not get the response.
                joined(self._joined(group, member))
        elif group.leader_id == member_id or has_changed:
            # The leader joins again if it sees that topics have changed.
            self._update_and_rebalance(group, member, values, joined)
        else:
            joined(self._joined(group, member, is_told_members=False))

    def _member(self, group: ClassicGroup, member_id: str, instance_id: str | None) -> ClassicMember:
        """A member, by what a request says of it. Raises CoordinatorError."""
        if instance_id is not None:
            known = group.static_ids.get(instance_id)
            if known is None:
                raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)
            if known != member_id:
                raise CoordinatorError(ErrorCode.FENCED_INSTANCE_ID)
        member = group.members.get(member_id)
        if member is None:
            raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)
        return member

    def _add_and_rebalance(
        self, group: ClassicGroup, member_id: str, values: JoinValues, joined: Joined
    ) -> None:
        member = ClassicMember(
            member_id=member_id,
            group_instance_id=values.group_instance_id,
            client_id=values.client_id,
            client_host=values.client_host,
            rebalance_timeout_ms=values.rebalance_timeout_ms,
            session_timeout_ms=values.session_timeout_ms,
            protocols=values.protocols,
        )
        group.protocol_type = values.protocol_type
        if group.state is ClassicState.PREPARING_REBALANCE and group.waits_for_delay:
            group.has_new_member = True
        group.add(member)
        self._answer_join(member, joined)
        self._watch(group, member, NEW_MEMBER_TIMEOUT_MS)
        self.rebalance(group)

    def _update_and_rebalance(
        self, group: ClassicGroup, member: ClassicMember, values: JoinValues, joined: Joined
    ) -> None:
        group.set_protocols(member, values.protocols)
        member.rebalance_timeout_ms = values.rebalance_timeout_ms
        member.session_timeout_ms = values.session_timeout_ms
        self._answer_join(member, joined)
        self.rebalance(group)

    def _answer_join(self, member: ClassicMember, joined: Joined) -> None:
        """A member waits for the next generation. An earlier request of it gets an answer: its client has given up."""
        if member.joining is not None:
            member.joining(JoinOutcome(ErrorCode.UNKNOWN_MEMBER_ID, member.member_id))
        member.joining = joined

    def _replace_static(
        self, group: ClassicGroup, member: ClassicMember, new_id: str, values: JoinValues, joined: Joined
    ) -> None:
        """A static member was started anew: it is the same member, under another id."""
        fenced = ErrorCode.FENCED_INSTANCE_ID
        if member.joining is not None:
            member.joining(JoinOutcome(fenced, member.member_id))
            member.joining = None
        if member.syncing is not None:
            member.syncing(SyncOutcome(fenced))
            member.syncing = None
        is_leader = group.leader_id == member.member_id
        before = member.protocols
        group.replace_static(member, new_id)
        group.set_protocols(member, values.protocols)
        member.client_id, member.client_host = values.client_id, values.client_host
        member.rebalance_timeout_ms = values.rebalance_timeout_ms
        member.session_timeout_ms = values.session_timeout_ms
        if group.state is ClassicState.STABLE and self._means_the_same(group, member, before):
            self._keep_replaced(group, member, is_leader, before, values, joined)
            return
        self._answer_join(member, joined)
        self._watch(group, member, member.session_timeout_ms)
        self.rebalance(group)

    @staticmethod
    def _means_the_same(
        group: ClassicGroup, member: ClassicMember, before: tuple[tuple[str, bytes], ...]
    ) -> bool:
        """Whether the group would choose the protocol that it has, and the member says the same with it."""
        if group.choose_protocol() != group.protocol:
            return False
        return dict(before).get(group.protocol) == dict(member.protocols).get(group.protocol)

    def _keep_replaced(
        self,
        group: ClassicGroup,
        member: ClassicMember,
        is_leader: bool,
        before: tuple[tuple[str, bytes], ...],
        values: JoinValues,
        joined: Joined,
    ) -> None:
        """The generation goes on with the member's new id, once that is kept."""
        assignments = {each.member_id: each.assignment for each in group.members.values()}
        try:
            end_offset = self._log.append([group.record(assignments)])
        except CoordinatorError:
            group.set_protocols(member, before)
            raise

        new_id, generation = member.member_id, group.generation

        def kept(code: ErrorCode) -> None:
            if code is not ErrorCode.NONE:
                joined(JoinOutcome(code, new_id))
            elif not self._is_current(group) or group.members.get(new_id) is not member:
                # It is gone, or was started anew once more.
                joined(JoinOutcome(ErrorCode.UNKNOWN_MEMBER_ID, new_id))
            elif group.state is not ClassicState.STABLE or group.generation != generation:
                self._answer_join(member, joined)
                self.rebalance(group)
                self._maybe_complete_join(group)
            else:
                skips = is_leader and values.knows_skipping
                # A leader of an older client has to be told that it does not lead, or it would assign anew.
                leader_id = values.member_id if is_leader and not skips else None
                joined(
                    self._joined(
                        group, member, is_told_members=skips, skip_assignment=skips, leader_id=leader_id
                    )
                )

        self._watch(group, member, member.session_timeout_ms)
        self._log.when_committed(end_offset, kept)

    @staticmethod
    def _joined(
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

    # -- rebalances ----------------------------------------------------------------------------------------------

    def rebalance(self, group: ClassicGroup) -> None:
        """Begin a rebalance, unless there is one."""
        if group.state is ClassicState.PREPARING_REBALANCE:
            return
        if group.state is ClassicState.COMPLETING_REBALANCE:
            self._end_syncs(group, ErrorCode.REBALANCE_IN_PROGRESS)
        is_first = group.state is ClassicState.EMPTY
        self._become(group, ClassicState.PREPARING_REBALANCE)
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
            self._is_current(group)
            and group.state is ClassicState.PREPARING_REBALANCE
            and group.rebalance == rebalance
        )

    def _maybe_complete_join(self, group: ClassicGroup) -> None:
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
        self._groups.changed(group)
        if group.state is ClassicState.EMPTY:
            self._keep_empty(group)
            return
        for member in waiting:
            assert member.joining is not None, "it waits"
            joined, member.joining = member.joining, None
            member.is_new = False
            self._watch(group, member, member.session_timeout_ms)
            joined(self._joined(group, member))
        self._wait_for_syncs(group)

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
            if not self._is_current(group) or group.generation != generation or not group.unsynced:
                return
            if group.state not in (ClassicState.COMPLETING_REBALANCE, ClassicState.STABLE):
                return
            for member_id in tuple(group.unsynced):
                group.remove(group.members[member_id])
            group.unsynced.clear()
            self.rebalance_or_end(group)

        self._surroundings.call_at(self._surroundings.now_ms() + group.rebalance_timeout_ms, over)

    def rebalance_or_end(self, group: ClassicGroup) -> None:
        """Members are gone: the others take over what was theirs."""
        if group.state in (ClassicState.STABLE, ClassicState.COMPLETING_REBALANCE):
            self._rebalance_without(group)
        else:
            self._maybe_complete_join(group)

    def _rebalance_without(self, group: ClassicGroup) -> None:
        if group.members:
            self.rebalance(group)
            return
        self._end_syncs(group, ErrorCode.REBALANCE_IN_PROGRESS)
        self._become(group, ClassicState.PREPARING_REBALANCE)
        group.rebalance += 1
        self._complete_join(group)

    # -- SyncGroup -----------------------------------------------------------------------------------------------

    def sync(self, group: ClassicGroup, values: SyncValues, synced: Synced) -> None:
        """A member asks for its assignment; the leader brings those of all. ``synced`` is called now or later.

        Raises CoordinatorError.
        """
        member = self.checked_member(group, values.member_id, values.group_instance_id, values.generation)
        if values.protocol_type is not None and values.protocol_type != group.protocol_type:
            raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if values.protocol is not None and values.protocol != group.protocol:
            raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if group.state is ClassicState.PREPARING_REBALANCE:
            raise CoordinatorError(ErrorCode.REBALANCE_IN_PROGRESS)
        group.unsynced.discard(member.member_id)
        if group.state is ClassicState.STABLE:
            self._watch(group, member, member.session_timeout_ms)
            synced(self._synced(group, member))
            return
        if member.syncing is not None:
            member.syncing(SyncOutcome(ErrorCode.UNKNOWN_MEMBER_ID))
        member.syncing = synced
        if group.leader_id == member.member_id:
            self._assign(group, dict(values.assignments))

    def _assign(self, group: ClassicGroup, assignments: dict[str, bytes]) -> None:
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
                not self._is_current(group)
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
            self._become(group, ClassicState.STABLE)
            self._metrics.completed_rebalances += 1
            for member in tuple(group.members.values()):
                if member.syncing is not None:
                    synced, member.syncing = member.syncing, None
                    self._watch(group, member, member.session_timeout_ms)
                    synced(self._synced(group, member))

        self._log.when_committed(end_offset, kept)

    @staticmethod
    def _synced(group: ClassicGroup, member: ClassicMember) -> SyncOutcome:
        return SyncOutcome(ErrorCode.NONE, member.assignment, group.protocol_type, group.protocol)

    def _end_syncs(self, group: ClassicGroup, code: ErrorCode) -> None:
        """Nobody gets an assignment of this generation."""
        for member in group.members.values():
            member.assignment = b""
            if member.syncing is not None:
                synced, member.syncing = member.syncing, None
                self._watch(group, member, member.session_timeout_ms)
                synced(SyncOutcome(code))

    # -- Heartbeat, LeaveGroup -----------------------------------------------------------------------------------

    def heartbeat(
        self, group: ClassicGroup, member_id: str, instance_id: str | None, generation: int
    ) -> None:
        """A member lives. Raises CoordinatorError, also if it has to join again."""
        member = self.checked_member(group, member_id, instance_id, generation)
        self._watch(group, member, member.session_timeout_ms)
        if group.state is ClassicState.PREPARING_REBALANCE:
            raise CoordinatorError(ErrorCode.REBALANCE_IN_PROGRESS)

    def checked_member(
        self, group: ClassicGroup, member_id: str, instance_id: str | None, generation: int
    ) -> ClassicMember:
        """A member of this generation. Raises CoordinatorError."""
        member = self._member(group, member_id, instance_id)
        if generation != group.generation:
            raise CoordinatorError(ErrorCode.ILLEGAL_GENERATION)
        return member

    def check_commit(self, group: ClassicGroup, committer: Committer, *, is_transactional: bool) -> None:
        """Raises CoordinatorError unless these offsets may be committed. A commit shows that its member lives."""
        if committer.generation < 0 and group.state is ClassicState.EMPTY:
            # An administrator, or a consumer that only keeps its offsets here.
            return
        if committer.generation >= 0 or committer.member_id or committer.group_instance_id is not None:
            member = self.checked_member(
                group, committer.member_id, committer.group_instance_id, committer.generation
            )
            if group.state is ClassicState.COMPLETING_REBALANCE and not is_transactional:
                # It has to fetch its assignment first, and may have lost these partitions.
                raise CoordinatorError(ErrorCode.REBALANCE_IN_PROGRESS)
            if not is_transactional:
                self._watch(group, member, member.session_timeout_ms)
        elif not is_transactional:
            # Producers of before KIP-447 do not know of members.
            raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)

    def leave(self, group: ClassicGroup, members: Iterable[tuple[str, str | None]]) -> list[ErrorCode]:
        """Members leave, each named by its id or its instance id. Returns the result for each."""
        results = [self._leave_one(group, member_id, instance_id) for member_id, instance_id in members]
        if ErrorCode.NONE in results:
            self.rebalance_or_end(group)
        return results

    def _leave_one(self, group: ClassicGroup, member_id: str, instance_id: str | None) -> ErrorCode:
        if instance_id is None and id_key(member_id) in group.pending_ids:
            group.pending_ids.discard(id_key(member_id))
            return ErrorCode.NONE
        try:
            # An administrator names static members by their instance ids alone.
            known = member_id or group.static_ids.get(instance_id or "", "")
            member = self._member(group, known, instance_id)
        except CoordinatorError as error:
            return error.code
        self._answer_gone(group, member)
        return ErrorCode.NONE

    def _answer_gone(self, group: ClassicGroup, member: ClassicMember) -> None:
        """Remove a member, whose requests get an answer."""
        code = ErrorCode.UNKNOWN_MEMBER_ID
        if member.joining is not None:
            member.joining(JoinOutcome(code, member.member_id))
            member.joining = None
        if member.syncing is not None:
            member.syncing(SyncOutcome(code))
            member.syncing = None
        group.remove(member)

    # -- sessions ------------------------------------------------------------------------------------------------

    def begin_sessions(self, group: ClassicGroup) -> None:
        """This coordinator has taken over: all members have their whole sessions from now on."""
        for member in group.members.values():
            self._watch(group, member, member.session_timeout_ms)

    def _watch(self, group: ClassicGroup, member: ClassicMember, timeout_ms: int) -> None:
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
        if not self._is_current(group) or group.members.get(member.member_id) is not member:
            return
        if member.session_ends_ms > self._surroundings.now_ms():
            self._watch_until(group, member, member.session_ends_ms)
        elif member.is_waiting and not member.is_new:
            self._watch(group, member, member.session_timeout_ms)
        else:
            self._answer_gone(group, member)
            self.rebalance_or_end(group)

    def end(self, group: ClassicGroup, code: ErrorCode) -> None:
        """The coordinator is elsewhere now, or the group is deleted: whoever waits is told so."""
        self._become(group, ClassicState.DEAD)
        for member in group.members.values():
            if member.joining is not None:
                joined, member.joining = member.joining, None
                joined(JoinOutcome(code, member.member_id))
            if member.syncing is not None:
                synced, member.syncing = member.syncing, None
                synced(SyncOutcome(code))


def check_join(group_id: str, values: JoinValues, config: GroupConfig) -> None:
    """Raises CoordinatorError if a JoinGroup request makes no sense for any group."""
    if not group_id:
        raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
    if not config.min_session_timeout_ms <= values.session_timeout_ms <= config.max_session_timeout_ms:
        raise CoordinatorError(ErrorCode.INVALID_SESSION_TIMEOUT)
    if not values.protocol_type or not values.protocols:
        raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    prefix = values.group_instance_id or values.client_id
    if len(prefix.encode(errors="surrogatepass")) > MAX_PREFIX_BYTES:
        raise CoordinatorError(ErrorCode.INVALID_REQUEST)
