"""AlterClientQuotas: what entities and values there are, and what is recorded.

Tests: `apis.admin.alter_client_quotas`, `core.controller.commands.alter_client_quotas`.
"""

from __future__ import annotations

import math

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterClientQuotasRequest, AlterClientQuotasResponse, ClientQuotaRecord
from tests.core.controller.support.harness import Harness

Entity = dict[str, str | None]
Op = tuple[str, float | None]
"""A key and its new value, None to remove it."""


def entry(entity: Entity | list[tuple[str, str | None]], *ops: Op) -> AlterClientQuotasRequest.EntryData:
    pairs = entity.items() if isinstance(entity, dict) else entity
    return AlterClientQuotasRequest.EntryData(
        entity=[
            AlterClientQuotasRequest.EntityData(entity_type=entity_type, entity_name=name)
            for entity_type, name in pairs
        ],
        ops=[
            AlterClientQuotasRequest.OpData(
                key=key, value=0.0 if value is None else value, remove=value is None
            )
            for key, value in ops
        ],
    )


def alter(
    harness: Harness, *entries: AlterClientQuotasRequest.EntryData, validate_only: bool = False
) -> list[AlterClientQuotasResponse.EntryData]:
    request = AlterClientQuotasRequest(entries=list(entries), validate_only=validate_only)
    answered: list[AlterClientQuotasResponse.EntryData] = harness.call(request).entries
    return answered


def quotas(harness: Harness) -> dict[tuple[tuple[str, str | None], ...], dict[str, float]]:
    return {entity: dict(values) for entity, values in harness.image.client_quotas.items()}


@pytest.mark.parametrize(
    "entity",
    [
        {"user": "alice"},
        {"user": None},
        {"client-id": "c"},
        {"client-id": None},
        {"client-id": "c", "user": "alice"},
        {"client-id": None, "user": "alice"},
        {"client-id": None, "user": None},
    ],
    ids=str,
)
def test_users_and_clients_have_rates(entity: Entity) -> None:
    harness = Harness()
    ops: list[Op] = [
        ("producer_byte_rate", 1024.0),
        ("consumer_byte_rate", 2.0**62),
        ("request_percentage", 12.5),
        ("controller_mutation_rate", 0.1),
    ]
    (result,) = alter(harness, entry(entity, *ops))
    assert (result.error_code, result.error_message) == (0, None)
    assert [(each.entity_type, each.entity_name) for each in result.entity] == list(entity.items())
    assert quotas(harness) == {tuple(entity.items()): dict(ops)}


@pytest.mark.parametrize("address", ["10.0.0.7", "::1", "fe80::1%eth0", None])
def test_addresses_have_a_rate_of_connections(address: str | None) -> None:
    harness = Harness()
    (result,) = alter(harness, entry({"ip": address}, ("connection_creation_rate", 7.0)))
    assert result.error_code == 0
    assert quotas(harness) == {(("ip", address),): {"connection_creation_rate": 7.0}}


def test_an_entity_is_the_same_in_whatever_order_its_types_come() -> None:
    harness = Harness()
    alter(harness, entry({"user": "a", "client-id": "c"}, ("request_percentage", 1.0)))
    alter(harness, entry({"client-id": "c", "user": "a"}, ("request_percentage", 2.0)))
    assert quotas(harness) == {(("client-id", "c"), ("user", "a")): {"request_percentage": 2.0}}


def test_only_what_changes_is_recorded() -> None:
    harness = Harness()
    alter(harness, entry({"user": "a"}, ("request_percentage", 1.0)))
    start = harness.next_offset
    same: list[Op] = [("request_percentage", 1.0), ("producer_byte_rate", None)]
    assert alter(harness, entry({"user": "a"}, *same))[0].error_code == 0
    assert harness.records(start) == []
    alter(harness, entry({"user": "a"}, ("request_percentage", None), ("producer_byte_rate", 3.0)))
    assert harness.records(start) == [
        ClientQuotaRecord(
            entity=[ClientQuotaRecord.EntityData(entity_type="user", entity_name="a")],
            key="request_percentage",
            value=0.0,
            remove=True,
        ),
        ClientQuotaRecord(
            entity=[ClientQuotaRecord.EntityData(entity_type="user", entity_name="a")],
            key="producer_byte_rate",
            value=3.0,
            remove=False,
        ),
    ]


def test_nothing_is_recorded_where_it_is_only_to_be_validated() -> None:
    harness = Harness()
    start = harness.next_offset
    good, bad = alter(
        harness,
        entry({"user": "a"}, ("request_percentage", 1.0)),
        entry({"user": "b"}, ("request_percentage", -1.0)),
        validate_only=True,
    )
    assert (good.error_code, bad.error_code) == (0, ErrorCode.INVALID_REQUEST)
    assert harness.records(start) == []


