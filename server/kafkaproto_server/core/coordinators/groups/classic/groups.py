"""The classic protocol of groups: members join, the one that leads assigns partitions, and all fetch what is theirs.

What one member asks is decided here; `rebalances` has what concerns all of a group. Apache Kafka has this in
classicGroupJoin of GroupMetadataManager, and its siblings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import GroupMetadataKey, GroupMetadataValue
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.core.coordinators.groups.classic.config import ClassicGroupConfig
from kafkaproto_server.core.coordinators.groups.classic.describe import (
    described_classic,
    unknown_classic,
    values_of_classic,
)
from kafkaproto_server.core.coordinators.groups.classic.group import (
    ClassicGroup,
    ClassicMember,
    ClassicState,
    no_group_record,
)
from kafkaproto_server.core.coordinators.groups.classic.pending_members import PendingMembers, id_key
from kafkaproto_server.core.coordinators.groups.classic.rebalances import Rebalances
from kafkaproto_server.core.coordinators.groups.classic.static_members import StaticMembers
from kafkaproto_server.core.coordinators.groups.classic.table import ClassicTable
from kafkaproto_server.core.coordinators.groups.counted import CountedGroups
from kafkaproto_server.core.coordinators.groups.kinds import PartitionCheck, accept
from kafkaproto_server.core.coordinators.groups.offsets.expiration import (
    CONSUMER_PROTOCOL_TYPE,
    Expiration,
    classic_expiration,
)
from kafkaproto_server.core.coordinators.groups.subscriptions import is_subscribed, subscribed_topics
from kafkaproto_server.core.coordinators.values import (
    CoordinatorError,
    CoordinatorLog,
    Record,
    Surroundings,
)
from kafkaproto_server.requests.group_requests import (
    UNKNOWN_MEMBER,
    DescribedGroup,
    GroupListing,
    Joined,
    JoinValues,
    Synced,
    SyncOutcome,
    SyncValues,
)
from kafkaproto_server.requests.offset_requests import Committer, OffsetReader

NEW_MEMBER_TIMEOUT_MS = 300_000
"""How long a member that joins for the first time may wait for its response. Its client may be gone, and nothing else
would show that."""

MAX_PREFIX_BYTES = 32_000
"""What a member's id may begin with: with the UUID behind it, a string has at most 32,767 bytes."""


