"""What a heartbeat of a streams group must say, and whether its member is who it says it is."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.coordinator.groups.streams.group import StreamsGroup
from kafkaproto_server.coordinator.groups.streams.internal_topics import ConfiguredTopology
from kafkaproto_server.coordinator.groups.streams.member import StreamsMember
from kafkaproto_server.coordinator.groups.streams.topology import check_topology
from kafkaproto_server.coordinator.values import CoordinatorError
from kafkaproto_server.error_texts import quoted
from kafkaproto_server.requests.streams_group_requests import (
    JOIN_EPOCH,
    LEAVE_EPOCH,
    LEAVE_STATIC_EPOCH,
    Offsets,
    StreamsHeartbeatValues,
    TaskLists,
    Tasks,
)


def check_values(values: StreamsHeartbeatValues) -> None:
    """Raises CoordinatorError (INVALID_REQUEST, STREAMS_INVALID_TOPOLOGY) unless the request makes sense."""
    topology = values.topology
    if topology is not None and any(each.source_topic_regex for each in topology.subtopologies):
        raise _invalid("Source topics cannot be given by regular expressions.")
    for name, text in (
        ("member id", values.member_id),
        ("group id", values.group_id),
        ("instance id", values.instance_id),
        ("rack id", values.rack_id),
    ):
        if text is not None and not text.strip():
            raise _invalid(f"The {name} is empty.")
    if values.member_epoch == JOIN_EPOCH:
        _check_join(values)
    elif values.member_epoch == LEAVE_STATIC_EPOCH:
        if values.instance_id is None:
            raise _invalid("Only a member with an instance id may leave for a while.")
    elif values.member_epoch < LEAVE_STATIC_EPOCH:
        raise _invalid(f"There is no member epoch {values.member_epoch}.")
    roles = (values.active_tasks, values.standby_tasks, values.warmup_tasks)
    if any(each is None for each in roles) and any(each is not None for each in roles):
        raise _invalid("A member that reports tasks reports those of all roles.")
    if values.member_epoch != JOIN_EPOCH and topology is not None:
        raise _invalid("A topology is for members that join.")
    if values.client_tags is not None and len(dict(values.client_tags)) < len(values.client_tags):
        raise _invalid("A client tag is there twice.")


def _check_join(values: StreamsHeartbeatValues) -> None:
    if values.rebalance_timeout_ms == -1:
        raise _invalid("A member that joins says its rebalance timeout.")
    for tasks in (values.active_tasks, values.standby_tasks, values.warmup_tasks):
        if tasks is None or tasks:
            raise _invalid("A member that joins has no task, and says so.")
    if values.topology is None:
        raise _invalid("A member that joins says its topology.")
    check_topology(values.topology)


def _invalid(message: str) -> CoordinatorError:
    return CoordinatorError(ErrorCode.INVALID_REQUEST, message)


def is_leaving(values: StreamsHeartbeatValues) -> bool:
    """Whether the member leaves, for good or for a while."""
    return values.member_epoch in (LEAVE_EPOCH, LEAVE_STATIC_EPOCH)


def dynamic_member(group: StreamsGroup, member_id: str) -> StreamsMember:
    """A member by its id. Raises CoordinatorError (UNKNOWN_MEMBER_ID)."""
    member = group.members.get(member_id)
    if member is None:
        raise CoordinatorError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"{quoted(member_id)} is no member of group {quoted(group.group_id)}.",
        )
    return member


def static_member(group: StreamsGroup, instance_id: str, member_id: str) -> StreamsMember:
    """A member by its instance id. Raises CoordinatorError (UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID)."""
    member = group.static_member(instance_id)
    if member is None:
        raise CoordinatorError(
            ErrorCode.UNKNOWN_MEMBER_ID, f"The instance id {quoted(instance_id)} is unknown."
        )
    if member.member_id != member_id:
        raise CoordinatorError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Instance id {quoted(instance_id)} belongs to member {quoted(member.member_id)}, not to"
            f" {quoted(member_id)}.",
        )
    return member


def check_released(member: StreamsMember, instance_id: str) -> None:
    """Raises CoordinatorError (UNRELEASED_INSTANCE_ID) unless another member may take this one's place."""
    if member.epoch != LEAVE_STATIC_EPOCH:
        raise CoordinatorError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"Instance id {quoted(instance_id)} still belongs to member {quoted(member.member_id)}.",
        )


def check_epoch(member: StreamsMember, values: StreamsHeartbeatValues) -> None:
    """Raises CoordinatorError (FENCED_MEMBER_EPOCH) unless the member is in the epoch that it says.

    It may be one step behind if the response with the new epoch was lost. Then it has no more than it may have now.
    """
    epoch = values.member_epoch
    if epoch in (member.epoch, JOIN_EPOCH):
        return
    if epoch < member.epoch and epoch == member.previous_epoch and _has_no_more(member, values):
        return
    what = "a greater" if epoch > member.epoch else "a smaller"
    raise CoordinatorError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The member has {what} epoch ({epoch}) than the coordinator knows of it ({member.epoch}). It must abandon all"
        " its tasks and rejoin.",
    )


def _has_no_more(member: StreamsMember, values: StreamsHeartbeatValues) -> bool:
    assigned = member.assigned.without_epochs()
    return (
        _has(assigned.active, values.active_tasks)
        and _has(assigned.standby, values.standby_tasks)
        and _has(assigned.warmup, values.warmup_tasks)
    )


def _has(assigned: Tasks, reported: TaskLists | None) -> bool:
    return reported is not None and all(
        subtopology_id in assigned and assigned[subtopology_id].issuperset(partitions)
        for subtopology_id, partitions in reported
    )


def check_room(group: StreamsGroup, values: StreamsHeartbeatValues, max_size: int) -> None:
    """Raises CoordinatorError (GROUP_MAX_SIZE_REACHED) if the group can take no member in."""
    is_known = values.member_id in group.members or values.instance_id in group.static_ids
    if len(group.members) >= max_size and not is_known:
        raise CoordinatorError(
            ErrorCode.GROUP_MAX_SIZE_REACHED, f"The group has {max_size} members, as many as it may."
        )


def check_tasks(configured: ConfiguredTopology, values: StreamsHeartbeatValues) -> None:
    """Raises CoordinatorError (INVALID_REQUEST) if a member reports a task that there is not."""
    for tasks in (values.active_tasks, values.standby_tasks, values.warmup_tasks):
        for subtopology_id, partitions in tasks or ():
            subtopology = configured.subtopologies.get(subtopology_id)
            count = 0 if subtopology is None else subtopology.task_count
            for each in partitions:
                if not 0 <= each < count:
                    raise _invalid(
                        f"There is no task {each} of subtopology {quoted(subtopology_id)}, which has {count}."
                    )
            if subtopology is None:
                raise _invalid(f"There is no subtopology {quoted(subtopology_id)}.")


def offsets_of(reported: Offsets) -> Mapping[tuple[str, int], int]:
    """The offsets of a member by task. Raises CoordinatorError (INVALID_REQUEST) if a task is there twice."""
    found = {(subtopology_id, partition): offset for subtopology_id, partition, offset in reported}
    if len(found) < len(reported):
        raise _invalid("The offsets of a task are there twice.")
    return found
