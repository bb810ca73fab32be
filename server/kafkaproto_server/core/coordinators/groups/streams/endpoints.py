"""Which partitions are at which endpoint: members that answer interactive queries tell it to their applications."""

from __future__ import annotations

from collections.abc import Iterator

from kafkaproto.messages import StreamsGroupHeartbeatResponse
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMember
from kafkaproto_server.core.coordinators.groups.topics import Topics
from kafkaproto_server.requests.streams_group_requests import Tasks

_Part = StreamsGroupHeartbeatResponse.EndpointToPartitions
_Partitions = StreamsGroupHeartbeatResponse.TopicPartition


def endpoint_parts(
    group: StreamsGroup, member: StreamsMember, replaced_id: str | None, topics: Topics
) -> list[_Part]:
    """What there is at the endpoints of all members. ``member`` is one as it is now, and has the place of another one.

    Parts are kept until the member or the topology changes.
    """
    parts = []
    for member_id, each in group.members.items():
        if member_id not in (member.member_id, replaced_id) and each.user_endpoint is not None:
            parts.append(_part(group, each, topics))
    if member.user_endpoint is not None:
        parts.append(_part(group, member, topics))
    return parts


def _part(group: StreamsGroup, member: StreamsMember, topics: Topics) -> _Part:
    part = group.endpoint_parts.get(member.member_id)
    if part is None:
        endpoint, tasks = member.user_endpoint, member.assigned.without_epochs()
        assert endpoint is not None, "only such members have a part"
        replicas = {
            each: tasks.standby.get(each, frozenset()) | tasks.warmup.get(each, frozenset())
            for each in {**tasks.standby, **tasks.warmup}
        }
        part = group.endpoint_parts[member.member_id] = _Part(
            user_endpoint=StreamsGroupHeartbeatResponse.Endpoint(host=endpoint.host, port=endpoint.port),
            active_partitions=list(_partitions(group, tasks.active, topics)),
            standby_partitions=list(_partitions(group, replicas, topics)),
        )
    return part


def _partitions(group: StreamsGroup, tasks: Tasks, topics: Topics) -> Iterator[_Partitions]:
    """The partitions that tasks read. Of a topic with fewer partitions than the others, some tasks read none."""
    for subtopology_id, indexes in tasks.items():
        configured = None if group.configured is None else group.configured.subtopologies.get(subtopology_id)
        for name in () if configured is None else configured.read_topics:
            view = topics.by_name(name)
            count = 0 if view is None else view.partition_count
            found = sorted(each for each in indexes if each < count)
            if found:
                yield _Partitions(topic=name, partitions=found)
