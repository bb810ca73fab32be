"""DeleteTopics (20), v1-6; controller listeners, forwarded by brokers (KIP-4).

The active controller decides on each topic separately (`core.controller.commands.delete_topics`). A topic that the
sender may not delete gets TOPIC_AUTHORIZATION_FAILED, after the results of the others. If the sender may not describe
the topic either, the response does not reveal whether it exists.

- v4 has the error TOPIC_DELETION_DISABLED.
- v5 has error messages.
- v6 can name topics by their ids, too (KIP-516).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import DeleteTopicsRequest, DeleteTopicsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.authorization import allowed_items, denial, is_allowed
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import HandlerResult, RequestContext, changed
from kafkaproto_server.requests.refusals import Refusal, refuse_each_once

_Result = DeleteTopicsResponse.DeletableTopicResult


def handle_delete_topics(
    request: DeleteTopicsRequest, context: RequestContext, services: Services
) -> HandlerResult:
    """Requires DELETE on the cluster, or on each topic."""
    if is_allowed(context, services, Operation.DELETE):
        return services.controller.submit(request, context)
    return _delete_allowed(request, context, services)


def _delete_allowed(
    request: DeleteTopicsRequest, context: RequestContext, services: Services
) -> Steps[HandlerResult]:
    refuse_name, refuse_topic = _denials(context, services)
    kept, refused = yield from allowed_items(
        request.topics, refuse=refuse_topic, key=lambda topic: (topic.name, topic.topic_id)
    )
    kept_names, more = yield from allowed_items(request.topic_names, refuse=refuse_name, key=str)
    refused += more
    if refused and not kept and not kept_names:
        return DeleteTopicsResponse(responses=refused)
    rest = request
    if refused:
        rest = copy.copy(request)
        rest.topics, rest.topic_names = kept, kept_names

    def add(response: Message) -> Message:
        assert isinstance(response, DeleteTopicsResponse)
        response.responses.extend(refused)
        return response

    return changed(services.controller.submit(rest, context), add)


def _denials(
    context: RequestContext, services: Services
) -> tuple[Callable[[str], _Result | None], Callable[[DeleteTopicsRequest.DeleteTopicState], _Result | None]]:
    """Two functions that return the refusal of deleting a topic, or None if the sender may delete it: one for a topic's
    name, one for a name or id."""
    image = services.metadata.image()

    def may(operation: Operation, name: str) -> bool:
        return is_allowed(context, services, operation, ResourceType.TOPIC, name)

    def denied(name: str | None, topic_id: bytes) -> _Result:
        return _Result(
            name=name,
            topic_id=topic_id,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message=denial(context, Operation.DELETE, ResourceType.TOPIC, name or ""),
        )

    def refuse_name(name: str) -> _Result | None:
        # Before existence is looked at: the response must be the same whether or not the topic
        # exists.
        if not may(Operation.DESCRIBE, name):
            return denied(name, ZERO_UUID)
        # A sender that may describe the topic may learn that it does not exist; the controller reports it.
        if may(Operation.DELETE, name) or name not in image.topic_ids:
            return None
        return denied(name, image.topic_ids[name])

    def refuse_topic(topic: DeleteTopicsRequest.DeleteTopicState) -> _Result | None:
        if topic.name is not None:
            return refuse_name(topic.name)
        found = image.topics.get(topic.topic_id)
        if found is None or may(Operation.DELETE, found.name):
            return None
        # An id does not reveal the name to a sender that may not describe the topic.
        return denied(found.name if may(Operation.DESCRIBE, found.name) else None, topic.topic_id)

    return refuse_name, refuse_topic


def refuse(request: DeleteTopicsRequest, refusal: Refusal) -> Steps[DeleteTopicsResponse]:
    """The error once for each topic. Like Kafka's, it does not say which controller is active."""
    message = None if refusal.code == ErrorCode.NOT_CONTROLLER else refusal.message

    def result(named: tuple[str | None, bytes]) -> _Result:
        name, topic_id = named
        return _Result(name=name, topic_id=topic_id, error_code=refusal.code, error_message=message)

    return DeleteTopicsResponse(responses=(yield from refuse_each_once(_named_topics(request), result)))


def _named_topics(request: DeleteTopicsRequest) -> Iterator[tuple[str | None, bytes]]:
    """Name and id of each topic, for all versions of the request."""
    for name in request.topic_names:
        yield name, ZERO_UUID
    for topic in request.topics:
        yield topic.name, topic.topic_id


def _timeout_ms(request: DeleteTopicsRequest) -> int:
    return request.timeout_ms


API = Api(
    key=ApiKey.DELETE_TOPICS,
    bounds=ITEMS,
    broker=FORWARDED,
    controller=Served(handler=handle_delete_topics, access=of_items(Operation.DELETE, ResourceType.TOPIC)),
    refuse=refuse,
    timeout_ms=_timeout_ms,
)
