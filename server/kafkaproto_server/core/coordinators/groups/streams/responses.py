"""What a heartbeat of a streams group responds: tasks, endpoints, and what the member should know of its group."""

from __future__ import annotations

from kafkaproto.messages import StreamsGroupHeartbeatResponse
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.streams.change import StreamsChange
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsSettings
from kafkaproto_server.core.coordinators.groups.streams.endpoints import endpoint_parts
from kafkaproto_server.core.coordinators.groups.streams.internal_topics import ConfiguredTopology
from kafkaproto_server.core.coordinators.groups.streams.status import Status, StatusCode
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.requests.streams_group_requests import JOIN_EPOCH, StreamsHeartbeatValues

FIRST_VERSION_WITH_TAGS = 1
"""The first version of the request whose members know that tags can be missing."""

_Response = StreamsGroupHeartbeatResponse


def heartbeat_response(
    change: StreamsChange,
    values: StreamsHeartbeatValues,
    settings: StreamsSettings,
    configured: ConfiguredTopology,
    topics: Topics,
    *,
    is_known: bool,
) -> _Response:
    """The response to a member that joins or lives; ``is_known`` says whether its group was there before."""
    group, member = change.group, change.member
    response = _Response(
        member_id=member.member_id,
        member_epoch=member.epoch,
        heartbeat_interval_ms=settings.heartbeat_interval_ms,
        task_offset_interval_ms=settings.task_offset_interval_ms,
        acceptable_recovery_lag=settings.acceptable_recovery_lag,
        status=[],
    )
    if values.member_epoch == JOIN_EPOCH or change.has_other_tasks:
        tasks = member.assigned.without_epochs()
        response.active_tasks, response.standby_tasks, response.warmup_tasks = (
            [
                _Response.TaskIds(subtopology_id=each, partitions=sorted(partitions))
                for each, partitions in sorted(role.items())
            ]
            for role in (tasks.active, tasks.standby, tasks.warmup)
        )
    if change.has_other_endpoint or (change.has_other_tasks and member.user_endpoint is not None):
        group.endpoint_epoch += 1
    if group.endpoint_epoch != values.endpoint_epoch:
        response.partitions_by_user_endpoint = endpoint_parts(group, member, change.replaced_id, topics)
    if is_known:
        response.endpoint_information_epoch = group.endpoint_epoch
    response.status = [
        _Response.Status(status_code=code, status_detail=detail)
        for code, detail in _statuses(change, values, settings, configured)
    ]
    return response


def _statuses(
    change: StreamsChange,
    values: StreamsHeartbeatValues,
    settings: StreamsSettings,
    configured: ConfiguredTopology,
) -> list[Status]:
    found = list(change.statuses)
    if configured.problem is not None:
        found.append(configured.problem)
    asked_by = change.group.shutdown_member_id
    if asked_by is not None:
        detail = f"Member {quoted(asked_by)} asked the application to shut down."
        found.append(Status(StatusCode.SHUTDOWN_APPLICATION, detail))
    known = dict(change.member.client_tags)
    missing = [each for each in settings.rack_aware_tags if each not in known]
    if missing and values.version >= FIRST_VERSION_WITH_TAGS:
        detail = f"The member lacks the client tags {', '.join(map(quoted, missing))}."
        found.append(Status(StatusCode.MISSING_CLIENT_TAGS, detail))
    return found
