"""CreatePartitions (37), v0-3; controller listeners, forwarded by brokers (KIP-195).

The active controller decides on each topic separately (`core.controller.commands.create_partitions`). A topic that the
sender may not alter gets TOPIC_AUTHORIZATION_FAILED, after the results of the others.
"""

from __future__ import annotations

import copy

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import CreatePartitionsRequest, CreatePartitionsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.authorization import allowed_items, denial, is_allowed
from kafkaproto_server.apis.bounds import KEYS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import HandlerResult, RequestContext, changed
from kafkaproto_server.requests.refusals import Refusal, refuse_each_once

_Result = CreatePartitionsResponse.CreatePartitionsTopicResult


def handle_create_partitions(
    request: CreatePartitionsRequest, context: RequestContext, services: Services
) -> Steps[HandlerResult]:
    """Requires ALTER on each topic."""

    def refused_topic(topic: CreatePartitionsRequest.CreatePartitionsTopic) -> _Result | None:
        asked = (Operation.ALTER, ResourceType.TOPIC, topic.name)
        if is_allowed(context, services, *asked):
            return None
        return _Result(
            name=topic.name,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message=denial(context, *asked),
        )

    kept, refused = yield from allowed_items(
        request.topics, refuse=refused_topic, key=lambda topic: topic.name
    )
    if not refused:
        return services.controller.submit(request, context)
    if not kept:
        return CreatePartitionsResponse(results=refused)
    rest = copy.copy(request)
    rest.topics = kept

    def add(response: Message) -> Message:
        assert isinstance(response, CreatePartitionsResponse)
        response.results.extend(refused)
        return response

    return changed(services.controller.submit(rest, context), add)


def refuse(request: CreatePartitionsRequest, refusal: Refusal) -> Steps[CreatePartitionsResponse]:
    """The error once for each topic."""
    names = (topic.name for topic in request.topics)
    results = yield from refuse_each_once(
        names, lambda name: _Result(name=name, error_code=refusal.code, error_message=refusal.message)
    )
    return CreatePartitionsResponse(results=results)


def _timeout_ms(request: CreatePartitionsRequest) -> int:
    return request.timeout_ms


API = Api(
    key=ApiKey.CREATE_PARTITIONS,
    bounds=KEYS,
    broker=FORWARDED,
    controller=Served(handler=handle_create_partitions, access=of_items(Operation.ALTER, ResourceType.TOPIC)),
    refuse=refuse,
    timeout_ms=_timeout_ms,
)
