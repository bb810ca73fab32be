"""The one list of what is served where: (kind of listener, api key) -> versions and handler.

What ApiVersions answers is computed from it, so that nothing is advertised that is not served. The versions of a key
are those of Kafka's release (`messages/SOURCE.md`): clients infer the release from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kafkaproto.api import api_by_key
from kafkaproto.message import Message
from kafkaproto_server.apis.acls import handle_alter_acls, handle_describe_acls
from kafkaproto_server.apis.alter_configs import handle_alter_configs, handle_own_alter_configs
from kafkaproto_server.apis.authorization import (
    Access,
    CheckedBy,
    authorized_configs,
    handle_create_partitions,
    handle_create_topics,
    handle_delete_topics,
    log_denials,
    refusal,
)
from kafkaproto_server.apis.client_quotas import handle_describe_client_quotas
from kafkaproto_server.apis.cluster import handle_describe_cluster
from kafkaproto_server.apis.commands import (
    handle_command,
    handle_describe_quorum,
    handle_forward,
)
from kafkaproto_server.apis.config_resources import handle_list_config_resources
from kafkaproto_server.apis.configs import handle_describe_configs
from kafkaproto_server.apis.context import Reply, RequestContext, Services
from kafkaproto_server.apis.credentials import handle_describe_scram_credentials
from kafkaproto_server.apis.delegation_tokens import (
    handle_alter_delegation_token,
    handle_create_delegation_token,
    handle_describe_delegation_token,
)
from kafkaproto_server.apis.envelope import handle_envelope
from kafkaproto_server.apis.log_directories import handle_describe_log_dirs
from kafkaproto_server.apis.metadata import handle_metadata
from kafkaproto_server.apis.quorum import handle_raft_request
from kafkaproto_server.apis.reassignments import handle_list_reassignments
from kafkaproto_server.apis.topic_partitions import handle_describe_topic_partitions
from kafkaproto_server.apis.versions import handle_api_versions
from kafkaproto_server.image.image import BROKER_LOGGER_RESOURCE
from kafkaproto_server.security.acls import Operation, ResourceType
from kafkaproto_server.types import ListenerKind, Steps, StepsType

Handler = Callable[[Any, RequestContext, Services], Reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedApi:
    """One api on one kind of listener."""

    handler: Handler
    access: Access | None
    """What the sender must be allowed to do; None where anybody is served."""
    is_forwarded: bool = False
    """Whether a broker passes it on to the active controller, and so offers no more than that one does."""
    passes_on_unread: bool = False
    """Whether a broker passes it on as it came."""


def _api_versions(request: Any, context: RequestContext, services: Services) -> Reply:
    return handle_api_versions(request, context, services, advertised(context.listener_kind, services))


def _envelope(request: Any, context: RequestContext, services: Services) -> Reply:
    # It serves requests by this table, and so does this module's caller.
    from kafkaproto_server.apis.serving import serve

    return handle_envelope(request, context, services, serve)


def _access(operation: Operation, resource_type: ResourceType) -> Access:
    """What a handler asks for item by item."""
    return Access(operation=operation, resource_type=resource_type, checked_by=CheckedBy.HANDLER)


def _command(operation: Operation) -> ServedApi:
    """A command that needs an operation on the cluster."""
    return ServedApi(handler=handle_command, access=Access(operation=operation))


_FORWARDED = ServedApi(
    handler=handle_forward,
    # The operation is in the controllers' part of the table.
    access=Access(operation=Operation.ANY, checked_by=CheckedBy.CONTROLLER),
    is_forwarded=True,
    passes_on_unread=True,
)
_OF_NODES = Access(operation=Operation.CLUSTER_ACTION)
_COMMAND = ServedApi(handler=handle_command, access=_OF_NODES)
"""What nodes ask of the active controller."""
_RAFT = ServedApi(handler=handle_raft_request, access=_OF_NODES)
_ALTER_VOTERS = ServedApi(handler=handle_raft_request, access=Access(operation=Operation.ALTER))
_DESCRIBE_CONFIGS = ServedApi(
    handler=handle_describe_configs,
    access=_access(Operation.DESCRIBE_CONFIGS, ResourceType.ANY),
)
_ALTER_CONFIGS_ACCESS = _access(Operation.ALTER_CONFIGS, ResourceType.ANY)
_ALTER_CONFIGS = ServedApi(
    # The other resources are forwarded; a broker carries out what is for its own loggers.
    handler=authorized_configs(handle_alter_configs, frozenset({BROKER_LOGGER_RESOURCE})),
    access=_ALTER_CONFIGS_ACCESS,
    is_forwarded=True,
)
_DESCRIBE_ACLS = ServedApi(handler=handle_describe_acls, access=Access(operation=Operation.DESCRIBE))
_ALTER_ACLS = ServedApi(handler=handle_alter_acls, access=Access(operation=Operation.ALTER))
_DESCRIBE_TOKENS = ServedApi(
    handler=handle_describe_delegation_token,
    access=_access(Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN),
)
# A token's owner and renewers need no ACL, and nobody else may.
_ALTER_TOKEN = ServedApi(handler=handle_alter_delegation_token, access=None)
_DESCRIBE_SCRAM = ServedApi(
    handler=handle_describe_scram_credentials, access=Access(operation=Operation.DESCRIBE)
)

TABLE: dict[ListenerKind, dict[int, ServedApi]] = {
    ListenerKind.BROKER: {
        3: ServedApi(handler=handle_metadata, access=_access(Operation.DESCRIBE, ResourceType.TOPIC)),
        18: ServedApi(handler=_api_versions, access=None),
        19: _FORWARDED,
        20: _FORWARDED,
        29: _DESCRIBE_ACLS,
        30: _FORWARDED,
        31: _FORWARDED,
        32: _DESCRIBE_CONFIGS,
        33: _ALTER_CONFIGS,
        35: ServedApi(handler=handle_describe_log_dirs, access=Access(operation=Operation.DESCRIBE)),
        37: _FORWARDED,
        43: _FORWARDED,
        38: _FORWARDED,
        39: _FORWARDED,
        40: _FORWARDED,
        41: _DESCRIBE_TOKENS,
        44: _ALTER_CONFIGS,
        48: ServedApi(
            handler=handle_describe_client_quotas, access=Access(operation=Operation.DESCRIBE_CONFIGS)
        ),
        49: _FORWARDED,
        50: _DESCRIBE_SCRAM,
        51: _FORWARDED,
        45: _FORWARDED,
        46: _FORWARDED,
        55: _FORWARDED,
        57: _FORWARDED,
        60: ServedApi(handler=handle_describe_cluster, access=None),
        64: _FORWARDED,
        74: ServedApi(
            handler=handle_list_config_resources, access=Access(operation=Operation.DESCRIBE_CONFIGS)
        ),
        75: ServedApi(
            handler=handle_describe_topic_partitions,
            access=_access(Operation.DESCRIBE, ResourceType.TOPIC),
        ),
        80: _FORWARDED,
        81: _FORWARDED,
    },
    ListenerKind.CONTROLLER: {
        1: _RAFT,
        18: ServedApi(handler=_api_versions, access=None),
        19: ServedApi(handler=handle_create_topics, access=_access(Operation.CREATE, ResourceType.TOPIC)),
        20: ServedApi(handler=handle_delete_topics, access=_access(Operation.DELETE, ResourceType.TOPIC)),
        29: _DESCRIBE_ACLS,
        30: _ALTER_ACLS,
        31: _ALTER_ACLS,
        32: _DESCRIBE_CONFIGS,
        33: ServedApi(handler=authorized_configs(handle_command), access=_ALTER_CONFIGS_ACCESS),
        37: ServedApi(handler=handle_create_partitions, access=_access(Operation.ALTER, ResourceType.TOPIC)),
        43: _command(Operation.ALTER),
        38: ServedApi(
            handler=handle_create_delegation_token,
            access=_access(Operation.CREATE_TOKENS, ResourceType.USER),
        ),
        39: _ALTER_TOKEN,
        40: _ALTER_TOKEN,
        41: _DESCRIBE_TOKENS,
        44: ServedApi(handler=authorized_configs(handle_own_alter_configs), access=_ALTER_CONFIGS_ACCESS),
        45: _command(Operation.ALTER),
        46: ServedApi(handler=handle_list_reassignments, access=Access(operation=Operation.DESCRIBE)),
        49: _command(Operation.ALTER_CONFIGS),
        50: _DESCRIBE_SCRAM,
        51: _command(Operation.ALTER),
        52: _RAFT,
        53: _RAFT,
        54: _RAFT,
        55: ServedApi(handler=handle_describe_quorum, access=Access(operation=Operation.DESCRIBE)),
        56: _COMMAND,
        57: _command(Operation.ALTER),
        58: ServedApi(handler=_envelope, access=_OF_NODES),
        59: _RAFT,
        60: ServedApi(handler=handle_describe_cluster, access=Access(operation=Operation.ALTER)),
        62: _COMMAND,
        63: _COMMAND,
        64: _command(Operation.ALTER),
        67: _COMMAND,
        70: _COMMAND,
        73: _COMMAND,
        80: _ALTER_VOTERS,
        81: _ALTER_VOTERS,
        82: _RAFT,
    },
}


def served_versions(kind: ListenerKind, api_key: int) -> tuple[int, int] | None:
    """Lowest and highest version of a key on a kind of listener, None where it is not served there."""
    if api_key not in TABLE[kind]:
        return None
    api = api_by_key(api_key)
    assert api is not None, f"api key {api_key} is in the table but has no schema"
    return api.min_version, api.max_stable_version


def advertised(kind: ListenerKind, services: Services) -> Mapping[int, tuple[int, int]]:
    """What ApiVersions tells a client: of a forwarded api only the versions that the active controller has too."""
    controller = services.controller_versions() if kind is ListenerKind.BROKER else None
    result: dict[int, tuple[int, int]] = {}
    for api_key, served in TABLE[kind].items():
        versions = served_versions(kind, api_key)
        assert versions is not None
        lowest, highest = versions
        if served.is_forwarded and controller is not None:
            if api_key not in controller:
                continue
            lowest = max(lowest, controller[api_key][0])
            highest = min(highest, controller[api_key][1])
        if lowest <= highest:
            result[api_key] = (lowest, highest)
    return result


def dispatch(request: Message, context: RequestContext, services: Services) -> Reply:
    """Have the right handler answer a request whose key the listener serves, if its sender may ask for it."""
    served = TABLE[context.listener_kind][context.api_key]
    refused = refusal(request, served.access, context, services)
    reply = served.handler(request, context, services) if refused is None else refused
    if isinstance(reply, StepsType):
        return _denials_logged(reply, context)
    log_denials(context)
    return reply


def _denials_logged(steps: Steps[Any], context: RequestContext) -> Steps[Any]:
    """The same steps; what they found their sender may not do is logged at their end."""
    reply = yield from steps
    if isinstance(reply, StepsType):
        return _denials_logged(reply, context)
    log_denials(context)
    return reply
