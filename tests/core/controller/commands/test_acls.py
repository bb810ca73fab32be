"""CreateAcls and DeleteAcls: what is recorded, what is refused, and how many at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AccessControlEntryRecord,
    CreateAclsRequest,
    CreateAclsResponse,
    DeleteAclsRequest,
    DeleteAclsResponse,
    RemoveAccessControlEntryRecord,
)
from kafkaproto_server.core.controller.commands import acls
from kafkaproto_server.core.controller.values.batches import MAX_RECORDS_PER_BATCH
from kafkaproto_server.metadata.image.entries import AccessControlEntry
from kafkaproto_server.metadata.security.acls import AclFilter, acl_order
from tests.core.controller.support.harness import Harness
from tests.metadata.security.support.acl_making import acl, acl_creation, acl_filter

TOPIC, GROUP, CLUSTER = 2, 3, 4
ANY, MATCH, LITERAL, PREFIXED = 1, 2, 3, 4
READ, WRITE = 3, 4
DENY, ALLOW = 2, 3


def create(
    harness: Harness, *creations: CreateAclsRequest.AclCreation
) -> list[CreateAclsResponse.AclCreationResult]:
    results: list[CreateAclsResponse.AclCreationResult] = harness.call(
        CreateAclsRequest(creations=list(creations))
    ).results
    assert len(results) == len(creations)
    return results


def delete(
    harness: Harness, *filters: DeleteAclsRequest.DeleteAclsFilter
) -> list[DeleteAclsResponse.DeleteAclsFilterResult]:
    results: list[DeleteAclsResponse.DeleteAclsFilterResult] = harness.call(
        DeleteAclsRequest(filters=list(filters))
    ).filter_results
    assert len(results) == len(filters)
    return results


def present(harness: Harness) -> set[AccessControlEntry]:
    found = set(harness.image.acls.values())
    assert len(found) == len(harness.image.acls)
    return found


def test_an_acl_is_recorded_under_an_id_of_its_own() -> None:
    harness = Harness()
    start = harness.next_offset
    results = create(
        harness, acl_creation(), acl_creation(operation=WRITE, host="10.0.0.7", permission_type=DENY)
    )
    assert [(each.error_code, each.error_message) for each in results] == [(0, None), (0, None)]
    records = harness.records(start)
    assert [type(record) for record in records] == [AccessControlEntryRecord] * 2
    assert present(harness) == {acl(), acl(operation=WRITE, host="10.0.0.7", permission_type=DENY)}


def test_an_acl_that_is_there_or_given_twice_is_created_once() -> None:
    harness = Harness()
    create(harness, acl_creation(), acl_creation())
    start = harness.next_offset
    (result,) = create(harness, acl_creation())
    assert result.error_code == 0
    assert harness.records(start) == []
    assert present(harness) == {acl()}


def test_an_id_is_not_given_twice() -> None:
    class Repeating:
        """Draws every id twice, as chance could."""

        def __init__(self) -> None:
            self.drawn = 0

        def below(self, limit: int) -> int:
            return 0

        def uuid(self) -> bytes:
            self.drawn += 1
            return (self.drawn // 2).to_bytes(16, "big")

    harness = Harness(rng=Repeating())
    # 0, 1, then 1 again, which has to be passed over.
    create(harness, acl_creation(resource_name="a"))
    create(harness, acl_creation(resource_name="b"))
    create(harness, acl_creation(resource_name="c"))
    create(
        harness,
        acl_creation(resource_name="d"),
        acl_creation(resource_name="e"),
        acl_creation(resource_name="f"),
    )
    assert {entry.resource_name for entry in present(harness)} == set("abcdef")


BAD_CREATIONS = [
    ({"resource_type": 0}, "The resource type 0 is unknown."),
    ({"resource_type": 8}, "The resource type 8 is unknown."),
    ({"resource_type": -1}, "The resource type -1 is unknown."),
    ({"resource_type": 1}, "The resource type 1 (ANY) is for filters."),
    ({"resource_pattern_type": 0}, "The pattern type 0 is unknown."),
    ({"resource_pattern_type": 5}, "The pattern type 5 is unknown."),
    ({"resource_pattern_type": 1}, "The pattern type 1 (ANY) is for filters."),
    ({"resource_pattern_type": 2}, "The pattern type 2 (MATCH) is for filters."),
    ({"operation": 0}, "The operation 0 is unknown."),
    ({"operation": 16}, "The operation 16 is unknown."),
    ({"operation": 1}, "The operation 1 (ANY) is for filters."),
    ({"permission_type": 0}, "The permission type 0 is unknown."),
    ({"permission_type": 4}, "The permission type 4 is unknown."),
    ({"permission_type": 1}, "The permission type 1 (ANY) is for filters."),
    ({"resource_name": ""}, "The resource name is empty."),
    (
        {"resource_type": CLUSTER, "resource_name": "other"},
        "The resource name of a CLUSTER is kafka-cluster, not 'other'.",
    ),
    ({"principal": "alice"}, "The principal 'alice' has no colon between its type and name."),
    ({"principal": ""}, "The principal '' has no colon between its type and name."),
    ({"host": ""}, "The host is empty; * stands for all hosts."),
]


@pytest.mark.parametrize(("fields", "message"), BAD_CREATIONS, ids=str)
def test_what_no_acl_can_be_is_refused_and_leaves_the_others_alone(
    fields: dict[str, Any], message: str
) -> None:
    harness = Harness()
    bad, good = create(harness, acl_creation(**fields), acl_creation())
    assert (bad.error_code, bad.error_message) == (ErrorCode.INVALID_REQUEST, message)
    assert good.error_code == 0
    assert present(harness) == {acl()}


def test_the_cluster_and_every_operation_can_have_acls() -> None:
    harness = Harness()
    cluster = acl_creation(resource_type=CLUSTER, resource_name="kafka-cluster")
    assert create(harness, cluster)[0].error_code == 0
    results = create(harness, *(acl_creation(operation=number) for number in range(2, 16)))
    assert {each.error_code for each in results} == {0}


def test_more_acls_than_a_batch_holds_are_refused_as_a_whole() -> None:
    harness = Harness()
    creations = [acl_creation(resource_name=str(number)) for number in range(MAX_RECORDS_PER_BATCH + 1)]
    results = create(harness, *creations)
    assert {each.error_code for each in results} == {ErrorCode.POLICY_VIOLATION}
    assert dict(harness.image.acls) == {}


@pytest.fixture
def guarded() -> Harness:
    """ACLs of alice and bob."""
    harness = Harness()
    create(
        harness,
        acl_creation(),
        acl_creation(operation=WRITE),
        acl_creation(principal="User:bob", resource_name="or", resource_pattern_type=PREFIXED),
    )
    return harness


def test_a_filter_removes_what_it_means_and_says_what_that_was(guarded: Harness) -> None:
    start = guarded.next_offset
    (result,) = delete(guarded, acl_filter(principal_filter="User:alice"))
    assert (result.error_code, result.error_message) == (0, None)
    shown = [(each.resource_name, each.operation, each.error_code) for each in result.matching_acls]
    assert shown == [("t", READ, 0), ("t", WRITE, 0)]
    assert [type(record) for record in guarded.records(start)] == [RemoveAccessControlEntryRecord] * 2
    assert {entry.principal for entry in present(guarded)} == {"User:bob"}


def test_what_two_filters_mean_is_shown_for_both_and_removed_once(guarded: Harness) -> None:
    start = guarded.next_offset
    first, second = delete(guarded, acl_filter(operation=WRITE), acl_filter(resource_name_filter="t"))
    assert len(first.matching_acls) == 1
    assert len(second.matching_acls) == 2
    assert len(guarded.records(start)) == 2


def test_a_matching_filter_means_prefixes_too(guarded: Harness) -> None:
    (result,) = delete(guarded, acl_filter(resource_name_filter="orders", pattern_type_filter=MATCH))
    assert [each.resource_name for each in result.matching_acls] == ["or"]


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("resource_type_filter", "resource type"),
        ("pattern_type_filter", "pattern type"),
        ("operation", "operation"),
        ("permission_type", "permission type"),
    ],
)
@pytest.mark.parametrize("number", [-1, 0, 99])
def test_a_filter_that_nobody_understands_removes_nothing_and_leaves_the_others_alone(
    guarded: Harness, field: str, words: str, number: int
) -> None:
    bad, good = delete(guarded, acl_filter(**{field: number}), acl_filter(operation=WRITE))
    assert bad.error_code == ErrorCode.INVALID_REQUEST
    assert bad.error_message == f"The filter's {words} {number} is unknown."
    assert bad.matching_acls == []
    assert len(good.matching_acls) == 1
    assert len(present(guarded)) == 2


def test_more_acls_than_a_batch_holds_are_not_removed_at_once() -> None:
    harness = Harness()
    for start in (0, MAX_RECORDS_PER_BATCH // 2):
        names = range(start, start + MAX_RECORDS_PER_BATCH // 2 + 1)
        create(harness, *(acl_creation(resource_name=str(number)) for number in names))
    count = len(harness.image.acls)
    assert count == MAX_RECORDS_PER_BATCH + 1
    (result,) = delete(harness, acl_filter())
    assert result.error_code == ErrorCode.INVALID_REQUEST
    assert str(count) in (result.error_message or "")
    assert len(harness.image.acls) == count
    (result,) = delete(harness, acl_filter(resource_name_filter="0"))
    assert result.error_code == 0
    assert len(delete(harness, acl_filter())[0].matching_acls) == MAX_RECORDS_PER_BATCH
    assert dict(harness.image.acls) == {}


def test_filters_and_acls_that_are_too_many_to_compare_are_refused(
    guarded: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Three ACLs, two of which are about the topic "t".
    monkeypatch.setattr(acls, "MAX_COMPARISONS", 7)
    any_name, one_name = acl_filter(operation=9), exact_filter(operation=9)
    assert {each.error_code for each in delete(guarded, any_name, any_name)} == {0}
    assert {each.error_code for each in delete(guarded, one_name, one_name, one_name)} == {0}
    refused = delete(guarded, any_name, any_name, one_name)
    assert {each.error_code for each in refused} == {ErrorCode.INVALID_REQUEST}
    assert "3 filters with 3 ACLs. One request may compare 7;" in (refused[0].error_message or "")
    assert len(present(guarded)) == 3


@pytest.mark.parametrize("name", ["t", "missing"])
def test_each_filter_takes_a_step(guarded: Harness, name: str) -> None:
    filters = [exact_filter(resource_name_filter=name, operation=9)] * 100
    guarded.controller._changes._steps_per_slice = 1
    guarded.in_slices = True
    guarded.send(DeleteAclsRequest(filters=filters))
    assert guarded.finish() >= len(filters)


FIRST_WITH_RANGES = 32
"""metadata.version 4.4-IV1."""
HOSTS = json.loads(
    (Path(__file__).parents[3] / "metadata/security/golden/acl_hosts.json").read_text("utf-8")
)["created"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_is_judged_as_by_stock_at_both_levels(host: str) -> None:
    codes = [
        create(Harness(metadata_version=level), acl_creation(host=host))[0].error_code for level in (33, 30)
    ]
    assert codes == HOSTS[host]


def test_a_refused_range_is_named() -> None:
    (bad,) = create(Harness(metadata_version=FIRST_WITH_RANGES), acl_creation(host="10.0.0.0/33"))
    assert (
        bad.error_message
        == "The host '10.0.0.0/33' is no range of addresses, such as 10.0.0.0/8 or 2001:db8::/32."
    )
    (early,) = create(Harness(metadata_version=FIRST_WITH_RANGES - 1), acl_creation(host="10.0.0.0/8"))
    assert early.error_message == (
        "The host '10.0.0.0/8' is a range of addresses, which ACLs may have from metadata.version 4.4-IV1 on."
    )


def test_filters_compare_ranges_as_text() -> None:
    harness = Harness(metadata_version=FIRST_WITH_RANGES)
    written = ["10.0.0.0/8", "10.0.0.1/8", "10.0.0.1"]
    create(harness, *(acl_creation(host=host) for host in written))
    for host in ("10.0.0.0/08", "10.0.0.2", "10.0.0.0/33"):
        assert [each.matching_acls for each in delete(harness, acl_filter(host_filter=host))] == [[]]
    for host in written:
        (result,) = delete(harness, acl_filter(host_filter=host))
        assert [each.host for each in result.matching_acls] == [host]
    assert present(harness) == set()


def exact_filter(**fields: Any) -> DeleteAclsRequest.DeleteAclsFilter:
    """Of the ACLs of one name."""
    named = {"resource_type_filter": TOPIC, "pattern_type_filter": LITERAL, "resource_name_filter": "t"}
    made: DeleteAclsRequest.DeleteAclsFilter = acl_filter(**{**named, **fields})
    return made


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"resource_name_filter": "or", "pattern_type_filter": PREFIXED},
        {"resource_name_filter": "or"},
        {"resource_type_filter": GROUP},
        {"host_filter": "::1"},
        {"host_filter": "0:0:0:0:0:0:0:1"},
        {"principal_filter": "User:bob"},
        {"resource_name_filter": "missing"},
        {"pattern_type_filter": ANY},
        {"pattern_type_filter": MATCH},
        {"resource_name_filter": "orders", "pattern_type_filter": MATCH},
    ],
    ids=str,
)
def test_a_filter_of_one_name_means_what_a_search_through_all_finds(fields: dict[str, Any]) -> None:
    harness = Harness()
    create(
        harness,
        acl_creation(),
        acl_creation(host="0:0:0:0:0:0:0:1"),
        acl_creation(principal="User:bob"),
        acl_creation(resource_name="or", resource_pattern_type=PREFIXED),
        acl_creation(resource_type=GROUP),
    )
    found = AclFilter.of(exact_filter(**fields))
    expected = sorted(filter(found.matches, present(harness)), key=acl_order)
    (result,) = delete(harness, exact_filter(**fields))
    assert [(each.principal, each.host) for each in result.matching_acls] == [
        (each.principal, each.host) for each in expected
    ]


def test_a_standby_says_so_for_each_acl_and_filter() -> None:
    harness = Harness(active=False)
    created = harness.answer(harness.send(CreateAclsRequest(creations=[acl_creation(), acl_creation()])))
    assert [each.error_code for each in created.results] == [ErrorCode.NOT_CONTROLLER] * 2
    deleted = harness.answer(harness.send(DeleteAclsRequest(filters=[acl_filter()])))
    assert [each.error_code for each in deleted.filter_results] == [ErrorCode.NOT_CONTROLLER]
