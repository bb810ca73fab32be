"""DescribeConfigs (32), versions 1-4, broker and controller listeners.

What each resource answers:

- TOPIC: every key of topics with the value in effect; the topic must exist (INVALID_TOPIC_EXCEPTION for an
  illegal name, else UNKNOWN_TOPIC_OR_PARTITION).
- BROKER: with this node's own id, every key of a broker; with the empty name, what is set for all brokers;
  any other name is INVALID_REQUEST, as only a node itself knows its file. A controller answers likewise.
- BROKER_LOGGER: the levels of this node's loggers, under the names they have in this server.
- GROUP and CLIENT_METRICS: every key, whether or not such a group or subscription exists; the name must not
  be empty.
- Any other resource type is INVALID_REQUEST.

A list of keys narrows the answer; keys that do not exist are passed over, and an empty list is as good as
none. Values, sources and synonyms are those of stock 4.3.1, but entries come in order of their names (stock:
in the order of a hash table). From version 3 on an entry can carry a documentation: a sentence made from the
key's definition, not Kafka's text.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeConfigsRequest, DescribeConfigsResponse
from server.apis.context import RequestContext, Services
from server.config_keys.model import ConfigType
from server.config_keys.node_configs import ConfigEntry, ConfigSource, NodeConfigs
from server.error_texts import quoted
from server.image.image import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
    ClusterImage,
)
from server.topic_names import topic_name_problem

CLUSTER_DEFAULT = ""
"""Name of the BROKER resource that stands for all brokers."""

_RESOURCE_TYPES = {
    TOPIC_RESOURCE: "topic",
    BROKER_RESOURCE: "broker",
    BROKER_LOGGER_RESOURCE: "broker logger",
    CLIENT_METRICS_RESOURCE: "client metrics subscription",
    GROUP_RESOURCE: "group",
}


def handle_describe_configs(
    request: DescribeConfigsRequest, context: RequestContext, services: Services
) -> DescribeConfigsResponse:
    """Describe each resource of the request in turn; what is wrong with one leaves the others alone."""
    image, node_id = services.image(), services.node_id
    node = NodeConfigs(
        static=services.static_config,
        dynamic_default=image.config(BROKER_RESOURCE, CLUSTER_DEFAULT),
        dynamic_broker=image.config(BROKER_RESOURCE, str(node_id)),
    )
    results = []
    for resource in request.resources:
        resource_type, name = resource.resource_type, resource.resource_name
        result = DescribeConfigsResponse.DescribeConfigsResult(
            resource_type=resource_type, resource_name=name, error_message=""
        )
        refusal = _refusal(resource_type, name, image, node_id)
        if refusal is not None:
            result.error_code, result.error_message = refusal
        else:
            if resource_type == BROKER_LOGGER_RESOURCE:
                levels = services.logger_levels()
                answers = [_logger_answer(logger, levels[logger]) for logger in sorted(levels)]
            else:
                answers = [_answer(entry, request) for entry in _entries(resource_type, name, image, node)]
            wanted = frozenset(resource.configuration_keys or ())
            result.configs = [answer for answer in answers if not wanted or answer.name in wanted]
        results.append(result)
    return DescribeConfigsResponse(results=results)


def _refusal(
    resource_type: int, name: str, image: ClusterImage, node_id: int
) -> tuple[ErrorCode, str] | None:
    """Why a resource is not described, None where it is."""
    if resource_type == TOPIC_RESOURCE:
        problem = topic_name_problem(name)
        if problem is not None:
            return ErrorCode.INVALID_TOPIC_EXCEPTION, problem
        if image.topic_by_name(name) is None:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic {name!r} does not exist"
        return None
    if resource_type not in _RESOURCE_TYPES:
        known = ", ".join(f"{number} ({word})" for number, word in _RESOURCE_TYPES.items())
        return ErrorCode.INVALID_REQUEST, f"Resource type {resource_type} is not one of {known}"
    if resource_type == BROKER_RESOURCE and name == CLUSTER_DEFAULT:
        return None
    if not name:
        return ErrorCode.INVALID_REQUEST, f"The name of a {_RESOURCE_TYPES[resource_type]} must not be empty"
    if resource_type in (BROKER_RESOURCE, BROKER_LOGGER_RESOURCE) and not is_node(name, node_id):
        empty = " or empty, for the default of all brokers" if resource_type == BROKER_RESOURCE else ""
        return (
            ErrorCode.INVALID_REQUEST,
            f"This node describes itself only: {quoted(name)} must be {node_id}{empty}",
        )
    return None


def is_node(name: str, node_id: int) -> bool:
    """Whether a name is the id in decimal, a plus sign and leading zeros allowed."""
    digits = name.removeprefix("+")
    return digits.isascii() and digits.isdecimal() and digits.lstrip("0") == str(node_id).lstrip("0")


def _entries(
    resource_type: int, name: str, image: ClusterImage, node: NodeConfigs
) -> tuple[ConfigEntry, ...]:
    own = image.config(resource_type, name)
    if resource_type == TOPIC_RESOURCE:
        return node.topic_entries(own)
    if resource_type == GROUP_RESOURCE:
        return node.group_entries(own)
    if resource_type == CLIENT_METRICS_RESOURCE:
        return node.client_metrics_entries(own)
    return node.default_entries() if name == CLUSTER_DEFAULT else node.broker_entries()


def _answer(
    entry: ConfigEntry, request: DescribeConfigsRequest
) -> DescribeConfigsResponse.DescribeConfigsResourceResult:
    documentation = None
    if request.include_documentation and entry.definition is not None:
        documentation = entry.definition.describe()
    synonyms = entry.synonyms if request.include_synonyms else ()
    return DescribeConfigsResponse.DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.is_read_only,
        config_source=entry.source,
        is_sensitive=entry.is_sensitive,
        synonyms=[
            DescribeConfigsResponse.DescribeConfigsSynonym(
                name=synonym.name, value=synonym.value, source=synonym.source
            )
            for synonym in synonyms
        ],
        config_type=entry.type,
        documentation=documentation,
    )


def _logger_answer(name: str, level: str) -> DescribeConfigsResponse.DescribeConfigsResourceResult:
    return DescribeConfigsResponse.DescribeConfigsResourceResult(
        name=name,
        value=level,
        config_source=ConfigSource.DYNAMIC_BROKER_LOGGER,
        config_type=ConfigType.UNKNOWN,
        documentation="",
    )
