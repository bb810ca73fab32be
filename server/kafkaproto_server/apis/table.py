"""The one list of what is served where: (kind of listener, api key) -> versions and handler.

What ApiVersions answers is computed from it, so that nothing is advertised that is not served. The versions of a key
are those of Kafka's release (`messages/SOURCE.md`): clients infer the release from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kafkaproto.api import ApiKey, api_by_key
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
        ApiKey.METADATA: ServedApi(
            handler=handle_metadata, access=_access(Operation.DESCRIBE, ResourceType.TOPIC)
        ),
        ApiKey.API_VERSIONS: ServedApi(handler=_api_versions, access=None),
        ApiKey.CREATE_TOPICS: _FORWARDED,
        ApiKey.DELETE_TOPICS: _FORWARDED,
        ApiKey.DESCRIBE_ACLS: _DESCRIBE_ACLS,
        ApiKey.CREATE_ACLS: _FORWARDED,
        ApiKey.DELETE_ACLS: _FORWARDED,
        ApiKey.DESCRIBE_CONFIGS: _DESCRIBE_CONFIGS,
        ApiKey.ALTER_CONFIGS: _ALTER_CONFIGS,
        ApiKey.DESCRIBE_LOG_DIRS: ServedApi(
            handler=handle_describe_log_dirs, access=Access(operation=Operation.DESCRIBE)
        ),
        ApiKey.CREATE_PARTITIONS: _FORWARDED,
        ApiKey.ELECT_LEADERS: _FORWARDED,
        ApiKey.CREATE_DELEGATION_TOKEN: _FORWARDED,
        ApiKey.RENEW_DELEGATION_TOKEN: _FORWARDED,
        ApiKey.EXPIRE_DELEGATION_TOKEN: _FORWARDED,
        ApiKey.DESCRIBE_DELEGATION_TOKEN: _DESCRIBE_TOKENS,
        ApiKey.INCREMENTAL_ALTER_CONFIGS: _ALTER_CONFIGS,
        ApiKey.DESCRIBE_CLIENT_QUOTAS: ServedApi(
            handler=handle_describe_client_quotas, access=Access(operation=Operation.DESCRIBE_CONFIGS)
        ),
        ApiKey.ALTER_CLIENT_QUOTAS: _FORWARDED,
        ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: _DESCRIBE_SCRAM,
        ApiKey.ALTER_USER_SCRAM_CREDENTIALS: _FORWARDED,
        ApiKey.ALTER_PARTITION_REASSIGNMENTS: _FORWARDED,
        ApiKey.LIST_PARTITION_REASSIGNMENTS: _FORWARDED,
        ApiKey.DESCRIBE_QUORUM: _FORWARDED,
        ApiKey.UPDATE_FEATURES: _FORWARDED,
        ApiKey.DESCRIBE_CLUSTER: ServedApi(handler=handle_describe_cluster, access=None),
        ApiKey.UNREGISTER_BROKER: _FORWARDED,
        ApiKey.LIST_CONFIG_RESOURCES: ServedApi(
            handler=handle_list_config_resources, access=Access(operation=Operation.DESCRIBE_CONFIGS)
        ),
        ApiKey.DESCRIBE_TOPIC_PARTITIONS: ServedApi(
            handler=handle_describe_topic_partitions,
            access=_access(Operation.DESCRIBE, ResourceType.TOPIC),
        ),
        ApiKey.ADD_RAFT_VOTER: _FORWARDED,
        ApiKey.REMOVE_RAFT_VOTER: _FORWARDED,
    },
    ListenerKind.CONTROLLER: {
        ApiKey.FETCH: _RAFT,
        ApiKey.API_VERSIONS: ServedApi(handler=_api_versions, access=None),
        ApiKey.CREATE_TOPICS: ServedApi(
            handler=handle_create_topics, access=_access(Operation.CREATE, ResourceType.TOPIC)
        ),
        ApiKey.DELETE_TOPICS: ServedApi(
            handler=handle_delete_topics, access=_access(Operation.DELETE, ResourceType.TOPIC)
        ),
        ApiKey.DESCRIBE_ACLS: _DESCRIBE_ACLS,
        ApiKey.CREATE_ACLS: _ALTER_ACLS,
        ApiKey.DELETE_ACLS: _ALTER_ACLS,
        ApiKey.DESCRIBE_CONFIGS: _DESCRIBE_CONFIGS,
        ApiKey.ALTER_CONFIGS: ServedApi(
            handler=authorized_configs(handle_command), access=_ALTER_CONFIGS_ACCESS
        ),
        ApiKey.CREATE_PARTITIONS: ServedApi(
            handler=handle_create_partitions, access=_access(Operation.ALTER, ResourceType.TOPIC)
        ),
        ApiKey.ELECT_LEADERS: _command(Operation.ALTER),
        ApiKey.CREATE_DELEGATION_TOKEN: ServedApi(
            handler=handle_create_delegation_token,
            access=_access(Operation.CREATE_TOKENS, ResourceType.USER),
        ),
        ApiKey.RENEW_DELEGATION_TOKEN: _ALTER_TOKEN,
        ApiKey.EXPIRE_DELEGATION_TOKEN: _ALTER_TOKEN,
        ApiKey.DESCRIBE_DELEGATION_TOKEN: _DESCRIBE_TOKENS,
        ApiKey.INCREMENTAL_ALTER_CONFIGS: ServedApi(
            handler=authorized_configs(handle_own_alter_configs), access=_ALTER_CONFIGS_ACCESS
        ),
        ApiKey.ALTER_PARTITION_REASSIGNMENTS: _command(Operation.ALTER),
        ApiKey.LIST_PARTITION_REASSIGNMENTS: ServedApi(
            handler=handle_list_reassignments, access=Access(operation=Operation.DESCRIBE)
        ),
        ApiKey.ALTER_CLIENT_QUOTAS: _command(Operation.ALTER_CONFIGS),
        ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: _DESCRIBE_SCRAM,
        ApiKey.ALTER_USER_SCRAM_CREDENTIALS: _command(Operation.ALTER),
        ApiKey.VOTE: _RAFT,
        ApiKey.BEGIN_QUORUM_EPOCH: _RAFT,
        ApiKey.END_QUORUM_EPOCH: _RAFT,
        ApiKey.DESCRIBE_QUORUM: ServedApi(
            handler=handle_describe_quorum, access=Access(operation=Operation.DESCRIBE)
        ),
        ApiKey.ALTER_PARTITION: _COMMAND,
        ApiKey.UPDATE_FEATURES: _command(Operation.ALTER),
        ApiKey.ENVELOPE: ServedApi(handler=_envelope, access=_OF_NODES),
        ApiKey.FETCH_SNAPSHOT: _RAFT,
        ApiKey.DESCRIBE_CLUSTER: ServedApi(
            handler=handle_describe_cluster, access=Access(operation=Operation.ALTER)
        ),
        ApiKey.BROKER_REGISTRATION: _COMMAND,
        ApiKey.BROKER_HEARTBEAT: _COMMAND,
        ApiKey.UNREGISTER_BROKER: _command(Operation.ALTER),
        ApiKey.ALLOCATE_PRODUCER_IDS: _COMMAND,
        ApiKey.CONTROLLER_REGISTRATION: _COMMAND,
        ApiKey.ASSIGN_REPLICAS_TO_DIRS: _COMMAND,
        ApiKey.ADD_RAFT_VOTER: _ALTER_VOTERS,
        ApiKey.REMOVE_RAFT_VOTER: _ALTER_VOTERS,
        ApiKey.UPDATE_RAFT_VOTER: _RAFT,
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
