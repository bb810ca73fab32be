"""IncrementalAlterConfigs (44, v0-1) and AlterConfigs (33, v0-2): configs of topics, brokers, groups and client
metrics subscriptions.

Each resource is changed wholly or not at all, independently of the others. If a key is named twice, the last mention
counts, and setting null deletes the value. Brokers refuse both to their clients, but a controller that gets the request
directly is as lenient as in Apache Kafka. A value for brokers is always recorded anew; for other resources only a
different value is.

With ELR on (KIP-966), min.insync.replicas has one value for the cluster, which cannot be removed. If that value or a
topic's own changes, the eligible leader replicas of the cluster or of the topic are forgotten.

Errors are found in Kafka's order: operations on lists for keys that are no lists, lengths and min.insync.replicas,
names, values, and last whether the topic or node exists at all.

Apache Kafka's controllers record any value for brokers, which then fail because of it. Here, read-only keys and values
that no broker accepts are refused. An operation that cannot be applied (a null list, an unknown operation) is an error
of the request, not of the controller.

Not here: alter-config policies, which are Java classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterConfigsRequest,
    AlterConfigsResponse,
    ClearElrRecord,
    ConfigRecord,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from kafkaproto_server.base.error_texts import without_frames
from kafkaproto_server.base.later import Steps
from kafkaproto_server.config.keys.definitions import CLIENT_METRICS_KEYS, GROUP_KEYS, TOPIC_KEYS, broker_key
from kafkaproto_server.config.keys.group_values import validate_group_configs
from kafkaproto_server.config.keys.lists import with_entries, without_entries
from kafkaproto_server.config.keys.model import ConfigType
from kafkaproto_server.config.keys.validate import validate_broker_config
from kafkaproto_server.core.controller.commands.create_topics import check_number_of_configs, check_topic_name
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.core.controller.values.topic_configs import CLUSTER_DEFAULT, MIN_INSYNC_REPLICAS
from kafkaproto_server.metadata.image.entries import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from kafkaproto_server.metadata.image.image import ClusterImage

MAX_VALUE_BYTES = 32_767
"""Longest value, as in Apache Kafka's controllers: a list can grow beyond what one request can hold."""

_MAX_DIGITS = 10
"""Digits of the highest node id."""

_SET, _DELETE, _APPEND, _SUBTRACT = range(4)
_OPERATIONS = ("SET", "DELETE", "APPEND", "SUBTRACT")

Changes = dict[str, str | None]
"""New values by key; None if the key is no longer set."""


_Results = dict[tuple[int, str], ApiError | None]
"""The error of each resource that a request names; None if it was changed."""


def incrementally_alter_configs(
    situation: Situation, request: IncrementalAlterConfigsRequest
) -> Steps[CommandResult]:
    """IncrementalAlterConfigs: change the named keys, and leave the others as they are."""
    results, records = yield from _alter(situation, request, _incremental_changes)
    response = yield from _response(IncrementalAlterConfigsResponse, results)
    return CommandResult(response=response, records=records)


def alter_configs(situation: Situation, request: AlterConfigsRequest) -> Steps[CommandResult]:
    """AlterConfigs: set the named keys, and delete all others."""
    results, records = yield from _alter(situation, request, _complete_changes)
    response = yield from _response(AlterConfigsResponse, results)
    return CommandResult(response=response, records=records)


def _response(response_class: Any, results: Mapping[tuple[int, str], ApiError | None]) -> Steps[Message]:
    responses = []
    for resource, error in results.items():
        responses.append(_resource_response(response_class, resource, error))
        yield
    response: Message = response_class(responses=responses)
    return response


def _resource_response(response_class: Any, resource: tuple[int, str], error: ApiError | None) -> Any:
    return response_class.AlterConfigsResourceResponse(
        error_code=ErrorCode.NONE if error is None else error.code,
        error_message=None if error is None else error.message,
        resource_type=resource[0],
        resource_name=resource[1],
    )


def _names(request: Any) -> Iterator[tuple[int, str]]:
    """Type and name of each resource, in the order of the request."""
    return ((each.resource_type, each.resource_name) for each in request.resources)


