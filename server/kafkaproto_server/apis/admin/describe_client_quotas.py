"""DescribeClientQuotas (48, v0-1), broker listeners (KIP-546): served from the broker's committed image.

Each component of the filter names an entity type and what its name must be: a given name, the default, or any. An
entity matches if it has all types of the filter with such names; in a strict filter it must have no other types.
Entities come in order of their types and names.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeClientQuotasRequest, DescribeClientQuotasResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import KIB, Bounds
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.apply_configs import quota_entity_order
from kafkaproto_server.metadata.image.entries import QUOTA_ENTITY_TYPES, QUOTA_IP, QuotaEntity
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext
from kafkaproto_server.requests.refusals import Refusal

_EXACT, _DEFAULT, _ANY = range(3)
"""How a component of the filter matches, by Kafka's numbers: by name, the default entity, or any entity of its type
(KIP-546)."""


def handle_describe_client_quotas(
    request: DescribeClientQuotasRequest, context: RequestContext, services: Services
) -> Steps[DescribeClientQuotasResponse]:
    """Return the quotas of the matching entities."""
    problem = _problem(request)
    if problem is not None:
        code, message = problem
        return DescribeClientQuotasResponse(error_code=code, error_message=message, entries=None)
    quotas = services.metadata.image().client_quotas
    matching = []
    for entity in quotas:
        if _matches(request, entity):
            matching.append(entity)
        yield
    found = yield from sorted_steps(
        matching, key=lambda entity: [quota_entity_order(pair) for pair in entity]
    )
    response = DescribeClientQuotasResponse(entries=[])
    assert response.entries is not None
    for entity in found:
        response.entries.append(
            DescribeClientQuotasResponse.EntryData(
                entity=[
                    DescribeClientQuotasResponse.EntityData(entity_type=entity_type, entity_name=name)
                    for entity_type, name in entity
                ],
                values=[
                    DescribeClientQuotasResponse.ValueData(key=key, value=value)
                    for key, value in sorted(quotas[entity].items())
                ],
            )
        )
        yield
    return response


def _problem(request: DescribeClientQuotasRequest) -> tuple[ErrorCode, str] | None:
    """What is wrong with a filter; None if nothing is."""
    types = [component.entity_type for component in request.components]
    for component in request.components:
        entity_type = component.entity_type
        shown = quoted(entity_type)
        if not entity_type:
            return ErrorCode.INVALID_REQUEST, "The entity type of a component is empty."
        if types.count(entity_type) > 1:
            return ErrorCode.INVALID_REQUEST, f"The entity type {shown} has two components."
        if entity_type not in QUOTA_ENTITY_TYPES:
            known = ", ".join(QUOTA_ENTITY_TYPES)
            return ErrorCode.UNSUPPORTED_VERSION, f"The entity type {shown} is none of {known}."
        if component.match_type not in (_EXACT, _DEFAULT, _ANY):
            return ErrorCode.INVALID_REQUEST, f"The match type {component.match_type} of {shown} is unknown."
        if (component.match_type == _EXACT) is (component.match is None):
            needed = "needs a" if component.match is None else "takes no"
            return (
                ErrorCode.INVALID_REQUEST,
                f"The match type {component.match_type} of {shown} {needed} name.",
            )
    if QUOTA_IP in types and len(types) > 1:
        return ErrorCode.INVALID_REQUEST, "An ip cannot be combined with a user or client-id."
    return None


def _matches(request: DescribeClientQuotasRequest, entity: QuotaEntity) -> bool:
    names = dict(entity)
    if request.strict and len(names) != len(request.components):
        return False
    for component in request.components:
        if component.entity_type not in names:
            return False
        # The default entity's name is null, and so is the match of a component that means the default.
        if component.match_type != _ANY and names[component.entity_type] != component.match:
            return False
    return True


def refuse(request: DescribeClientQuotasRequest, refusal: Refusal) -> DescribeClientQuotasResponse:
    """Null entries are Kafka's way to distinguish "not available" from "none"."""
    return DescribeClientQuotasResponse(error_code=refusal.code, error_message=refusal.message, entries=None)


API = Api(
    key=ApiKey.DESCRIBE_CLIENT_QUOTAS,
    bounds=Bounds(max_elements=100, max_bytes=256 * KIB),
    broker=Served(handler=handle_describe_client_quotas, access=Access(operation=Operation.DESCRIBE_CONFIGS)),
    refuse=refuse,
)
