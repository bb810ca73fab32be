"""The table of commands: by API key, the function that carries out the request.

The core only says why it refuses a command; the API's row in `apis.table` makes the response.

Apache Kafka: ``ControllerApis`` and the methods of ``QuorumController``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.controller.brokers.allocate_producer_ids import allocate_producer_ids
from kafkaproto_server.core.controller.brokers.alter_partition import alter_partition
from kafkaproto_server.core.controller.brokers.assign_replicas_to_dirs import assign_directories
from kafkaproto_server.core.controller.brokers.heartbeats import heartbeat
from kafkaproto_server.core.controller.brokers.registration import (
    register_broker,
    register_controller,
)
from kafkaproto_server.core.controller.brokers.unregister_broker import unregister_broker
from kafkaproto_server.core.controller.commands.acls import (
    create_acls,
    delete_acls,
)
from kafkaproto_server.core.controller.commands.alter_client_quotas import alter_client_quotas
from kafkaproto_server.core.controller.commands.alter_configs import (
    alter_configs,
    incrementally_alter_configs,
)
from kafkaproto_server.core.controller.commands.alter_partition_reassignments import alter_reassignments
from kafkaproto_server.core.controller.commands.alter_user_scram_credentials import alter_scram_credentials
from kafkaproto_server.core.controller.commands.create_partitions import create_partitions
from kafkaproto_server.core.controller.commands.create_topics import create_topics
from kafkaproto_server.core.controller.commands.delegation_tokens import (
    create_delegation_token,
    expire_delegation_token,
    renew_delegation_token,
)
from kafkaproto_server.core.controller.commands.delete_topics import delete_topics
from kafkaproto_server.core.controller.commands.elect_leaders import elect_leaders
from kafkaproto_server.core.controller.commands.unregister_controller import unregister_controller
from kafkaproto_server.core.controller.commands.update_features import update_features
from kafkaproto_server.core.controller.values.command import ApiError, Decision, Situation
from kafkaproto_server.core.controller.values.events import CommandReceived

Run: TypeAlias = Callable[[Situation, Any], Decision]
"""Carries out a request; raises ApiError to refuse all of it."""

COMMANDS: Mapping[int, Run] = {
    ApiKey.CREATE_TOPICS: create_topics,
    ApiKey.DELETE_TOPICS: delete_topics,
    ApiKey.CREATE_ACLS: create_acls,
    ApiKey.DELETE_ACLS: delete_acls,
    ApiKey.ALTER_CONFIGS: alter_configs,
    ApiKey.CREATE_PARTITIONS: create_partitions,
    ApiKey.ELECT_LEADERS: elect_leaders,
    ApiKey.CREATE_DELEGATION_TOKEN: create_delegation_token,
    ApiKey.RENEW_DELEGATION_TOKEN: renew_delegation_token,
    ApiKey.EXPIRE_DELEGATION_TOKEN: expire_delegation_token,
    ApiKey.INCREMENTAL_ALTER_CONFIGS: incrementally_alter_configs,
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: alter_reassignments,
    ApiKey.ALTER_PARTITION: alter_partition,
    ApiKey.ALTER_CLIENT_QUOTAS: alter_client_quotas,
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: alter_scram_credentials,
    ApiKey.UPDATE_FEATURES: update_features,
    ApiKey.BROKER_REGISTRATION: register_broker,
    ApiKey.BROKER_HEARTBEAT: heartbeat,
    ApiKey.UNREGISTER_BROKER: unregister_broker,
    ApiKey.ALLOCATE_PRODUCER_IDS: allocate_producer_ids,
    ApiKey.CONTROLLER_REGISTRATION: register_controller,
    ApiKey.ASSIGN_REPLICAS_TO_DIRS: assign_directories,
    ApiKey.UNREGISTER_CONTROLLER: unregister_controller,
}
"""By api key."""


def run_of(event: CommandReceived) -> Run:
    """The function that carries out the request of an event."""
    api_key = event.request.API_KEY
    assert api_key is not None, f"{event.request.NAME} has no api key"
    assert api_key in COMMANDS, f"{event.request.NAME} is no command of the controller"
    return COMMANDS[api_key]


def not_controller(leader_id: int) -> ApiError:
    """The error by which a controller that is not active refuses every command; ``leader_id`` is -1 for none."""
    # Kafka's own sentences: its clients log them, and administrators search for them.
    if leader_id == NO_NODE:
        return ApiError(ErrorCode.NOT_CONTROLLER, "No controller appears to be active.")
    return ApiError(ErrorCode.NOT_CONTROLLER, f"The active controller appears to be node {leader_id}.")
