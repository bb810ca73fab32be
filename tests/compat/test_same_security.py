"""Requests about ACLs, quotas and SCRAM users, one after the other, to a node under test and to Apache Kafka.

Both have an authorizer under which everybody may do everything. Codes and contents must agree after each step; where
they do not on purpose, the step says what we answer.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from compat.kafka.stock import StockNode
from compat.node import Node
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterClientQuotasRequest,
    AlterUserScramCredentialsRequest,
    CreateAclsRequest,
    CreateDelegationTokenRequest,
    DeleteAclsRequest,
    DescribeAclsRequest,
    DescribeClientQuotasRequest,
    DescribeDelegationTokenRequest,
    DescribeUserScramCredentialsRequest,
    ExpireDelegationTokenRequest,
    RenewDelegationTokenRequest,
)
from tests.compat.support.nodes import beside_stock
from tests.compat.support.responses import CLOSED, answer
from tests.metadata.security.support.acl_making import acl_creation, acl_filter

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
    "delegation.token.secret.key": "secret",
}
SAME_S = 10.0
"""How long a node may take until its own image shows what was answered."""
INVALID_REQUEST = 42
UNKNOWN_SERVER_ERROR = -1


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    """A node under test and a stock one."""
    with beside_stock(tmp_path_factory, AUTHORIZER) as nodes:
        yield nodes


def in_order(value: Any) -> Any:
    """The answer with its lists sorted: Kafka gives most of them in the order of a hash table."""
    if isinstance(value, list):
        return sorted((in_order(each) for each in value), key=lambda each: json.dumps(each, sort_keys=True))
    if isinstance(value, dict):
        return {name: in_order(each) for name, each in value.items() if name != "errorMessage"}
    return value


def ask_both(
    pair: tuple[Node, Node], request: Message, version: int, listener: str = "broker"
) -> tuple[Any, Any]:
    """What both answer, asked again for a while where they differ: a node may lag behind what it answered."""
    end = time.monotonic() + SAME_S
    while True:
        ours, stock = (in_order(answer(node, listener, request, version)) for node in pair)
        is_read = type(request).__name__.startswith("Describe")
        if ours == stock or not is_read or time.monotonic() > end:
            return ours, stock
        time.sleep(0.2)


def creation(*acls: CreateAclsRequest.AclCreation) -> CreateAclsRequest:
    return CreateAclsRequest(creations=list(acls))


def deletion(*filters: Any) -> DeleteAclsRequest:
    return DeleteAclsRequest(filters=list(filters))


ALL_ACLS = acl_filter(DescribeAclsRequest)
ACL_STEPS: Sequence[Message] = (
    creation(
        acl_creation(),
        acl_creation(),
        acl_creation(resource_name="*"),
        acl_creation(resource_name="or", resource_pattern_type=4),
        acl_creation(resource_type=3, resource_name="g", operation=2, host="10.0.0.7"),
        acl_creation(resource_type=5, resource_name="x", permission_type=2),
        acl_creation(resource_type=6, resource_name="x", operation=8),
        acl_creation(resource_type=7, resource_name="User:bob", operation=13),
    ),
    ALL_ACLS,
    creation(acl_creation(), acl_creation(operation=15)),
    creation(
        acl_creation(resource_type=4),
        acl_creation(resource_type=4, resource_name="kafka-cluster", operation=2, principal="User:*"),
    ),
    creation(acl_creation(resource_name="")),
    creation(acl_creation(principal="alice"), acl_creation(principal="")),
    creation(
        acl_creation(principal=":alice", resource_name="p"),
        acl_creation(principal="User:", resource_name="p"),
    ),
    creation(
        acl_creation(resource_name="orders", operation=10), acl_creation(resource_name="orders", operation=14)
    ),
    creation(),
    ALL_ACLS,
    acl_filter(DescribeAclsRequest, pattern_type_filter=2, resource_name_filter="orders"),
    acl_filter(DescribeAclsRequest, pattern_type_filter=2, resource_name_filter=None, operation=3),
    acl_filter(DescribeAclsRequest, pattern_type_filter=4, resource_name_filter="or"),
    acl_filter(DescribeAclsRequest, pattern_type_filter=1, resource_name_filter="*"),
    acl_filter(DescribeAclsRequest, resource_type_filter=2, host_filter="*", principal_filter="User:alice"),
    acl_filter(DescribeAclsRequest, resource_name_filter=""),
    deletion(
        acl_filter(resource_name_filter="none"), acl_filter(principal_filter="User:alice", operation=10)
    ),
    deletion(acl_filter(operation=8), acl_filter(resource_type_filter=6)),
    deletion(acl_filter(pattern_type_filter=2, resource_name_filter="orders", resource_type_filter=2)),
    ALL_ACLS,
    deletion(),
    deletion(acl_filter()),
    ALL_ACLS,
)


def test_acls_live_the_same_lives(pair: tuple[Node, Node]) -> None:
    for step in ACL_STEPS:
        ours, stock = ask_both(pair, step, 3)
        assert ours == stock, step
        if step is ALL_ACLS:
            ours, stock = ask_both(pair, step, 1, "controller")
            assert ours == stock


NUMBERS = ("resource_type", "pattern_type", "operation", "permission_type")


def with_number(name: str, number: int) -> Sequence[Message]:
    """Requests that have this number in the one place, and nothing wrong otherwise."""
    of_creation = f"resource_{name}" if name == "pattern_type" else name
    of_filter = name if name in ("operation", "permission_type") else f"{name}_filter"
    return (
        creation(acl_creation(**{of_creation: number})),
        deletion(acl_filter(**{of_filter: number})),
        acl_filter(DescribeAclsRequest, **{of_filter: number}),
    )


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_no_release_are_taken_alike(pair: tuple[Node, Node], name: str) -> None:
    for number in (-1, 99):
        for request in with_number(name, number):
            ours, stock = ask_both(pair, request, 3)
            assert ours == stock, request


@pytest.mark.parametrize("name", NUMBERS)
def test_the_number_that_says_unknown_is_answered_here_where_stock_closes_the_connection(
    pair: tuple[Node, Node], name: str
) -> None:
    for request in with_number(name, 0):
        ours, stock = (answer(node, "broker", request, 3) for node in pair)
        assert stock == CLOSED
        if not isinstance(pair[0], StockNode):
            assert f'"errorCode": {INVALID_REQUEST}' in json.dumps(ours)


def quota(entity: list[tuple[str, str | None]], *ops: tuple[str, float | None]) -> Any:
    return AlterClientQuotasRequest.EntryData(
        entity=[
            AlterClientQuotasRequest.EntityData(entity_type=entity_type, entity_name=name)
            for entity_type, name in entity
        ],
        ops=[
            AlterClientQuotasRequest.OpData(key=key, value=value or 0.0, remove=value is None)
            for key, value in ops
        ],
    )


def quotas(*entries: Any, validate_only: bool = False) -> AlterClientQuotasRequest:
    return AlterClientQuotasRequest(entries=list(entries), validate_only=validate_only)


def quota_filter(
    *components: tuple[str, int, str | None], strict: bool = False
) -> DescribeClientQuotasRequest:
    return DescribeClientQuotasRequest(
        components=[
            DescribeClientQuotasRequest.ComponentData(entity_type=kind, match_type=number, match=name)
            for kind, number, name in components
        ],
        strict=strict,
    )


ALICE: list[tuple[str, str | None]] = [("user", "alice")]
QUOTA_STEPS: Sequence[Message] = (
    quotas(
        quota(ALICE, ("producer_byte_rate", 1024.0), ("request_percentage", 0.5)),
        quota([("user", None)], ("controller_mutation_rate", 0.1)),
        quota([("client-id", "c"), *ALICE], ("consumer_byte_rate", 1.0)),
        quota([("client-id", None), ("user", None)], ("consumer_byte_rate", 2.0)),
        quota([("ip", "10.0.0.7")], ("connection_creation_rate", 3000.0)),
        # Stock goes by it, and the tests here connect for each request.
        quota([("ip", None)], ("connection_creation_rate", 4000.0)),
    ),
    quota_filter(),
    quotas(
        quota(ALICE, ("producer_byte_rate", None), ("consumer_byte_rate", None), ("request_percentage", 7.5))
    ),
    quotas(quota(ALICE, ("producer_byte_rate", 5.0)), validate_only=True),
    quotas(quota([])),
    quotas(quota([("user", "")], ("producer_byte_rate", 5.0))),
    quotas(quota([("group", "g")], ("producer_byte_rate", 5.0))),
    quotas(quota([("ip", "10.0.0.7"), *ALICE], ("producer_byte_rate", 5.0))),
    quotas(quota([("ip", "300.0.0.1")], ("connection_creation_rate", 5.0))),
    *(
        quotas(quota(ALICE, (key, value)))
        for key, value in (
            ("producer_byte_rate", -1.0),
            ("producer_byte_rate", 1.5),
            ("producer_byte_rate", 1e30),
            ("producer_byte_rate", 2.0**63),
            ("producer_byte_rate", math.nan),
            ("producer_byte_rate", 4.0000001),
            ("request_percentage", -0.5),
            ("request_percentage", 1000.0),
            ("controller_mutation_rate", 1e300),
            ("controller_mutation_rate", math.inf),
            ("connection_creation_rate", 1.0),
            ("no_such_key", 1.0),
            ("no_such_key", None),
        )
    ),
    quotas(quota([("ip", None)], ("connection_creation_rate", 2.0**31))),
    quotas(quota([("ip", None)], ("producer_byte_rate", 1.0))),
    quotas(quota(ALICE, ("producer_byte_rate", 1.0), ("producer_byte_rate", 2.0))),
    quotas(),
    quota_filter(),
    quota_filter(("user", 0, "alice")),
    quota_filter(("user", 0, "alice"), strict=True),
    quota_filter(("user", 1, None)),
    quota_filter(("user", 2, None), ("client-id", 2, None)),
    quota_filter(("ip", 2, None)),
    quota_filter(strict=True),
    quota_filter(("", 0, "a")),
    quota_filter(("group", 0, "a")),
    quota_filter(("user", 0, None)),
    quota_filter(("user", 1, "a")),
    quota_filter(("user", 2, "a")),
    quota_filter(("user", 3, None)),
    quota_filter(("user", 2, None), ("user", 2, None)),
    quota_filter(("user", 2, None), ("ip", 2, None)),
)


def test_quotas_live_the_same_lives(pair: tuple[Node, Node]) -> None:
    for step in QUOTA_STEPS:
        ours, stock = ask_both(pair, step, 1)
        assert ours == stock, step


def users(*names: str, all_users: bool = False) -> DescribeUserScramCredentialsRequest:
    named = [DescribeUserScramCredentialsRequest.UserName(name=name) for name in names]
    return DescribeUserScramCredentialsRequest(users=None if all_users else named)


def set_credential(name: str = "alice", **fields: Any) -> Any:
    given = {"mechanism": 1, "iterations": 4096, "salt": b"s", "salted_password": b"p" * 32, **fields}
    return AlterUserScramCredentialsRequest.ScramCredentialUpsertion(name=name, **given)


def remove_credential(name: str = "alice", mechanism: int = 1) -> Any:
    return AlterUserScramCredentialsRequest.ScramCredentialDeletion(name=name, mechanism=mechanism)


def credentials(upsertions: Sequence[Any] = (), deletions: Sequence[Any] = ()) -> Message:
    return AlterUserScramCredentialsRequest(upsertions=list(upsertions), deletions=list(deletions))


SCRAM_STEPS: Sequence[Message] = (
    users(all_users=True),
    credentials([set_credential(), set_credential("bob", mechanism=2, iterations=16384)]),
    credentials([set_credential(mechanism=2), set_credential("carol")]),
    users(all_users=True),
    users("alice", "dave", ""),
    users("alice", "bob", "alice"),
    credentials([set_credential(), set_credential(mechanism=2)]),
    credentials([set_credential(), set_credential("dave")], [remove_credential()]),
    credentials([set_credential("")], [remove_credential("")]),
    credentials(
        [set_credential(mechanism=0), set_credential("bob", mechanism=3)], [remove_credential("x", 9)]
    ),
    credentials([set_credential(iterations=4095), set_credential("bob", iterations=16385)]),
    credentials([], [remove_credential("nobody"), remove_credential("bob", 1), remove_credential("carol")]),
    credentials(),
    users(all_users=True),
    users(),
)


def test_scram_users_live_the_same_lives(pair: tuple[Node, Node]) -> None:
    for step in SCRAM_STEPS:
        ours, stock = ask_both(pair, step, 0)
        assert ours == stock, step


@pytest.mark.parametrize(
    "request_",
    [
        CreateDelegationTokenRequest(
            owner_principal_type=None, owner_principal_name=None, max_lifetime_ms=-1
        ),
        RenewDelegationTokenRequest(hmac=b"x", renew_period_ms=-1),
        ExpireDelegationTokenRequest(hmac=b"x", expiry_time_period_ms=-1),
        DescribeDelegationTokenRequest(owners=None),
    ],
    ids=lambda request: request.NAME,
)
def test_tokens_are_refused_alike_to_clients_without_a_name(
    pair: tuple[Node, Node], request_: Message
) -> None:
    ours, stock = ask_both(pair, request_, request_.MAX_VERSION)
    assert ours == stock


def test_numbers_of_filters_in_an_acl_are_a_mistake_of_the_request_here_and_of_the_server_there(
    pair: tuple[Node, Node],
) -> None:
    wrong = (
        {"resource_type": 1},
        {"operation": 1},
        {"permission_type": 1},
        *({"resource_pattern_type": n} for n in (1, 2)),
    )
    request = creation(*(acl_creation(**fields) for fields in wrong))
    ours, stock = ask_both(pair, request, 3)
    assert [result["errorCode"] for result in stock["results"]] == [UNKNOWN_SERVER_ERROR] * len(wrong)
    if not isinstance(pair[0], StockNode):
        assert [result["errorCode"] for result in ours["results"]] == [INVALID_REQUEST] * len(wrong)
