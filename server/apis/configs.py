"""DescribeConfigs (32), versions 1-4, broker and controller listeners.

What each resource answers:

- TOPIC: every key of topics with the value in effect; the topic must exist (INVALID_TOPIC_EXCEPTION for an illegal
  name, else UNKNOWN_TOPIC_OR_PARTITION).
- BROKER: with this node's own id, every key of a broker; with the empty name, what is set for all brokers; any other
  name is INVALID_REQUEST, as only a node itself knows its file. A controller answers likewise.
- BROKER_LOGGER: the levels of this node's loggers, under the names they have in this server.
- GROUP and CLIENT_METRICS: every key, whether or not such a group or subscription exists; the name must not be empty.
- Any other resource type is INVALID_REQUEST.

A list of keys narrows the answer; keys that do not exist are passed over, and an empty list is as good as none.
Values, sources and synonyms are those of stock 4.3.1, except that entries come in order of their names (stock: in the
order of a hash table). From version 3 on entries can carry a documentation; it is a sentence made from the key's
definition, not Kafka's text. Levels of loggers are read only here.

Not done: authorization.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeConfigsRequest, DescribeConfigsResponse
from server.apis.topic_names import topic_name_problem
from server.config_keys.node_configs import ConfigEntry, ConfigSource, NodeConfigs
from server.image.image import BROKER_RESOURCE, TOPIC_RESOURCE, ClusterImage

BROKER_LOGGER_RESOURCE = 8
CLIENT_METRICS_RESOURCE = 16
GROUP_RESOURCE = 32

_ResourceResult = DescribeConfigsResponse.DescribeConfigsResourceResult
_Result = DescribeConfigsResponse.DescribeConfigsResult
_Synonym = DescribeConfigsResponse.DescribeConfigsSynonym


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refusal(Exception):
    """Why one resource is not described."""

    code: ErrorCode
    message: str


def describe_configs(
    request: DescribeConfigsRequest,
    *,
    image: ClusterImage,
    static: Mapping[str, str],
    node_id: int,
    logger_levels: Mapping[str, str],
) -> DescribeConfigsResponse:
    """Describe each resource of the request in turn; what is wrong with one leaves the others alone.

    ``static`` are the properties of this node as they were written, ``logger_levels`` the level by name of the loggers
    of this process.
    """
    describer = _Describer(image, static, node_id, logger_levels)
    results = []
    for resource in request.resources:
        result = _Result(resource_type=resource.resource_type, resource_name=resource.resource_name)
        try:
            configs = describer.describe(resource.resource_type, resource.resource_name, request)
        except _Refusal as refusal:
            result.error_code, result.error_message = refusal.code, refusal.message
        else:
            wanted = set(resource.configuration_keys or ())
            result.configs = [each for each in configs if not wanted or each.name in wanted]
        results.append(result)
    return DescribeConfigsResponse(results=results)