BAD_ENTITIES: list[tuple[list[tuple[str, str | None]], str]] = [
    ([], "The entity is empty: a user, client-id or ip is needed."),
    ([("group", "g")], "The entity type 'group' is none of user, client-id, ip."),
    ([("", "g")], "The entity type '' is none of user, client-id, ip."),
    ([("user", "a"), ("user", "b")], "The entity has its user twice."),
    ([("user", "")], "The name of the user is empty; null stands for the default."),
    ([("ip", "")], "The name of the ip is empty; null stands for the default."),
    ([("ip", "10.0.0.7"), ("user", "a")], "An ip cannot be combined with a user or client-id."),
    ([("ip", None), ("client-id", None)], "An ip cannot be combined with a user or client-id."),
    ([("ip", "10.0.0.256")], "The ip '10.0.0.256' is no address."),
    ([("ip", "localhost")], "The ip 'localhost' is no address."),
]


@pytest.mark.parametrize(("entity", "message"), BAD_ENTITIES, ids=str)
def test_what_is_no_entity_is_refused_and_leaves_the_others_alone(
    entity: list[tuple[str, str | None]], message: str
) -> None:
    harness = Harness()
    bad, good = alter(harness, entry(entity), entry({"user": "x"}, ("request_percentage", 1.0)))
    assert (bad.error_code, bad.error_message) == (ErrorCode.INVALID_REQUEST, message)
    assert good.error_code == 0
    assert list(quotas(harness)) == [(("user", "x"),)]


BAD_OPS: list[tuple[Entity, Op, str]] = [
    ({"user": "a"}, ("producer_byte_rate", 0.0), "producer_byte_rate=0.0 must be above 0."),
    ({"user": "a"}, ("request_percentage", -0.5), "request_percentage=-0.5 must be above 0."),
    ({"user": "a"}, ("request_percentage", math.nan), "request_percentage=nan must be a finite number."),
    ({"user": "a"}, ("producer_byte_rate", math.nan), "producer_byte_rate=nan must be a finite number."),
    (
        {"user": "a"},
        ("request_percentage", math.inf),
        "request_percentage=inf must be a finite number.",
    ),
    ({"user": "a"}, ("producer_byte_rate", 1.5), "producer_byte_rate=1.5 must be a whole number."),
    (
        {"user": "a"},
        ("consumer_byte_rate", 2.0**63 + 2.0**11),
        "consumer_byte_rate=9.223372036854778e+18 must be at most 9223372036854775807.",
    ),
    (
        {"ip": None},
        ("connection_creation_rate", 2.0**31),
        "connection_creation_rate=2147483648.0 must be at most 2147483647.",
    ),
    (
        {"ip": None},
        ("request_percentage", 1.0),
        "The quota key 'request_percentage' of ip (default) is none of connection_creation_rate.",
    ),
    (
        {"user": "a"},
        ("connection_creation_rate", 1.0),
        "The quota key 'connection_creation_rate' of user 'a' is none of producer_byte_rate,"
        " consumer_byte_rate, request_percentage, controller_mutation_rate.",
    ),
    (
        {"user": "a"},
        ("", 1.0),
        "The quota key '' of user 'a' is none of producer_byte_rate,"
        " consumer_byte_rate, request_percentage, controller_mutation_rate.",
    ),
]


@pytest.mark.parametrize(("entity", "op", "message"), BAD_OPS, ids=str)
def test_a_value_that_cannot_be_is_refused_with_all_that_the_entity_was_given(
    entity: Entity, op: Op, message: str
) -> None:
    harness = Harness()
    start = harness.next_offset
    good: list[Op] = [("controller_mutation_rate", 1.0)] if "user" in entity else []
    (result,) = alter(harness, entry(entity, *good, op))
    assert (result.error_code, result.error_message) == (ErrorCode.INVALID_REQUEST, message)
    assert harness.records(start) == []


def test_a_key_that_nobody_knows_may_be_removed() -> None:
    harness = Harness()
    start = harness.next_offset
    (result,) = alter(harness, entry({"user": "a"}, ("no_such_key", None)))
    assert result.error_code == 0
    assert harness.records(start) == []


def test_a_number_may_miss_a_whole_one_by_a_hair() -> None:
    harness = Harness()
    (result,) = alter(harness, entry({"user": "a"}, ("producer_byte_rate", 3.0000001)))
    assert result.error_code == 0


def test_a_key_that_is_named_twice_is_refused() -> None:
    harness = Harness()
    (result,) = alter(
        harness, entry({"user": "a"}, ("request_percentage", 1.0), ("request_percentage", None))
    )
    assert result.error_code == ErrorCode.INVALID_REQUEST
    assert result.error_message == "The quota key request_percentage of user 'a' is named twice."
    assert quotas(harness) == {}


def test_an_entity_that_is_named_twice_is_answered_once_and_not_changed() -> None:
    harness = Harness()
    first = entry({"user": "a", "client-id": "c"}, ("request_percentage", 1.0))
    second = entry({"client-id": "c", "user": "a"}, ("producer_byte_rate", 1.0))
    (result,) = alter(harness, first, second)
    assert result.error_code == ErrorCode.INVALID_REQUEST
    assert result.error_message == "The entity client-id 'c', user 'a' is named twice."
    assert quotas(harness) == {}


def test_a_standby_says_so_for_each_entity() -> None:
    harness = Harness(active=False)
    request = AlterClientQuotasRequest(entries=[entry({"user": "a"}), entry({"user": None})])
    response = harness.answer(harness.send(request))
    assert [each.error_code for each in response.entries] == [ErrorCode.NOT_CONTROLLER] * 2
