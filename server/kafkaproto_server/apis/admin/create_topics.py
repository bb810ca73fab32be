"""CreateTopics (19), v2-7; controller listeners, forwarded by brokers (KIP-4).

The active controller decides on each topic separately (`core.controller.commands.create_topics`): one may be refused
while others are created. A topic that the sender may not create gets TOPIC_AUTHORIZATION_FAILED, after the results of
the others.

- v4 accepts -1 for the cluster's default of partitions and replicas (KIP-464).
- v5 returns partitions, replicas and configs of new topics (KIP-525), if the sender may describe the topic's configs.
- v7 returns topic ids (KIP-516).
"""

from __future__ import annotations

import copy

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.authorization import allowed_items, denial, is_allowed
from kafkaproto_server.apis.bounds import KEYS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import HandlerResult, RequestContext, changed
from kafkaproto_server.requests.refusals import Refusal, refuse_each_once

_Result = CreateTopicsResponse.CreatableTopicResult


def handle_create_topics(
    request: CreateTopicsRequest, context: RequestContext, services: Services
) -> HandlerResult:
    """Requires CREATE on the cluster, or on each topic."""
    if services.metadata.authorizer() is None:
        return services.controller.submit(request, context)
    return _create_allowed(request, context, services)


def _create_allowed(
    request: CreateTopicsRequest, context: RequestContext, services: Services
) -> Steps[HandlerResult]:
    may_create_any = is_allowed(context, services, Operation.CREATE)

    def refused_topic(topic: CreateTopicsRequest.CreatableTopic) -> _Result | None:
        asked = (Operation.CREATE, ResourceType.TOPIC, topic.name)
        if may_create_any or is_allowed(context, services, *asked):
            return None
        return _Result(
            name=topic.name,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message=denial(context, *asked),
        )

    def complete(response: Message) -> Steps[Message]:
        assert isinstance(response, CreateTopicsResponse)
        yield from _hide_configs(response, context, services)
        response.topics.extend(refused)
        return response

    kept, refused = yield from allowed_items(
        request.topics, refuse=refused_topic, key=lambda topic: topic.name
    )
    if not kept and refused:
        return CreateTopicsResponse(topics=refused)
    rest = request
    if refused:
        rest = copy.copy(request)
        rest.topics = kept
    return changed(services.controller.submit(rest, context), complete)


def _hide_configs(response: CreateTopicsResponse, context: RequestContext, services: Services) -> Steps[None]:
    """Remove the configs of new topics whose configs the sender may not describe."""
    for topic in response.topics:
        yield
        asked = (Operation.DESCRIBE_CONFIGS, ResourceType.TOPIC, topic.name)
        # KIP-525 returns configs to senders that may describe them. The topic itself was created.
        if topic.error_code == ErrorCode.NONE and not is_allowed(context, services, *asked):
            topic.num_partitions = topic.replication_factor = -1
            topic.configs = []
            topic.topic_config_error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED


def refuse(request: CreateTopicsRequest, refusal: Refusal) -> Steps[CreateTopicsResponse]:
    """The error once for each topic."""
    names = (topic.name for topic in request.topics)
    results = yield from refuse_each_once(
        names, lambda name: _Result(name=name, error_code=refusal.code, error_message=refusal.message)
    )
    return CreateTopicsResponse(topics=results)


def _timeout_ms(request: CreateTopicsRequest) -> int:
    return request.timeout_ms


API = Api(
    key=ApiKey.CREATE_TOPICS,
    bounds=KEYS,
    broker=FORWARDED,
    controller=Served(handler=handle_create_topics, access=of_items(Operation.CREATE, ResourceType.TOPIC)),
    refuse=refuse,
    timeout_ms=_timeout_ms,
)
