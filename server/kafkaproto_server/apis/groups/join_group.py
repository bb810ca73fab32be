"""JoinGroup (11), versions 0-9, broker listeners.

A member joins a group of the classic protocol, and hears which generation it is in once all have joined. Version 0 has
one timeout for sessions and rebalances. From version 4 on, a member without an id gets one first (KIP-394), from 5 on
it may be static (KIP-345), from 7 on the response has the protocol's type and may have no protocol, from 9 on a leader
that began anew may skip the assignment (KIP-814). The sender needs READ on the group.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import JoinGroupRequest, JoinGroupResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.authorization import is_allowed
from kafkaproto_server.apis.bounds import JOINS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.group_requests import NO_GENERATION, JoinOutcome, JoinValues
from kafkaproto_server.requests.refusals import Refusal

_FIRST_WITH_TWO_TIMEOUTS = 1
_FIRST_WITH_KNOWN_IDS = 4
_FIRST_WITH_NULL_PROTOCOLS = 7
"""Earlier versions have an empty name in place of none (KIP-559)."""
_FIRST_WITH_SKIPPING = 9


def handle_join_group(
    request: JoinGroupRequest, context: RequestContext, services: Services
) -> JoinGroupResponse | Deferred[JoinGroupResponse]:
    version = context.api_version
    if not is_allowed(context, services, Operation.READ, ResourceType.GROUP, request.group_id):
        code = ErrorCode.GROUP_AUTHORIZATION_FAILED
        return _response(JoinOutcome(code, request.member_id), version)
    has_two = version >= _FIRST_WITH_TWO_TIMEOUTS
    values = JoinValues(
        member_id=request.member_id,
        group_instance_id=request.group_instance_id,
        client_id=context.client_id or "",
        # As Java writes an address without a name.
        client_host=f"/{context.client_host}",
        protocol_type=request.protocol_type,
        protocols=_protocols(request),
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=request.rebalance_timeout_ms if has_two else request.session_timeout_ms,
        needs_known_id=version >= _FIRST_WITH_KNOWN_IDS,
        knows_skipping=version >= _FIRST_WITH_SKIPPING,
    )
    reply: Deferred[JoinGroupResponse] = Deferred()
    group = services.groups.of(request.group_id)
    group.join(request.group_id, values, lambda outcome: reply.resolve(_response(outcome, version)))
    return reply


def _protocols(request: JoinGroupRequest) -> tuple[tuple[str, bytes], ...]:
    """Each name once; the first counts."""
    found: dict[str, bytes] = {}
    for each in request.protocols:
        found.setdefault(each.name, bytes(each.metadata))
    return tuple(found.items())


def _response(outcome: JoinOutcome, version: int) -> JoinGroupResponse:
    protocol = outcome.protocol
    if protocol is None and version < _FIRST_WITH_NULL_PROTOCOLS:
        protocol = ""
    return JoinGroupResponse(
        error_code=outcome.code,
        generation_id=outcome.generation,
        protocol_type=outcome.protocol_type,
        protocol_name=protocol,
        leader=outcome.leader_id,
        skip_assignment=outcome.skip_assignment,
        member_id=outcome.member_id,
        members=[
            JoinGroupResponse.Member(member_id=member_id, group_instance_id=instance_id, metadata=metadata)
            for member_id, instance_id, metadata in outcome.members
        ],
    )


def refuse(request: JoinGroupRequest, refusal: Refusal) -> JoinGroupResponse:
    """The error, with the sender's id."""
    return _response(JoinOutcome(refusal.code, request.member_id, generation=NO_GENERATION), refusal.version)


API = Api(
    key=ApiKey.JOIN_GROUP,
    bounds=JOINS,
    broker=Served(handler=handle_join_group, access=of_items(Operation.READ, ResourceType.GROUP)),
    refuse=refuse,
)
