"""The one list of commands: which function carries out a request, and in what shape it is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.controller.acls import (
    create_acls,
    delete_acls,
    refuse_acl_creations,
    refuse_acl_deletions,
)
from kafkaproto_server.controller.alter_configs import (
    alter_configs,
    incrementally_alter_configs,
    refuse_changes,
    refuse_incremental_changes,
)
from kafkaproto_server.controller.alter_partition import alter_partition, refuse_alteration
from kafkaproto_server.controller.assign_directories import assign_directories, refuse_assignments
from kafkaproto_server.controller.client_quotas import alter_client_quotas, refuse_quotas
from kafkaproto_server.controller.command import ApiError, Decision, Situation
from kafkaproto_server.controller.create_partitions import create_partitions, refuse_partitions
from kafkaproto_server.controller.delegation_tokens import (
    create_delegation_token,
    expire_delegation_token,
    refuse_creation,
    refuse_expiry,
    refuse_renewal,
    renew_delegation_token,
)
from kafkaproto_server.controller.delete_topics import delete_topics, refuse_deletions
from kafkaproto_server.controller.effects import Refuse
from kafkaproto_server.controller.elect_leaders import elect_leaders, refuse_elections
from kafkaproto_server.controller.events import CommandReceived
from kafkaproto_server.controller.heartbeats import heartbeat, refuse_heartbeat
from kafkaproto_server.controller.producer_ids import allocate_producer_ids, refuse_allocation
from kafkaproto_server.controller.reassignments import alter_reassignments, refuse_reassignments
from kafkaproto_server.controller.registration import (
    refuse_broker,
    refuse_controller,
    register_broker,
    register_controller,
)
from kafkaproto_server.controller.scram_credentials import alter_scram_credentials, refuse_credentials
from kafkaproto_server.controller.topics import create_topics, refuse_topics
from kafkaproto_server.controller.unregister_broker import refuse_unregistration, unregister_broker
from kafkaproto_server.controller.update_features import refuse_update, update_features
from kafkaproto_server.types import NO_NODE, Steps, run_to_end


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """How one api is served."""

    run: Callable[[Situation, Any], Decision]
    """Carries the request out; raises ApiError to refuse all of it."""
    refuse: Callable[[Any, ApiError], Message | Steps[Message]]
    """The response that says the same error for everything in the request; in steps if it may be long."""
    error_code_since: int = 0
    """First version whose response has an error code of its own beside those of what it lists."""

    def refusal(self, request: Message, error: ApiError, version: int) -> Message:
        """The response of that version that says the same error for everything in the request."""
        return run_to_end(self.refusal_steps(request, error, version))

    def refusal_steps(self, request: Message, error: ApiError, version: int) -> Steps[Message]:
        """The same in steps, for a request that may be large."""
        refused = self.refuse(request, error)
        response: Any = refused if isinstance(refused, Message) else (yield from refused)
        if version < self.error_code_since:
            response.error_code = ErrorCode.NONE
        answer: Message = response
        return answer


COMMANDS: Mapping[int, Command] = {
    ApiKey.CREATE_TOPICS: Command(run=create_topics, refuse=refuse_topics),
    ApiKey.DELETE_TOPICS: Command(run=delete_topics, refuse=refuse_deletions),
    ApiKey.CREATE_ACLS: Command(run=create_acls, refuse=refuse_acl_creations),
    ApiKey.DELETE_ACLS: Command(run=delete_acls, refuse=refuse_acl_deletions),
    ApiKey.ALTER_CONFIGS: Command(run=alter_configs, refuse=refuse_changes),
    ApiKey.CREATE_PARTITIONS: Command(run=create_partitions, refuse=refuse_partitions),
    ApiKey.ELECT_LEADERS: Command(run=elect_leaders, refuse=refuse_elections, error_code_since=1),
    ApiKey.CREATE_DELEGATION_TOKEN: Command(run=create_delegation_token, refuse=refuse_creation),
    ApiKey.RENEW_DELEGATION_TOKEN: Command(run=renew_delegation_token, refuse=refuse_renewal),
    ApiKey.EXPIRE_DELEGATION_TOKEN: Command(run=expire_delegation_token, refuse=refuse_expiry),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Command(
        run=incrementally_alter_configs, refuse=refuse_incremental_changes
    ),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Command(run=alter_reassignments, refuse=refuse_reassignments),
    ApiKey.ALTER_PARTITION: Command(run=alter_partition, refuse=refuse_alteration),
    ApiKey.ALTER_CLIENT_QUOTAS: Command(run=alter_client_quotas, refuse=refuse_quotas),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: Command(run=alter_scram_credentials, refuse=refuse_credentials),
    ApiKey.UPDATE_FEATURES: Command(run=update_features, refuse=refuse_update),
    ApiKey.BROKER_REGISTRATION: Command(run=register_broker, refuse=refuse_broker),
    ApiKey.BROKER_HEARTBEAT: Command(run=heartbeat, refuse=refuse_heartbeat),
    ApiKey.UNREGISTER_BROKER: Command(run=unregister_broker, refuse=refuse_unregistration),
    ApiKey.ALLOCATE_PRODUCER_IDS: Command(run=allocate_producer_ids, refuse=refuse_allocation),
    ApiKey.CONTROLLER_REGISTRATION: Command(run=register_controller, refuse=refuse_controller),
    ApiKey.ASSIGN_REPLICAS_TO_DIRS: Command(run=assign_directories, refuse=refuse_assignments),
}
"""By api key."""


def command_of(event: CommandReceived) -> Command:
    """How the request of an event is served."""
    api_key = event.request.API_KEY
    assert api_key is not None, f"{event.request.NAME} has no api key"
    assert api_key in COMMANDS, f"{event.request.NAME} is no command of the controller"
    return COMMANDS[api_key]


def refusal_steps(refusal: Refuse) -> Steps[Message]:
    """The response by which the controller refuses a command."""
    api_key = refusal.request.API_KEY
    assert api_key is not None, f"{refusal.request.NAME} has no api key"
    error = ApiError(refusal.code, refusal.text)
    return COMMANDS[api_key].refusal_steps(refusal.request, error, refusal.version)


def not_controller(leader_id: int) -> ApiError:
    """What every command is refused with by a controller that is not active; ``leader_id`` is -1 for none."""
    if leader_id == NO_NODE:
        return ApiError(ErrorCode.NOT_CONTROLLER, "No controller appears to be active.")
    return ApiError(ErrorCode.NOT_CONTROLLER, f"The active controller appears to be node {leader_id}.")
