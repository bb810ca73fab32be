"""The one list of commands: which function carries out a request, and in what shape it is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

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
    19: Command(run=create_topics, refuse=refuse_topics),
    20: Command(run=delete_topics, refuse=refuse_deletions),
    30: Command(run=create_acls, refuse=refuse_acl_creations),
    31: Command(run=delete_acls, refuse=refuse_acl_deletions),
    33: Command(run=alter_configs, refuse=refuse_changes),
    37: Command(run=create_partitions, refuse=refuse_partitions),
    43: Command(run=elect_leaders, refuse=refuse_elections, error_code_since=1),
    38: Command(run=create_delegation_token, refuse=refuse_creation),
    39: Command(run=renew_delegation_token, refuse=refuse_renewal),
    40: Command(run=expire_delegation_token, refuse=refuse_expiry),
    44: Command(run=incrementally_alter_configs, refuse=refuse_incremental_changes),
    45: Command(run=alter_reassignments, refuse=refuse_reassignments),
    56: Command(run=alter_partition, refuse=refuse_alteration),
    49: Command(run=alter_client_quotas, refuse=refuse_quotas),
    51: Command(run=alter_scram_credentials, refuse=refuse_credentials),
    57: Command(run=update_features, refuse=refuse_update),
    62: Command(run=register_broker, refuse=refuse_broker),
    63: Command(run=heartbeat, refuse=refuse_heartbeat),
    64: Command(run=unregister_broker, refuse=refuse_unregistration),
    67: Command(run=allocate_producer_ids, refuse=refuse_allocation),
    70: Command(run=register_controller, refuse=refuse_controller),
    73: Command(run=assign_directories, refuse=refuse_assignments),
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
