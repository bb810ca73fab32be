"""DescribeConfigs (32), versions 1-4, broker and controller listeners.

The results by type of resource:

- TOPIC: every topic key with the value in effect. The topic must exist (INVALID_TOPIC_EXCEPTION for an illegal name,
  else UNKNOWN_TOPIC_OR_PARTITION).
- BROKER: with this node's own id, every key of a broker; with the empty name, what is set for all brokers. Any other
  name is INVALID_REQUEST, as only a node itself knows its file. A controller responds likewise.
- BROKER_LOGGER: the levels of this node's loggers, under the names they have in this server.
- GROUP and CLIENT_METRICS: every key, whether or not such a group or subscription exists; the name must not be empty.
- Any other resource type is INVALID_REQUEST.

A resource that is named several times has one result, with the keys of all its occurrences: this bounds the response by
what exists. For the same reason there is a limit for groups and subscriptions without configs of their own, whose
result is only defaults. Parts that several resources have in common are encoded once per image. The handler works in
steps.

A list of keys selects entries. Keys that do not exist are ignored, and an empty list means all keys. Values, sources
and synonyms are those of Apache Kafka 4.4.0, but entries are ordered by name (Apache Kafka: in the order of a hash
table). From version 3 on an entry can have documentation: a sentence made from the key's definition, not Kafka's text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeConfigsRequest, DescribeConfigsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import config_problem
from kafkaproto_server.apis.bounds import KEYS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.later import Steps
from kafkaproto_server.config.keys.model import ConfigType
from kafkaproto_server.config.layers import ConfigEntry, ConfigSource, NodeConfigs
from kafkaproto_server.metadata.image.entries import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.topic_names import topic_name_problem
from kafkaproto_server.requests.context import Encoded, RequestContext
from kafkaproto_server.requests.encoding import Joiner, element_codec, inner_codec, whole
from kafkaproto_server.requests.refusals import Refusal, refuse_each

CLUSTER_DEFAULT = ""
"""Name of the BROKER resource for all brokers."""

MAX_WITHOUT_CONFIGS = 1_000
"""The number of groups and client metrics subscriptions without configs of their own that one request can describe."""
_TOO_MANY_WITHOUT_CONFIGS = (
    f"One request can describe {MAX_WITHOUT_CONFIGS} groups and subscriptions without configs of their own."
)
_NEED_NOT_EXIST = (GROUP_RESOURCE, CLIENT_METRICS_RESOURCE)
_NODE = "node"

_RESOURCE_TYPES = {
    TOPIC_RESOURCE: "topic",
    BROKER_RESOURCE: "broker",
    BROKER_LOGGER_RESOURCE: "broker logger",
    CLIENT_METRICS_RESOURCE: "client metrics subscription",
    GROUP_RESOURCE: "group",
}


def handle_describe_configs(
    request: DescribeConfigsRequest, context: RequestContext, services: Services
) -> Steps[Encoded]:
    """Describe each resource of the request in turn. An error of one does not affect the others."""
    image, version = services.metadata.image(), context.api_version
    describer = _Describer(request, image, version, services)
    codec, joiner = describer.codec, Joiner()
    errors: Counter[int] = Counter()
    refused = []
    wanted_keys = yield from _wanted_keys(request, services.node.id)
    without_own = 0
    for (resource_type, name), keys in wanted_keys.items():
        problem = config_problem(resource_type, name, Operation.DESCRIBE_CONFIGS, context, services)
        refusal = problem or _refusal(resource_type, name, image, services.node.id)
        if refusal is None and resource_type in _NEED_NOT_EXIST and not image.config(resource_type, name):
            without_own += 1
            # Such names need not exist, so a client could ask for any number of full results.
            if without_own > MAX_WITHOUT_CONFIGS:
                refusal = ErrorCode.INVALID_REQUEST, _TOO_MANY_WITHOUT_CONFIGS
        result = DescribeConfigsResponse.DescribeConfigsResult(
            resource_type=resource_type, resource_name=name, error_message=""
        )
        errors[refusal[0] if refusal else ErrorCode.NONE] += 1
        if refusal is not None:
            result.error_code, result.error_message = refusal
            if problem is None:
                joiner.add(codec.elements([result]))
            else:
                refused.append(codec.elements([result]))
        else:
            described = yield from describer.described(result, keys)
            joiner.add(described)
        yield
    # Results that the sender may not see come after the others.
    for each in refused:
        joiner.add(each)
        yield
    before, after = codec.around(DescribeConfigsResponse().encode(version), len(wanted_keys))
    return Encoded(
        buffers=whole(before, joiner, after),
        errors={int(code): times for code, times in errors.items()},
    )


def _wanted_keys(request: DescribeConfigsRequest, node_id: int) -> Steps[dict[tuple[int, str], set[str]]]:
    """The resources in the request, each once, with the keys that are asked for; an empty set means all keys."""
    wanted: dict[tuple[int, str], set[str] | None] = {}
    shown: dict[tuple[int, str], str] = {}
    for resource in request.resources:
        name = resource.resource_name
        is_own = resource.resource_type in (BROKER_RESOURCE, BROKER_LOGGER_RESOURCE) and is_node(
            name, node_id
        )
        # A node's own id can be written in several ways.
        resource_id = resource.resource_type, str(node_id) if is_own else name
        keys = resource.configuration_keys
        if resource_id not in wanted:
            wanted[resource_id], shown[resource_id] = set(keys or ()) or None, name
        elif (before := wanted[resource_id]) is not None:
            if keys:
                before.update(keys)
            else:
                wanted[resource_id] = None
        yield
    found: dict[tuple[int, str], set[str]] = {}
    for resource_id, keys_of_resource in wanted.items():
        found[resource_id[0], shown[resource_id]] = keys_of_resource or set()
        yield
    return found


class _Describer:
    """Makes the encoded results of resources. Entries that several resources have in common are made once per image."""

    def __init__(
        self, request: DescribeConfigsRequest, image: ClusterImage, version: int, services: Services
    ) -> None:
        self._request = request
        self._image = image
        self._services = services
        self.codec = element_codec(DescribeConfigsResponse, "results", version, _sample_result)
        self._entry_codec = inner_codec(
            self.codec, "configs", _sample_result, DescribeConfigsResponse.DescribeConfigsResourceResult
        )
        default = image.config(BROKER_RESOURCE, CLUSTER_DEFAULT)
        own = image.config(BROKER_RESOURCE, str(services.node.id))
        self._kept = services.metadata.caches.configs_at(default, own)
        if _NODE not in self._kept:
            self._kept[_NODE] = NodeConfigs(
                static=services.node.static_config, dynamic_default=default, dynamic_broker=own
            )
        self._node: NodeConfigs = self._kept[_NODE]
        self._view = version, bool(request.include_synonyms), bool(request.include_documentation)

    def described(
        self, result: DescribeConfigsResponse.DescribeConfigsResult, keys: Set[str]
    ) -> Steps[bytes]:
        """The bytes of a result with the entries of its resource: those of ``keys``, or all if that is empty."""
        resource_type, name = result.resource_type, result.resource_name
        own = self._image.config(resource_type, name)
        if resource_type == BROKER_LOGGER_RESOURCE:
            levels = self._services.node.logger_levels()
            responses = [_logger_response(logger, levels[logger]) for logger in sorted(levels)]
            responses = [each for each in responses if not keys or each.name in keys]
            count, entries = len(responses), self._entry_codec.elements(responses)
        elif own and resource_type != BROKER_RESOURCE:
            responses = []
            for entry in _entries(resource_type, name, own, self._node):
                if not keys or entry.name in keys:
                    responses.append(_answer(entry, self._request))
                yield
            count, entries = len(responses), self._entry_codec.elements(responses)
        else:
            shared = yield from self._shared_entries(resource_type, name)
            wanted = [data for key, data in shared.items() if not keys or key in keys]
            count, entries = len(wanted), b"".join(wanted)
        before, after = self._entry_codec.around(self.codec.elements([result]), count)
        return before + entries + after

    def _shared_entries(self, resource_type: int, name: str) -> Steps[dict[str, bytes]]:
        """By key, the entries of resources of a type that have no configs of their own, or those of this node. What is
        cached does not depend on names that a client chooses."""
        kept_as = self._view, resource_type, name == CLUSTER_DEFAULT
        # Never by a client's name: what is cached would grow with what clients think up.
        if kept_as not in self._kept:
            entries: dict[str, bytes] = {}
            for entry in _entries(resource_type, name, {}, self._node):
                entries[entry.name] = self._entry_codec.elements([_answer(entry, self._request)])
                yield
            self._kept[kept_as] = entries
        kept: dict[str, bytes] = self._kept[kept_as]
        return kept


def _sample_result() -> DescribeConfigsResponse.DescribeConfigsResult:
    return DescribeConfigsResponse.DescribeConfigsResult(error_message="")


def _refusal(
    resource_type: int, name: str, image: ClusterImage, node_id: int
) -> tuple[ErrorCode, str] | None:
    """Why a resource is not described; None if it is."""
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
    """Whether a name is the id in decimal; a plus sign and leading zeros are allowed."""
    digits = name.removeprefix("+")
    return digits.isascii() and digits.isdecimal() and digits.lstrip("0") == str(node_id).lstrip("0")


def _entries(
    resource_type: int, name: str, own: Mapping[str, str], node: NodeConfigs
) -> tuple[ConfigEntry, ...]:
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


def _logger_response(name: str, level: str) -> DescribeConfigsResponse.DescribeConfigsResourceResult:
    return DescribeConfigsResponse.DescribeConfigsResourceResult(
        name=name,
        value=level,
        config_source=ConfigSource.DYNAMIC_BROKER_LOGGER,
        config_type=ConfigType.UNKNOWN,
        documentation="",
    )


def refuse(request: DescribeConfigsRequest, refusal: Refusal) -> Steps[DescribeConfigsResponse]:
    """The error once for each time that a resource is named."""
    results = yield from refuse_each(
        request.resources,
        lambda resource: DescribeConfigsResponse.DescribeConfigsResult(
            error_code=refusal.code,
            error_message=refusal.message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
        ),
    )
    return DescribeConfigsResponse(results=results)


_SERVED = Served(
    handler=handle_describe_configs, access=of_items(Operation.DESCRIBE_CONFIGS, ResourceType.ANY)
)
API = Api(key=ApiKey.DESCRIBE_CONFIGS, bounds=KEYS, broker=_SERVED, controller=_SERVED, refuse=refuse)
