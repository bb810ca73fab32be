"""AlterClientQuotas (49, v0-1): the quotas of clients (KIP-546, KIP-599, KIP-612).

A quota belongs to an entity: a user, a client id, both, or the address of a host. A null name stands for all that have
no quota of their own. Each entity is changed wholly or not at all, independently of the others. An entity that is named
twice is not changed.

Differences from Apache Kafka: if an entity is named twice, Apache Kafka carries out the first mention and responds that
it did not. A host name instead of an address, which Apache Kafka looks up, is INVALID_REQUEST here.
"""

from __future__ import annotations

import ipaddress
import math
from collections import Counter
from collections.abc import Mapping, Sequence

from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import AlterClientQuotasRequest, AlterClientQuotasResponse, ClientQuotaRecord
from kafkaproto_server.base.error_texts import MAX_QUOTED_LENGTH, quoted, without_frames
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.image.apply_configs import quota_entity
from kafkaproto_server.metadata.image.entries import QUOTA_ENTITY_TYPES, QUOTA_IP, QuotaEntity

# Kafka's ClientQuotaControlManager checks by the type of a key, too: connection rates are ints,
# byte rates are longs.
_MAX_INT = 2**31 - 1
_MAX_LONG = 2**63 - 1
_CLIENT_KEYS: Mapping[str, int | None] = {
    "producer_byte_rate": _MAX_LONG,
    "consumer_byte_rate": _MAX_LONG,
    "request_percentage": None,
    "controller_mutation_rate": None,
}
_IP_KEYS: Mapping[str, int | None] = {"connection_creation_rate": _MAX_INT}
"""The keys of an entity, with the highest value of keys that take whole numbers; None for the others."""
_WHOLE_NUMBER_TOLERANCE = 1e-6
"""How far a value may be from the whole number that it stands for, as in Kafka."""

_Entry = AlterClientQuotasRequest.EntryData


def alter_client_quotas(situation: Situation, request: AlterClientQuotasRequest) -> Steps[CommandResult]:
    """Change the quotas that can be changed."""
    times_named: Counter[QuotaEntity] = Counter()
    for entry in request.entries:
        # By entity, not by what the request says: the order of its parts does not matter.
        times_named[_entity(entry)] += 1
        yield
    errors: dict[QuotaEntity, ApiError | None] = {}
    records: list[Message] = []
    for entry in request.entries:
        entity = _entity(entry)
        try:
            if times_named[entity] > 1:
                raise _invalid(f"The entity {_text(entity)} is named twice.")
            _check_entity(entity)
            records += _changes(situation, entity, entry.ops)
            errors[entity] = None
        except ApiError as error:
            errors[entity] = without_frames(error)
        yield
    results = []
    for entity, problem in errors.items():
        results.append(_result(entity, problem))
        yield
    response = AlterClientQuotasResponse(entries=results)
    return CommandResult(response=response, records=() if request.validate_only else records)


def _entity(entry: _Entry) -> QuotaEntity:
    return quota_entity((each.entity_type, each.entity_name) for each in entry.entity)


def _check_entity(entity: QuotaEntity) -> None:
    if not entity:
        raise _invalid("The entity is empty: a user, client-id or ip is needed.")
    types = [entity_type for entity_type, _ in entity]
    for entity_type, name in entity:
        if entity_type not in QUOTA_ENTITY_TYPES:
            raise _invalid(
                f"The entity type {quoted(entity_type)} is none of {', '.join(QUOTA_ENTITY_TYPES)}."
            )
        if types.count(entity_type) > 1:
            raise _invalid(f"The entity has its {entity_type} twice.")
        # No client is looked up by an empty name, so this quota would never hold.
        if name == "":
            raise _invalid(f"The name of the {entity_type} is empty; null stands for the default.")
    # Connections are counted by address before anybody has logged in, so no user is known then
    # (KIP-612).
    if QUOTA_IP in types:
        if len(types) > 1:
            raise _invalid("An ip cannot be combined with a user or client-id.")
        _check_address(entity[0][1])


def _check_address(address: str | None) -> None:
    try:
        if address is not None:
            ipaddress.ip_address(address)
    except ValueError:
        raise _invalid(f"The ip {quoted(address or '')} is no address.") from None


def _changes(
    situation: Situation, entity: QuotaEntity, ops: Sequence[AlterClientQuotasRequest.OpData]
) -> list[Message]:
    """The records of the change; raises ApiError if one of the values cannot be set."""
    present: Mapping[str, float] = situation.image.client_quotas.get(entity, Map())
    keys = _IP_KEYS if entity[0][0] == QUOTA_IP else _CLIENT_KEYS
    seen: set[str] = set()
    records: list[Message] = []
    for op in ops:
        # An unknown key may be removed: it may come from a time when it was known.
        if op.key not in keys and not op.remove:
            raise _invalid(f"The quota key {quoted(op.key)} of {_text(entity)} is none of {', '.join(keys)}.")
        if op.key in seen:
            raise _invalid(f"The quota key {op.key} of {_text(entity)} is named twice.")
        # Two values for one key: which one counts would depend on the order.
        seen.add(op.key)
        if not op.remove:
            _check_value(op.key, op.value, keys[op.key])
        # Only real changes are recorded: the removal of an existing value, or a different value.
        if op.key in present if op.remove else present.get(op.key) != op.value:
            records.append(_record(entity, op))
    return records


def _check_value(key: str, value: float, maximum: int | None) -> None:
    # Kafka before 4.4 takes an infinite rate where it has no highest value, and NaN always.
    if not math.isfinite(value):
        raise _invalid(f"{key}={value} must be a finite number.")
    # A rate of 0 would throttle a client for ever.
    if value <= 0:
        raise _invalid(f"{key}={value} must be above 0.")
    if maximum is None:
        return
    # As doubles, so that the highest value of a long is what it is rounded to.
    if value > float(maximum):
        raise _invalid(f"{key}={value} must be at most {maximum}.")
    # The wire has doubles for all quotas. A client that computed its value may miss the whole
    # number by a rounding error.
    if abs(value - round(value)) > _WHOLE_NUMBER_TOLERANCE:
        raise _invalid(f"{key}={value} must be a whole number.")


def _record(entity: QuotaEntity, op: AlterClientQuotasRequest.OpData) -> ClientQuotaRecord:
    return ClientQuotaRecord(
        entity=[
            ClientQuotaRecord.EntityData(entity_type=entity_type, entity_name=name)
            for entity_type, name in entity
        ],
        key=op.key,
        value=0.0 if op.remove else op.value,
        remove=op.remove,
    )


def _result(entity: QuotaEntity, error: ApiError | None) -> AlterClientQuotasResponse.EntryData:
    return AlterClientQuotasResponse.EntryData(
        error_code=ErrorCode.NONE if error is None else error.code,
        error_message=None if error is None else error.message,
        entity=[
            AlterClientQuotasResponse.EntityData(entity_type=entity_type, entity_name=name)
            for entity_type, name in entity
        ],
    )


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)


def _text(entity: QuotaEntity) -> str:
    pairs = (f"{kind} {'(default)' if name is None else repr(name)}" for kind, name in entity)
    return ", ".join(pairs)[:MAX_QUOTED_LENGTH]
