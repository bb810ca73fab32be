"""StreamsGroupHeartbeat (88), versions 0-1, broker listeners.

A member of a streams group (KIP-1071) joins, lives or leaves, and hears which tasks it should run. The first member
brings the topology of the application. Internal topics that are missing are created under the member's principal, for
which it needs CREATE on the cluster or on each of them; the response says why that does not work. The sender needs READ
on the group and DESCRIBE on each topic that it names. Nobody is served without the feature streams.version, or without
"streams" in `group.coordinator.rebalance.protocols`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    CreateTopicsRequest,
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    StreamsGroupTopologyValue,
)
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import HEARTBEATS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import INTERNAL_TOPICS, topic_name_problem
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.streams_group_requests import (
    StreamsHeartbeatOutcome,
    StreamsHeartbeatValues,
    UserEndpoint,
)

Request = StreamsGroupHeartbeatRequest
Response = StreamsGroupHeartbeatResponse

MISSING_INTERNAL_TOPICS = 3
"""The status of a group whose internal topics are to be created."""
SHOWN_TOPICS = 3
"""How many topics a response names."""
HEARTBEATS_PER_ERROR = 2
"""For how many intervals of heartbeats it is told that a topic could not be created."""


def handle_streams_group_heartbeat(
    request: Request, context: RequestContext, services: Services
) -> Response | Deferred[Response]:
    if not services.groups.serves_streams_groups():
        return Response(error_code=ErrorCode.UNSUPPORTED_VERSION)
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        return Response(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    refusal = _refused_topics(request, context, services)
    if refusal is not None:
        return refusal
    reply: Deferred[Response] = Deferred()

    def heard(outcome: StreamsHeartbeatOutcome) -> None:
        if outcome.missing_topics:
            _create(outcome, context, services)
        reply.resolve(outcome.response)

    services.groups.of(request.group_id).streams_heartbeat(_values(request, context), heard)
    return reply


def _topic_names(request: Request) -> dict[str, None]:
    """The topics that a request names, each once."""
    names: dict[str, None] = {}
    for each in () if request.topology is None else request.topology.subtopologies:
        names.update(dict.fromkeys(each.source_topics))
        names.update(dict.fromkeys(each.repartition_sink_topics))
        names.update((topic.name, None) for topic in each.repartition_source_topics)
        names.update((topic.name, None) for topic in each.state_changelog_topics)
    return names


def _refused_topics(request: Request, context: RequestContext, services: Services) -> Response | None:
    names = _topic_names(request)
    wrong = [each for each in names if each in INTERNAL_TOPICS]
    if wrong:
        return _invalid(f"A topology cannot use Kafka's internal topics: {_summary(wrong)}.")
    wrong = [each for each in names if topic_name_problem(each) is not None]
    if wrong:
        return _invalid(f"These are no names of topics: {_summary(wrong)}.")
    if all(is_allowed(context, services, Operation.DESCRIBE, ResourceType.TOPIC, each) for each in names):
        return None
    return Response(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)


def _invalid(message: str) -> Response:
    return Response(error_code=ErrorCode.STREAMS_INVALID_TOPOLOGY, error_message=message)


def _summary(names: Sequence[str]) -> str:
    shown = ", ".join(map(quoted, names[:SHOWN_TOPICS]))
    return shown if len(names) <= SHOWN_TOPICS else f"{shown} and {len(names) - SHOWN_TOPICS} more"


def _create(outcome: StreamsHeartbeatOutcome, context: RequestContext, services: Services) -> None:
    """Have missing topics created, and tell in the response what does not work."""
    topics = outcome.missing_topics
    refused = _not_to_be_created(topics, context, services)
    if refused:
        _tell(outcome.response, f" The member may not create {_summary(refused)}.")
        return
    told_for_ms = HEARTBEATS_PER_ERROR * outcome.response.heartbeat_interval_ms
    errors = services.controller.create_streams_topics(topics, context, told_for_ms)
    if errors:
        texts = [f"{quoted(name)} ({text})" for name, text in errors[:SHOWN_TOPICS]]
        _tell(outcome.response, f" These could not be created: {', '.join(texts)}.")


def _not_to_be_created(
    topics: Iterable[CreateTopicsRequest.CreatableTopic], context: RequestContext, services: Services
) -> list[str]:
    if is_allowed(context, services, Operation.CREATE):
        return []
    return [
        each.name
        for each in topics
        if not is_allowed(context, services, Operation.CREATE, ResourceType.TOPIC, each.name)
    ]


def _tell(response: Response, text: str) -> None:
    for status in response.status or ():
        if status.status_code == MISSING_INTERNAL_TOPICS:
            status.status_detail += text


def _values(request: Request, context: RequestContext) -> StreamsHeartbeatValues:
    endpoint, tags = request.user_endpoint, request.client_tags
    return StreamsHeartbeatValues(
        group_id=request.group_id,
        member_id=request.member_id,
        member_epoch=request.member_epoch,
        endpoint_epoch=request.endpoint_information_epoch,
        instance_id=request.instance_id,
        rack_id=request.rack_id,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        topology=None if request.topology is None else _topology(request.topology),
        active_tasks=_tasks(request.active_tasks),
        standby_tasks=_tasks(request.standby_tasks),
        warmup_tasks=_tasks(request.warmup_tasks),
        process_id=request.process_id,
        user_endpoint=None if endpoint is None else UserEndpoint(endpoint.host, endpoint.port),
        client_tags=None if tags is None else [(each.key, each.value) for each in tags],
        task_offsets=_offsets(request.task_offsets),
        task_end_offsets=_offsets(request.task_end_offsets),
        shutdown_application=request.shutdown_application,
        client_id=context.client_id or "",
        # As Java writes an address without a name.
        client_host=f"/{context.client_host}",
        version=context.api_version,
    )


def _tasks(tasks: Sequence[Request.TaskIds] | None) -> list[tuple[str, list[int]]] | None:
    return None if tasks is None else [(each.subtopology_id, each.partitions) for each in tasks]


def _offsets(offsets: Sequence[Request.TaskOffset] | None) -> list[tuple[str, int, int]] | None:
    if offsets is None:
        return None
    return [(each.subtopology_id, each.partition, each.offset) for each in offsets]


def _topology(topology: Request.Topology) -> StreamsGroupTopologyValue:
    """The topology in the form of its record."""
    value = StreamsGroupTopologyValue
    return value(
        epoch=topology.epoch,
        subtopologies=[
            value.Subtopology(
                subtopology_id=each.subtopology_id,
                source_topics=each.source_topics,
                source_topic_regex=each.source_topic_regex,
                state_changelog_topics=_infos(each.state_changelog_topics),
                repartition_sink_topics=each.repartition_sink_topics,
                repartition_source_topics=_infos(each.repartition_source_topics),
                copartition_groups=[
                    value.CopartitionGroup(
                        source_topics=group.source_topics,
                        source_topic_regex=group.source_topic_regex,
                        repartition_source_topics=group.repartition_source_topics,
                    )
                    for group in each.copartition_groups
                ],
            )
            for each in topology.subtopologies
        ],
    )


def _infos(topics: Iterable[Request.TopicInfo]) -> list[StreamsGroupTopologyValue.TopicInfo]:
    return [
        StreamsGroupTopologyValue.TopicInfo(
            name=each.name,
            partitions=each.partitions,
            replication_factor=each.replication_factor,
            topic_configs=[
                StreamsGroupTopologyValue.TopicConfig(key=config.key, value=config.value)
                for config in each.topic_configs
            ],
        )
        for each in topics
    ]


API = Api(
    key=ApiKey.STREAMS_GROUP_HEARTBEAT,
    bounds=HEARTBEATS,
    broker=Served(
        handler=handle_streams_group_heartbeat, access=of_items(Operation.READ, ResourceType.GROUP)
    ),
)