def _alter(
    situation: Situation, request: Any, changes_of: Callable[[Any, Mapping[str, str]], Changes]
) -> Steps[tuple[_Results, tuple[Message, ...]]]:
    """The result of each resource, and the records of those that are changed."""
    times_named: dict[tuple[int, str], int] = {}
    for key in _names(request):
        # Counted first: which of two mentions counts would depend on their order, so neither does.
        times_named[key] = times_named.get(key, 0) + 1
        yield
    results: _Results = {}
    records: list[Message] = []
    elr_records: list[Message] = []
    for resource in request.resources:
        resource_type, name = key = (resource.resource_type, resource.resource_name)
        if key in results:
            yield
            continue
        # Before the checks, so that a second mention of the resource is passed over, whatever becomes of the first.
        results[key] = None
        try:
            if times_named[key] > 1:
                raise ApiError(
                    ErrorCode.INVALID_REQUEST,
                    f"The resource of type {resource_type} and name {name!r} is named twice.",
                )
            check_number_of_configs(resource.configs)
            _check_type(resource_type)
            # The newest image, uncommitted changes included: APPEND and SUBTRACT build on the value
            # that was set last.
            current = situation.image.config(resource_type, name)
            changes = changes_of(resource, current)
            _check_any_value(situation.image, resource_type, name, changes)
            _check_name(resource_type, name)
            _check_values(situation, resource_type, name, current, changes)
        except ApiError as error:
            results[key] = without_frames(error)
            yield
            continue
        for config_key, value in changes.items():
            # A record makes a broker reload its configs even if no value has changed (KAFKA-14136).
            # Kafka's ConfigurationControlManager has this exception, too.
            if resource_type != BROKER_RESOURCE and current.get(config_key) == value:
                continue
            records.append(
                ConfigRecord(resource_type=resource_type, resource_name=name, name=config_key, value=value)
            )
            # Replicas became eligible under the old value. With a lower one, records may be
            # acknowledged that they do not have (KIP-966).
            if config_key == MIN_INSYNC_REPLICAS and situation.image.elr_enabled:
                elr_records.append(ClearElrRecord(topic_name=name))
        yield
    # In one batch with the configs: between the two, an election could choose by an ELR of the old
    # value.
    return results, () if request.validate_only else (*records, *elr_records)


# --- what a request comes to ---


def _incremental_changes(resource: Any, current: Mapping[str, str]) -> Changes:
    changes: Changes = {}
    last_mentions = {config.name: config for config in resource.configs}
    for key, config in last_mentions.items():
        operation = config.config_operation
        if operation == _SET:
            changes[key] = config.value
        # A null value of SET means the same: the value of the record is null in both cases.
        elif operation == _DELETE:
            changes[key] = None
        elif operation in (_APPEND, _SUBTRACT):
            changes[key] = _changed_list(resource.resource_type, config, current.get(key))
        else:
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"Operation {operation} on {key} is none of 0 (SET), 1 (DELETE), 2 (APPEND), 3 (SUBTRACT).",
            )
    return changes


def _changed_list(resource_type: int, config: Any, current: str | None) -> str:
    """A list with entries added or removed; a list that is not set starts as its default."""
    key, operation = config.name, config.config_operation
    definition = None
    if resource_type == TOPIC_RESOURCE:
        definition = TOPIC_KEYS.get(key)
    elif resource_type == BROKER_RESOURCE:
        definition = broker_key(key)
    if definition is None or definition.type is not ConfigType.LIST:
        raise ApiError(
            ErrorCode.INVALID_CONFIG, f"{_OPERATIONS[operation]} is for lists, and {key} is not known as one."
        )
    if config.value is None:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"{_OPERATIONS[operation]} of null to {key}.")
    # An entry that is appended to a list that is not set must not silently drop the default's
    # entries.
    value = definition.default if current is None else current
    change = with_entries if operation == _APPEND else without_entries
    return change(value or "", config.value)


def _complete_changes(resource: Any, current: Mapping[str, str]) -> Changes:
    changes: Changes = {config.name: config.value for config in resource.configs}
    # AlterConfigs replaces all of a resource (KIP-133). IncrementalAlterConfigs exists because of
    # that (KIP-339): a client that does not know all keys deletes some.
    for key in sorted(current):
        changes.setdefault(key, None)
    return changes


# --- what is allowed ---


def _check_type(resource_type: int) -> None:
    if resource_type == BROKER_LOGGER_RESOURCE:
        # IncrementalAlterConfigs changes them without asking the controller.
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            "The levels of loggers are each node's own, and changed by IncrementalAlterConfigs only.",
        )
    if resource_type not in (TOPIC_RESOURCE, BROKER_RESOURCE, GROUP_RESOURCE, CLIENT_METRICS_RESOURCE):
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, f"Resource type {resource_type} is unknown.")


def _check_any_value(image: ClusterImage, resource_type: int, name: str, changes: Changes) -> None:
    """Raise ApiError for a value that is too long, or a min.insync.replicas that the resource may not have."""
    for key, value in changes.items():
        # Older versions of the protocol give a string an int16 length, so no response could hold a
        # longer value.
        if value is not None and len(value.encode()) > MAX_VALUE_BYTES:
            raise ApiError(
                ErrorCode.INVALID_CONFIG, f"The value of {key} is longer than {MAX_VALUE_BYTES} bytes."
            )
    if resource_type != BROKER_RESOURCE or not image.elr_enabled or MIN_INSYNC_REPLICAS not in changes:
        return
    # The active controller decides about the ELR. With values by broker, an election would depend
    # on who is active.
    if name != CLUSTER_DEFAULT:
        problem = "is the cluster's alone while eligible leader replicas are kept"
    elif changes[MIN_INSYNC_REPLICAS] is None:
        problem = "is needed while eligible leader replicas are kept"
    else:
        return
    raise ApiError(ErrorCode.INVALID_CONFIG, f"{MIN_INSYNC_REPLICAS} {problem}.")


