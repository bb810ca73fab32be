"""What one heartbeat changes: the records so far, and the member as they make it. The group itself stays as it is."""

from __future__ import annotations

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.membership import (
    check_released,
    dynamic_member,
    static_member,
)
from kafkaproto_server.core.coordinators.groups.modern.group import NO_EPOCH
from kafkaproto_server.core.coordinators.groups.streams import records as write
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsSettings
from kafkaproto_server.core.coordinators.groups.streams.group import (
    NO_TARGET,
    StreamsGroup,
    StreamsState,
)
from kafkaproto_server.core.coordinators.groups.streams.internal_topics import ConfiguredTopology
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMember
from kafkaproto_server.core.coordinators.groups.streams.reconciliation import next_step
from kafkaproto_server.core.coordinators.groups.streams.status import Status, StatusCode
from kafkaproto_server.core.coordinators.groups.streams.targets import StreamsQuestion
from kafkaproto_server.core.coordinators.groups.streams.topology import Topology
from kafkaproto_server.core.coordinators.groups.streams.validation import check_epoch
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record
from kafkaproto_server.requests.streams_group_requests import (
    JOIN_EPOCH,
    StreamsHeartbeatValues,
    TaskSets,
)


class StreamsChange:
    """The changes of one heartbeat."""

    def __init__(self, group: StreamsGroup, records: list[Record]) -> None:
        self.group = group
        self.records = records
        self.epoch = group.epoch
        self.member = self._before = StreamsMember(member_id="")
        self.statuses: list[Status] = []
        self.question: StreamsQuestion | None = None
        """What is to be computed once the records are written: the targets of a large group."""
        self.has_stepped = False
        self.replaced_id: str | None = None
        """The static member whose place the member takes under another id."""

    def members(self) -> dict[str, StreamsMember]:
        """The group's members in the order of their ids, with the member of this heartbeat as it is now: behind the
        others if it is new."""
        found = dict(sorted(self.group.members.items()))
        if self.replaced_id is not None:
            found.pop(self.replaced_id, None)
        found[self.member.member_id] = self.member
        return found

    def targets(self) -> dict[str, TaskSets]:
        """The group's targets; who takes the place of a static member takes its target, too."""
        found = dict(self.group.targets)
        if self.replaced_id is not None:
            target = found.pop(self.replaced_id, None)
            if target is not None:
                found[self.member.member_id] = target
        return found

    @property
    def has_other_tasks(self) -> bool:
        """Whether the member is assigned other tasks than before."""
        return self.member.assigned != self._before.assigned

    @property
    def has_other_endpoint(self) -> bool:
        """Whether the member has another endpoint than before."""
        return self.member.user_endpoint != self._before.user_endpoint

    def find_member(self, values: StreamsHeartbeatValues) -> None:
        """The member as it was, or a new one. Raises CoordinatorError."""
        group, member_id = self.group, values.member_id
        is_joining = values.member_epoch == JOIN_EPOCH
        known = group.members.get(member_id)
        new = known or StreamsMember(member_id=member_id, process_id="")
        if values.instance_id is None:
            member = new if is_joining else dynamic_member(group, member_id)
            check_epoch(member, values)
        elif is_joining:
            old = group.static_member(values.instance_id)
            if old is None:
                member = new
            else:
                check_released(old, values.instance_id)
                member = self._replace(old, member_id)
        else:
            member = static_member(group, values.instance_id, member_id)
            check_epoch(member, values)
        self.member = self._before = member

    def _replace(self, old: StreamsMember, member_id: str) -> StreamsMember:
        """A static member is back under a new member id, and keeps what it had."""
        group_id = self.group.group_id
        member = msgspec.structs.replace(old, member_id=member_id, epoch=0, previous_epoch=0)
        target = self.group.targets.get(old.member_id, NO_TARGET)
        self.records += write.removal_records(group_id, old.member_id)
        self.records.append(write.member_record(group_id, member))
        self.records.append(write.target_record(group_id, member_id, target))
        self.records.append(write.current_record(group_id, member))
        if member_id != old.member_id:
            self.replaced_id = old.member_id
        return member

    def update_member(self, values: StreamsHeartbeatValues) -> bool:
        """Take over what the request says of the member. Returns whether tasks are to be assigned anew because of that:
        a static member that is back may have another address without that."""
        old = self.member
        new = self.member = _updated(old, values)
        if new == old:
            return False
        self.records.append(write.member_record(self.group.group_id, new))
        return values.instance_id is None or _weighs(new) != _weighs(old)

    def update_topology(self, values: StreamsHeartbeatValues) -> Topology:
        """The topology of the group with this heartbeat. Raises CoordinatorError (INVALID_REQUEST)."""
        known = self.group.topology
        if values.topology is None:
            if known is None:
                # Compaction does not take it; somebody has.
                raise CoordinatorError(ErrorCode.UNKNOWN_SERVER_ERROR)
            return known
        given = Topology(values.topology)
        if known is None:
            self.records.append(write.topology_record(self.group.group_id, values.topology))
            return given
        if known.epoch <= given.epoch and known != given:
            raise CoordinatorError(
                ErrorCode.INVALID_REQUEST,
                f"The group has a topology with epoch {known.epoch}, and cannot get another one with epoch"
                f" {given.epoch} yet.",
            )
        return known

    def note_stale_topology(self) -> None:
        """Tell a member that its topology is older than the group's."""
        known = self.group.topology
        if known is not None and self.member.topology_epoch < known.epoch:
            detail = f"The member's topology has epoch {self.member.topology_epoch}, the group's has {known.epoch}."
            self.statuses.append(Status(StatusCode.STALE_TOPOLOGY, detail))

    def maybe_grow_epoch(
        self,
        settings: StreamsSettings,
        metadata_hash: int,
        configured: ConfiguredTopology,
        *,
        has_changed: bool,
    ) -> bool:
        """If the member, topics or settings have changed, the next assignment is for another group epoch.

        Returns whether it grows only because a member of a stable group has not what the target gives it.
        """
        group, member = self.group, self.member
        validated_epoch = configured.epoch if configured.is_ready else NO_EPOCH
        configs = settings.assignment_configs
        is_due = (
            has_changed
            or metadata_hash != group.metadata_hash
            or validated_epoch != group.validated_topology_epoch
            or configs != group.assignment_configs
        )
        is_refined = (
            not is_due
            and group.state is StreamsState.STABLE
            and group.targets.get(member.member_id, NO_TARGET) != member.assigned.without_epochs()
        )
        if is_due or is_refined:
            self.epoch += 1
            self.records.append(
                write.epoch_record(
                    group,
                    self.epoch,
                    metadata_hash=metadata_hash,
                    validated_topology_epoch=validated_epoch,
                    assignment_configs=configs,
                )
            )
        return is_refined

    def step(self, target_epoch: int, target: TaskSets, reported: TaskSets | None) -> None:
        """Let the member take its next step. Raises CoordinatorError (FENCED_MEMBER_EPOCH)."""
        member = self.member
        if member.is_reconciled_to(target_epoch):
            return
        self.member = next_step(
            member, self.group, target_epoch=target_epoch, target=target, reported=reported
        )
        self.has_stepped = self.member != member
        if self.has_stepped:
            self.records.append(write.current_record(self.group.group_id, self.member))


def _weighs(member: StreamsMember) -> object:
    """What of a member the assignor looks at."""
    return member.topology_epoch, member.rack_id, member.client_tags, member.process_id


def _updated(member: StreamsMember, values: StreamsHeartbeatValues) -> StreamsMember:
    is_joining = values.member_epoch == JOIN_EPOCH
    timeout_ms, tags = values.rebalance_timeout_ms, values.client_tags
    return msgspec.structs.replace(
        member,
        instance_id=member.instance_id if values.instance_id is None else values.instance_id,
        rack_id=member.rack_id if values.rack_id is None else values.rack_id,
        rebalance_timeout_ms=member.rebalance_timeout_ms if timeout_ms == -1 else timeout_ms,
        topology_epoch=member.topology_epoch if values.topology is None else values.topology.epoch,
        client_id=values.client_id,
        client_host=values.client_host,
        process_id=member.process_id if values.process_id is None else values.process_id,
        client_tags=member.client_tags if tags is None else tuple(sorted(tags)),
        user_endpoint=(
            member.user_endpoint if values.user_endpoint is None and not is_joining else values.user_endpoint
        ),
    )
