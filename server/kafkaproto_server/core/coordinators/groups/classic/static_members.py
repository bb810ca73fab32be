"""Static members of classic groups that are started anew (KIP-345)."""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup, ClassicMember, ClassicState
from kafkaproto_server.core.coordinators.groups.classic.rebalances import Rebalances
from kafkaproto_server.core.coordinators.groups.classic.table import ClassicTable
from kafkaproto_server.core.coordinators.values import CoordinatorError, CoordinatorLog
from kafkaproto_server.requests.group_requests import Joined, JoinOutcome, JoinValues, SyncOutcome


class StaticMembers:
    """Gives static members that are back the place that they had."""

    def __init__(self, table: ClassicTable, rebalances: Rebalances, log: CoordinatorLog) -> None:
        self._table = table
        self._rebalances = rebalances
        self._log = log

    def replace(
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
        self._rebalances.answer_join(member, joined)
        self._rebalances.sessions.watch(group, member, member.session_timeout_ms)
        self._rebalances.rebalance(group)

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
            elif not self._table.is_current(group) or group.members.get(new_id) is not member:
                # It is gone, or was started anew once more.
                joined(JoinOutcome(ErrorCode.UNKNOWN_MEMBER_ID, new_id))
            elif group.state is not ClassicState.STABLE or group.generation != generation:
                self._rebalances.answer_join(member, joined)
                self._rebalances.rebalance(group)
                self._rebalances.maybe_complete_join(group)
            else:
                skips = is_leader and values.knows_skipping
                # A leader of an older client has to be told that it does not lead, or it would assign anew.
                leader_id = values.member_id if is_leader and not skips else None
                joined(
                    self._rebalances.joined(
                        group, member, is_told_members=skips, skip_assignment=skips, leader_id=leader_id
                    )
                )

        self._rebalances.sessions.watch(group, member, member.session_timeout_ms)
        self._log.when_committed(end_offset, kept)