def _check_name(resource_type: int, name: str) -> None:
    """Raise ApiError unless a resource may have this name, whether it exists or not."""
    if resource_type == TOPIC_RESOURCE:
        if not name:
            raise ApiError(ErrorCode.INVALID_REQUEST, "Topics have no common configs: a name is needed.")
        check_topic_name(name)
    elif resource_type == BROKER_RESOURCE:
        # A name such as "01" would be a resource of its own, which no node ever reads.
        if name != CLUSTER_DEFAULT and _node_id(name) is None:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"{name!r} is no node id.")
    elif not name:
        raise ApiError(ErrorCode.INVALID_REQUEST, "The name of a group or subscription is needed.")


def _node_id(name: str) -> int | None:
    """The node id in this text; None if it is none."""
    node_id = int(name) if name.isascii() and name.isdecimal() and len(name) <= _MAX_DIGITS else None
    return node_id if name == str(node_id) else None


def _check_existence(situation: Situation, resource_type: int, name: str) -> None:
    """Raise ApiError if there is no such topic or node. Other resources exist as soon as they have configs."""
    image = situation.image
    if resource_type == TOPIC_RESOURCE and name not in image.topic_ids:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic {name!r} does not exist.")
    if resource_type == BROKER_RESOURCE and name != CLUSTER_DEFAULT:
        node_id = _node_id(name)
        is_controller = node_id == situation.node_id or node_id in situation.config.static_voter_ids
        if not is_controller and node_id not in image.controllers and node_id not in image.brokers:
            raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, f"No node has the id {name}.")


def _check_values(
    situation: Situation, resource_type: int, name: str, current: Mapping[str, str], changes: Changes
) -> None:
    """Raise ApiError unless the resource exists and may have the values that it would have after the changes.

    As in Kafka, if a topic does not exist and a value is invalid, the error is that of the value.
    """
    # The whole result is validated, because some keys are checked against others. A value that is
    # deleted does not count any more.
    after = {
        key: value
        for key, value in {**current, **changes}.items()
        # A key that another release has left there harms nothing.
        if value is not None and (key in changes or _is_known(resource_type, key))
    }
    problem = None
    if resource_type == TOPIC_RESOURCE:
        problem = situation.topic_defaults().validate_topic(after)
    elif resource_type == GROUP_RESOURCE:
        problem = validate_group_configs(after, situation.topic_defaults().value_of)
    elif resource_type == CLIENT_METRICS_RESOURCE:
        _check_client_metrics_values(after)
    if problem is not None:
        raise ApiError(ErrorCode.INVALID_CONFIG, problem)
    # After the values: of several faults Kafka names this one last.
    _check_existence(situation, resource_type, name)
    if resource_type == BROKER_RESOURCE:
        _check_broker_values(name, changes)


def _is_known(resource_type: int, key: str) -> bool:
    definitions = {
        TOPIC_RESOURCE: TOPIC_KEYS,
        GROUP_RESOURCE: GROUP_KEYS,
        CLIENT_METRICS_RESOURCE: CLIENT_METRICS_KEYS,
    }.get(resource_type)
    return definitions is None or key in definitions


def _check_broker_values(name: str, changes: Changes) -> None:
    for key, value in changes.items():
        # A key that is deleted needs no check: it may be one that only an older release knew.
        if value is not None:
            # Kafka's controllers check nothing here: only a broker that forwards the request does. A value that no
            # broker accepts would stay in the log, and fail at each start.
            refused = validate_broker_config(key, value, cluster_default=name == CLUSTER_DEFAULT)
            if refused is not None:
                raise ApiError(ErrorCode.INVALID_REQUEST, refused)


def _check_client_metrics_values(values: Mapping[str, str]) -> None:
    for key in values:
        if key not in CLIENT_METRICS_KEYS:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"Unknown client metrics config name: {key}")
    for key, value in sorted(values.items()):
        definition = CLIENT_METRICS_KEYS[key]
        problem = definition.problem_with(value)
        if problem is not None:
            # Like Kafka, distinguish a number out of range from a text that is no number.
            is_out_of_range = definition.has_type(value) and definition.minimum is not None
            code = ErrorCode.INVALID_REQUEST if is_out_of_range else ErrorCode.INVALID_CONFIG
            raise ApiError(code, f"{key}={value!r} {problem}")