class ClassicGroups:
    """Decides for the groups of one partition of the internal topic. Implements `GroupKind`."""

    key_types = (GroupMetadataKey,)
    keeps_offsets = True

    def __init__(
        self,
        config: Callable[[], ClassicGroupConfig],
        log: CoordinatorLog,
        surroundings: Surroundings,
        metrics: GroupMetrics,
    ) -> None:
        self._config = config
        self._surroundings = surroundings
        self._table = ClassicTable(surroundings)
        self.rebalances = Rebalances(self._table, config, log, surroundings, metrics)
        self._static_members = StaticMembers(self._table, self.rebalances, log)
        self._pending = PendingMembers(surroundings, self._pending_gone)
        self.has_offsets: Callable[[str], bool] = lambda _: False
        """Whether offsets are kept for a group."""

    # -- what is asked of each kind ------------------------------------------------------------------------------

    @property
    def groups(self) -> CountedGroups[ClassicGroup]:
        """By their names."""
        return self._table.groups

    def is_empty(self, group_id: str) -> bool:
        """Whether there is a group of this name, and it has no members: it gives its name to a group of another
        kind."""
        group = self.groups.get(group_id)
        return group is not None and group.state is ClassicState.EMPTY

    def replay(self, group_id: str, key: Message, value: Message | None) -> None:
        """Take over the record of a group."""
        if value is None:
            self.groups.discard(group_id)
        else:
            assert isinstance(value, GroupMetadataValue), "it is the key's value"
            self.groups[group_id] = ClassicGroup.from_record(group_id, value)

    def take_over(self, end_offset: int) -> None:
        """Its responses wait for no record that was read."""

    def begin_sessions(self, group_id: str) -> None:
        """This coordinator has taken over: all members have their whole sessions from now on."""
        group = self.groups[group_id]
        for member in group.members.values():
            self.rebalances.sessions.watch(group, member, member.session_timeout_ms)

    def unload(self) -> CountedGroups[ClassicGroup]:
        """Another broker coordinates these groups now. Returns them: `end` is to be called with each."""
        return self._table.unload()

    def topics_changed(self, changed: frozenset[str], group_id: str) -> None:
        """Its leader looks at the topics itself."""

    def deletion_records(self, group_id: str) -> list[Record]:
        """The record that removes a group. Raises CoordinatorError (NON_EMPTY_GROUP)."""
        if self.groups[group_id].state is not ClassicState.EMPTY:
            raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
        return [no_group_record(group_id)]

    def check_fetch(self, group_id: str, reader: OffsetReader) -> None:
        """Everybody may."""

    def uses_topic(self, group_id: str) -> Callable[[str], bool]:
        group = self.groups[group_id]
        if group.members and group.protocol_type != CONSUMER_PROTOCOL_TYPE:
            # Nobody knows which topics its members use.
            raise CoordinatorError(ErrorCode.NON_EMPTY_GROUP)
        return partial(is_subscribed, group)

    def expiration(self, group_id: str) -> Expiration | None:
        group = self.groups[group_id]
        return classic_expiration(group, subscribed_topics(group))

    def listed(self) -> Iterator[GroupListing]:
        """All groups, in no order. Each is looked at when its turn comes."""
        for group in tuple(self.groups.values()):
            yield GroupListing(group.group_id, group.protocol_type or "", group.state.value, "classic")

    def described(self, group_id: str) -> DescribedGroup:
        """A group, or why there is none of this name."""
        group = self.groups.get(group_id)
        return unknown_classic(group_id) if group is None else described_classic(group)

    def described_values(self, group_id: str) -> int:
        return values_of_classic(self.groups[group_id])

    def existing(self, group_id: str) -> ClassicGroup:
        """A group with members, or that had some. Raises CoordinatorError."""
        if not group_id:
            raise CoordinatorError(ErrorCode.INVALID_GROUP_ID)
        group = self.groups.get(group_id)
        if group is None:
            raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)
        return group

    # -- JoinGroup -----------------------------------------------------------------------------------------------

    def join(self, group: ClassicGroup, values: JoinValues, joined: Joined) -> None:
        """Take a member in, or let it join the next generation. ``joined`` is called now or later.

        Raises CoordinatorError.
        """
        names = [name for name, _ in values.protocols]
        if not group.supports(values.protocol_type, names):
            raise CoordinatorError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if not group.has_room(values.member_id, self._config().max_size):
            group.pending_ids.discard(id_key(values.member_id))
            raise CoordinatorError(ErrorCode.GROUP_MAX_SIZE_REACHED)
        if values.member_id == UNKNOWN_MEMBER:
            self._join_new(group, values, joined)
        else:
            self._join_known(group, values, joined)
        self.rebalances.maybe_complete_join(group)

    def _join_new(self, group: ClassicGroup, values: JoinValues, joined: Joined) -> None:
        prefix = values.group_instance_id or values.client_id
        member_id = f"{prefix}-{self._surroundings.new_id()}"
        if values.group_instance_id is not None:
            old_id = group.static_ids.get(values.group_instance_id)
            if old_id is not None:
                self._static_members.replace(group, group.members[old_id], member_id, values, joined)
                return
        elif values.needs_known_id:
            self._pending.hand_out(group, member_id, values.session_timeout_ms)
            raise CoordinatorError(ErrorCode.MEMBER_ID_REQUIRED, member_id)
        self._add_and_rebalance(group, member_id, values, joined)

    def _pending_gone(self, group: ClassicGroup) -> None:
        """A group does not wait for a member any more that has an id and did not come."""
        if not self._table.is_current(group):
            return
        self.rebalances.maybe_complete_join(group)
        if group.is_unused and not self.has_offsets(group.group_id):
            self.groups.discard(group.group_id)

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
                joined(self.rebalances.joined(group, member))
        elif group.leader_id == member_id or has_changed:
            # The leader joins again if it sees that topics have changed.
            self._update_and_rebalance(group, member, values, joined)
        else:
            joined(self.rebalances.joined(group, member, is_told_members=False))

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
        self.rebalances.answer_join(member, joined)
        self.rebalances.sessions.watch(group, member, NEW_MEMBER_TIMEOUT_MS)
        self.rebalances.rebalance(group)

    def _update_and_rebalance(
        self, group: ClassicGroup, member: ClassicMember, values: JoinValues, joined: Joined
    ) -> None:
        group.set_protocols(member, values.protocols)
        member.rebalance_timeout_ms = values.rebalance_timeout_ms
        member.session_timeout_ms = values.session_timeout_ms
        self.rebalances.answer_join(member, joined)
        self.rebalances.rebalance(group)

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
            self.rebalances.sessions.watch(group, member, member.session_timeout_ms)
            synced(self.rebalances.synced(group, member))
            return
        if member.syncing is not None:
            member.syncing(SyncOutcome(ErrorCode.UNKNOWN_MEMBER_ID))
        member.syncing = synced
        if group.leader_id == member.member_id:
            self.rebalances.assign(group, dict(values.assignments))

    # -- Heartbeat, OffsetCommit, LeaveGroup ---------------------------------------------------------------------

    def heartbeat(
        self, group: ClassicGroup, member_id: str, instance_id: str | None, generation: int
    ) -> None:
        """A member lives. Raises CoordinatorError, also if it has to join again."""
        member = self.checked_member(group, member_id, instance_id, generation)
        self.rebalances.sessions.watch(group, member, member.session_timeout_ms)
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

    def check_commit(self, group_id: str, committer: Committer, *, is_transactional: bool) -> PartitionCheck:
        """A commit shows that its member lives."""
        self._check_committer(self.groups[group_id], committer, is_transactional=is_transactional)
        return accept

    def _check_committer(self, group: ClassicGroup, committer: Committer, *, is_transactional: bool) -> None:
        """Raises CoordinatorError unless these offsets may be committed."""
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
                self.rebalances.sessions.watch(group, member, member.session_timeout_ms)
        elif not is_transactional:
            # Producers of before KIP-447 do not know of members.
            raise CoordinatorError(ErrorCode.UNKNOWN_MEMBER_ID)

    def leave(self, group: ClassicGroup, members: Iterable[tuple[str, str | None]]) -> list[ErrorCode]:
        """Members leave, each named by its id or its instance id. Returns the result for each."""
        results = [self._leave_one(group, member_id, instance_id) for member_id, instance_id in members]
        if ErrorCode.NONE in results:
            self.rebalances.rebalance_or_end(group)
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
        self.rebalances.answer_gone(group, member)
        return ErrorCode.NONE

    def end(self, group: ClassicGroup, code: ErrorCode) -> None:
        """The coordinator is elsewhere now, or the group is deleted: whoever waits is told so."""
        self.rebalances.end(group, code)


def check_join(group_id: str, values: JoinValues, config: ClassicGroupConfig) -> None:
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
