"""Which ACLs a filter means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.messages import DescribeAclsRequest
from kafkaproto_server.metadata.image.entries import AccessControlEntry
from kafkaproto_server.metadata.security.acls import (
    AclFilter,
    Operation,
    PatternType,
    PermissionType,
    ResourceType,
    knows,
)
from tests.metadata.security.support.acl_making import acl

LITERAL, PREFIXED, MATCH, ANY = (
    PatternType.LITERAL,
    PatternType.PREFIXED,
    PatternType.MATCH,
    PatternType.ANY,
)


def test_a_filter_without_anything_means_all() -> None:
    assert AclFilter().matches(acl())
    assert AclFilter().problem() is None


@pytest.mark.parametrize(
    ("field", "same", "other"),
    [
        ("resource_type", ResourceType.TOPIC, ResourceType.GROUP),
        ("resource_name", "t", "u"),
        ("pattern_type", LITERAL, PREFIXED),
        ("principal", "User:alice", "User:bob"),
        ("host", "*", "10.0.0.7"),
        ("operation", Operation.READ, Operation.ALL),
        ("permission_type", PermissionType.ALLOW, PermissionType.DENY),
    ],
)
def test_each_field_of_a_filter_counts(field: str, same: Any, other: Any) -> None:
    assert AclFilter(**{field: same}).matches(acl())
    assert not AclFilter(**{field: other}).matches(acl())


LITERAL_ORDERS = acl(resource_name="orders")
PREFIXED_ORD = acl(resource_name="ord", pattern_type=PREFIXED)
FOR_ALL = acl(resource_name="*")
PREFIXED_STAR = acl(resource_name="*", pattern_type=PREFIXED)


@pytest.mark.parametrize(
    ("pattern_type", "name", "meant"),
    [
        (MATCH, "orders", [LITERAL_ORDERS, PREFIXED_ORD, FOR_ALL]),
        (MATCH, "ord", [PREFIXED_ORD, FOR_ALL]),
        (MATCH, "x", [FOR_ALL]),
        (MATCH, None, [LITERAL_ORDERS, PREFIXED_ORD, FOR_ALL, PREFIXED_STAR]),
        (ANY, "orders", [LITERAL_ORDERS]),
        (ANY, "ord", [PREFIXED_ORD]),
        (ANY, "*", [FOR_ALL, PREFIXED_STAR]),
        (LITERAL, "*", [FOR_ALL]),
        (LITERAL, "ord", []),
        (PREFIXED, "orders", []),
        (PREFIXED, None, [PREFIXED_ORD, PREFIXED_STAR]),
    ],
)
def test_names_are_meant_as_the_pattern_type_says(
    pattern_type: PatternType, name: str | None, meant: list[AccessControlEntry]
) -> None:
    asked = AclFilter(pattern_type=pattern_type, resource_name=name)
    entries = [LITERAL_ORDERS, PREFIXED_ORD, FOR_ALL, PREFIXED_STAR]
    assert [entry for entry in entries if asked.matches(entry)] == meant


@pytest.mark.parametrize(
    ("field", "words", "highest"),
    [
        ("resource_type", "resource type", 7),
        ("pattern_type", "pattern type", 4),
        ("operation", "operation", 15),
        ("permission_type", "permission type", 3),
    ],
)
def test_a_number_that_nobody_knows_is_named(field: str, words: str, highest: int) -> None:
    def problem(number: int) -> str | None:
        fields: dict[str, Any] = {field: number}
        return AclFilter(**fields).problem()

    for number in (-128, -1, 0, highest + 1, 127):
        assert problem(number) == f"The filter's {words} {number} is unknown."
    assert [problem(number) for number in range(1, highest + 1)] == [None] * highest


@given(number=st.integers(-128, 127))
def test_a_number_is_known_if_it_has_a_name_other_than_unknown(number: int) -> None:
    assert knows(Operation, number) is (1 <= number <= 15)


def test_a_request_is_read_field_by_field() -> None:
    alike: dict[str, Any] = {"operation": 5, "permission_type": 2}
    named_otherwise = {
        "resource_type": 2,
        "resource_name": "n",
        "pattern_type": 3,
        "principal": "p",
        "host": "h",
    }
    asked: dict[str, Any] = {f"{name}_filter": value for name, value in named_otherwise.items()}
    read: dict[str, Any] = {**named_otherwise, **alike}
    assert AclFilter.of(DescribeAclsRequest(**asked, **alike)) == AclFilter(**read)
