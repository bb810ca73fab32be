"""Descriptions of streams groups, as StreamsGroupDescribe responds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import StreamsGroupDescribeResponse, StreamsGroupTopologyValue
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.streams.group import NO_TARGET, StreamsGroup, TaskOffsets
from kafkaproto_server.core.coordinators.groups.streams.internal_topics import (
    ConfiguredTopology,
    InternalTopic,
)
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMember
from kafkaproto_server.core.coordinators.groups.streams.sticky import Task
from kafkaproto_server.core.coordinators.groups.streams.targets import ASSIGNOR
from kafkaproto_server.core.coordinators.groups.streams.topology import Topology
from kafkaproto_server.requests.streams_group_requests import Tasks, TaskSets

_Response = StreamsGroupDescribeResponse
_NO_OFFSETS = TaskOffsets()


def described_group(group: StreamsGroup) -> _Response.DescribedGroup:
    """A group. Partitions of internal topics are 0 as long as they are not known."""
    configured = group.configured
    topology: _Response.Topology | None = None
    if configured is not None and configured.is_ready:
        topology = _configured(configured)
    elif group.topology is not None:
        topology = _topology(group.topology)
    return _Response.DescribedGroup(
        group_id=group.group_id,
        group_state=group.state.value,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        topology=topology,
        members=[_member(group, member) for _, member in sorted(group.members.items())],
        assignor_name=ASSIGNOR,
    )


def values_of_streams_group(group: StreamsGroup) -> int:
    """How many values the description of a group holds, about."""
    values = 0
    if group.topology is not None:
        for each in group.topology.subtopologies.values():
            values += 10 + len(each.source_topics) + len(each.repartition_sink_topics)
            for topic in (*each.state_changelog_topics, *each.repartition_source_topics):
                values += 10 + 5 * len(topic.topic_configs)
    for member in group.members.values():
        reported = group.task_offsets.get(member.member_id, _NO_OFFSETS)
        values += 30 + 5 * (len(member.client_tags) + len(reported.offsets) + len(reported.end_offsets))
        for tasks in (member.assigned.without_epochs(), group.targets.get(member.member_id, NO_TARGET)):
            for partitions in (*tasks.active.values(), *tasks.standby.values(), *tasks.warmup.values()):
                values += 5 + len(partitions)
    return values


def unknown_group(group_id: str) -> _Response.DescribedGroup:
    """What the response says of a group that does not exist, or is of another kind."""
    return _Response.DescribedGroup(
        error_code=ErrorCode.GROUP_ID_NOT_FOUND,
        error_message=f"There is no streams group {quoted(group_id)}.",
        group_id=group_id,
    )


def _member(group: StreamsGroup, member: StreamsMember) -> _Response.Member:
    endpoint = member.user_endpoint
    reported = group.task_offsets.get(member.member_id, _NO_OFFSETS)
    return _Response.Member(
        member_id=member.member_id,
        member_epoch=member.epoch,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        topology_epoch=member.topology_epoch,
        process_id=member.process_id or "",
        user_endpoint=None
        if endpoint is None
        else _Response.Endpoint(host=endpoint.host, port=endpoint.port),
        client_tags=[_Response.KeyValue(key=key, value=value) for key, value in member.client_tags],
        task_offsets=_offsets(reported.offsets),
        task_end_offsets=_offsets(reported.end_offsets),
        assignment=_assignment(member.assigned.without_epochs()),
        target_assignment=_assignment(group.targets.get(member.member_id, NO_TARGET)),
    )


def _assignment(tasks: TaskSets) -> _Response.Assignment:
    return _Response.Assignment(
        active_tasks=_tasks(tasks.active),
        standby_tasks=_tasks(tasks.standby),
        warmup_tasks=_tasks(tasks.warmup),
    )


def _tasks(tasks: Tasks) -> list[_Response.TaskIds]:
    return [
        _Response.TaskIds(subtopology_id=each, partitions=sorted(partitions))
        for each, partitions in sorted(tasks.items())
    ]


def _offsets(offsets: Mapping[Task, int]) -> list[_Response.TaskOffset]:
    return [
        _Response.TaskOffset(subtopology_id=subtopology_id, partition=partition, offset=offset)
        for (subtopology_id, partition), offset in sorted(offsets.items())
    ]


def _configured(configured: ConfiguredTopology) -> _Response.Topology:
    return _Response.Topology(
        epoch=configured.epoch,
        subtopologies=[
            _Response.Subtopology(
                subtopology_id=subtopology_id,
                source_topics=list(each.source_topics),
                repartition_sink_topics=list(each.repartition_sinks),
                state_changelog_topics=[_internal(topic) for topic in each.changelogs],
                repartition_source_topics=[_internal(topic) for topic in each.repartition_sources],
            )
            for subtopology_id, each in configured.subtopologies.items()
        ],
    )


def _internal(topic: InternalTopic) -> _Response.TopicInfo:
    return _Response.TopicInfo(
        name=topic.name,
        partitions=topic.partition_count,
        replication_factor=topic.replication_factor,
        topic_configs=[_Response.KeyValue(key=key, value=value) for key, value in topic.configs],
    )


def _topology(topology: Topology) -> _Response.Topology:
    return _Response.Topology(
        epoch=topology.epoch,
        subtopologies=[
            _Response.Subtopology(
                subtopology_id=subtopology_id,
                source_topics=sorted(each.source_topics),
                repartition_sink_topics=sorted(each.repartition_sink_topics),
                state_changelog_topics=_infos(each.state_changelog_topics),
                repartition_source_topics=_infos(each.repartition_source_topics),
            )
            for subtopology_id, each in sorted(topology.subtopologies.items())
        ],
    )


def _infos(topics: Iterable[StreamsGroupTopologyValue.TopicInfo]) -> list[_Response.TopicInfo]:
    return [
        _Response.TopicInfo(
            name=each.name,
            partitions=each.partitions,
            replication_factor=each.replication_factor,
            topic_configs=[
                _Response.KeyValue(key=config.key, value=config.value) for config in each.topic_configs
            ],
        )
        for each in sorted(topics, key=lambda each: each.name)
    ]
