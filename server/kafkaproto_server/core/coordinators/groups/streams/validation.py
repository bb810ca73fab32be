"""What a heartbeat of a streams group must say, and whether its member is who it says it is."""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups import membership
from kafkaproto_server.core.coordinators.groups.membership import invalid, is_blank
from kafkaproto_server.core.coordinators.groups.streams.internal_topics import ConfiguredTopology
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMember
from kafkaproto_server.core.coordinators.groups.streams.topology import check_topology
from kafkaproto_server.requests.streams_group_requests import (
    JOIN_EPOCH,
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
        raise invalid("Source topics cannot be given by regular expressions.")
    for name, text in (
        ("member id", values.member_id),
        ("group id", values.group_id),
        ("instance id", values.instance_id),
        ("rack id", values.rack_id),
    ):
        if text is not None and is_blank(text):
            raise invalid(f"The {name} is empty.")
    if values.member_epoch == JOIN_EPOCH:
        _check_join(values)
    elif values.member_epoch == LEAVE_STATIC_EPOCH:
        if values.instance_id is None:
            raise invalid("Only a member with an instance id may leave for a while.")
    elif values.member_epoch < LEAVE_STATIC_EPOCH:
        raise invalid(f"There is no member epoch {values.member_epoch}.")
    roles = (values.active_tasks, values.standby_tasks, values.warmup_tasks)
    if any(each is None for each in roles) and any(each is not None for each in roles):
        raise invalid("A member that reports tasks reports those of all roles.")
    if values.member_epoch != JOIN_EPOCH and topology is not None:
        raise invalid("A topology is for members that join.")
    if values.client_tags is not None and len(dict(values.client_tags)) < len(values.client_tags):
        raise invalid("A client tag is there twice.")


def _check_join(values: StreamsHeartbeatValues) -> None:
    if values.rebalance_timeout_ms == -1:
        raise invalid("A member that joins says its rebalance timeout.")
    for tasks in (values.active_tasks, values.standby_tasks, values.warmup_tasks):
        if tasks is None or tasks:
            raise invalid("A member that joins has no task, and says so.")
    if values.topology is None:
        raise invalid("A member that joins says its topology.")
    check_topology(values.topology)


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


def check_tasks(configured: ConfiguredTopology, values: StreamsHeartbeatValues) -> None:
    """Raises CoordinatorError (INVALID_REQUEST) if a member reports a task that there is not."""
    for tasks in (values.active_tasks, values.standby_tasks, values.warmup_tasks):
        for subtopology_id, partitions in tasks or ():
            subtopology = configured.subtopologies.get(subtopology_id)
            count = 0 if subtopology is None else subtopology.task_count
            for each in partitions:
                if not 0 <= each < count:
                    raise invalid(
                        f"There is no task {each} of subtopology {quoted(subtopology_id)}, which has {count}."
                    )
            if subtopology is None:
                raise invalid(f"There is no subtopology {quoted(subtopology_id)}.")


def offsets_of(reported: Offsets) -> Mapping[tuple[str, int], int]:
    """The offsets of a member by task. Raises CoordinatorError (INVALID_REQUEST) if a task is there twice."""
    found = {(subtopology_id, partition): offset for subtopology_id, partition, offset in reported}
    if len(found) < len(reported):
        raise invalid("The offsets of a task are there twice.")
    return found


def check_epoch(member: StreamsMember, values: StreamsHeartbeatValues) -> None:
    """Raises CoordinatorError (FENCED_MEMBER_EPOCH) unless the member is in the epoch that it says, or one behind."""
    membership.check_epoch(member, values.member_epoch, lambda: _has_no_more(member, values), what="tasks")
