"""The records of streams groups: keys 17 and 19 to 23 of ``__consumer_offsets``, as Apache Kafka 4.4.0 writes them.

Values have version 0.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto.messages import (
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupCurrentMemberAssignmentValue,
    StreamsGroupMemberMetadataKey,
    StreamsGroupMemberMetadataValue,
    StreamsGroupMetadataKey,
    StreamsGroupMetadataValue,
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupTargetAssignmentMemberValue,
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTargetAssignmentMetadataValue,
    StreamsGroupTopologyKey,
    StreamsGroupTopologyValue,
)
from kafkaproto_server.core.coordinators.groups.modern.targets import TargetWriter
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup
from kafkaproto_server.core.coordinators.groups.streams.member import ActiveTasks, StreamsMember
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.requests.streams_group_requests import Tasks, TaskSets

STREAMS_GROUP_KEYS = (
    StreamsGroupMetadataKey,
    StreamsGroupMemberMetadataKey,
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupCurrentMemberAssignmentKey,
    StreamsGroupTopologyKey,
)
"""The types of keys; each has the id of its group."""

_CurrentTaskIds = StreamsGroupCurrentMemberAssignmentValue.TaskIds
_TargetTaskIds = StreamsGroupTargetAssignmentMemberValue.TaskIds


def member_record(group_id: str, member: StreamsMember) -> Record:
    endpoint = member.user_endpoint
    value = StreamsGroupMemberMetadataValue(
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        topology_epoch=member.topology_epoch,
        process_id=member.process_id or "",
        user_endpoint=(
            None
            if endpoint is None
            else StreamsGroupMemberMetadataValue.Endpoint(host=endpoint.host, port=endpoint.port)
        ),
        client_tags=[
            StreamsGroupMemberMetadataValue.KeyValue(key=key, value=value)
            for key, value in member.client_tags
        ],
    )
    return Record(StreamsGroupMemberMetadataKey(group_id=group_id, member_id=member.member_id), value)


def topology_record(group_id: str, value: StreamsGroupTopologyValue) -> Record:
    """The topology of the application."""
    return Record(StreamsGroupTopologyKey(group_id=group_id), value)


def epoch_record(
    group: StreamsGroup,
    epoch: int,
    *,
    metadata_hash: int,
    validated_topology_epoch: int,
    assignment_configs: Mapping[str, str],
) -> Record:
    """The group's epoch, and what it was made for: topics, a topology, and the settings of the assignor."""
    value = StreamsGroupMetadataValue(
        epoch=epoch,
        metadata_hash=metadata_hash,
        validated_topology_epoch=validated_topology_epoch,
        last_assignment_configs=[
            StreamsGroupMetadataValue.LastAssignmentConfig(key=key, value=value)
            for key, value in sorted(assignment_configs.items())
        ],
        stored_description_topology_epoch=group.stored_description_epoch,
        failed_description_topology_epoch=group.failed_description_epoch,
    )
    return Record(StreamsGroupMetadataKey(group_id=group.group_id), value)


def target_record(group_id: str, member_id: str, tasks: TaskSets) -> Record:
    """The target assignment of one member."""
    value = StreamsGroupTargetAssignmentMemberValue(
        active_tasks=_target(tasks.active),
        standby_tasks=_target(tasks.standby),
        warmup_tasks=_target(tasks.warmup),
    )
    return Record(StreamsGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), value)


def _target(tasks: Tasks) -> list[_TargetTaskIds]:
    return [
        _TargetTaskIds(subtopology_id=each, partitions=sorted(partitions))
        for each, partitions in sorted(tasks.items())
    ]


def target_epoch_record(group_id: str, epoch: int, wall_ms: int) -> Record:
    """The epoch of the whole target assignment, and when it was made."""
    value = StreamsGroupTargetAssignmentMetadataValue(assignment_epoch=epoch, assignment_timestamp=wall_ms)
    return Record(StreamsGroupTargetAssignmentMetadataKey(group_id=group_id), value)


def current_record(group_id: str, member: StreamsMember) -> Record:
    """A member's epoch, and what it has."""
    assigned, revoking = member.assigned, member.revoking
    value = StreamsGroupCurrentMemberAssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=member.state,
        active_tasks=_active(assigned.active),
        standby_tasks=_tasks(assigned.standby),
        warmup_tasks=_tasks(assigned.warmup),
        active_tasks_pending_revocation=_active(revoking.active),
        standby_tasks_pending_revocation=_tasks(revoking.standby),
        warmup_tasks_pending_revocation=_tasks(revoking.warmup),
    )
    return Record(
        StreamsGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member.member_id), value
    )


def _active(tasks: ActiveTasks) -> list[_CurrentTaskIds]:
    return [
        _CurrentTaskIds(
            subtopology_id=each,
            partitions=sorted(epochs),
            assignment_epochs=[epochs[index] for index in sorted(epochs)],
        )
        for each, epochs in sorted(tasks.items())
    ]


def _tasks(tasks: Tasks) -> list[_CurrentTaskIds]:
    return [
        _CurrentTaskIds(subtopology_id=each, partitions=sorted(partitions))
        for each, partitions in sorted(tasks.items())
    ]


def removal_records(group_id: str, member_id: str) -> list[Record]:
    """Removes a member. The order matters to who replays them: the member itself is the last."""
    return [
        Record(StreamsGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member_id), None),
        Record(StreamsGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id), None),
        Record(StreamsGroupMemberMetadataKey(group_id=group_id, member_id=member_id), None),
    ]


def deletion_records(group_id: str) -> list[Record]:
    """Removes a group without members."""
    return [
        Record(StreamsGroupTargetAssignmentMetadataKey(group_id=group_id), None),
        Record(StreamsGroupMetadataKey(group_id=group_id), None),
        Record(StreamsGroupTopologyKey(group_id=group_id), None),
    ]


TARGETS = TargetWriter(target_record, target_epoch_record)
