"""The authorizer decides as Kafka's does: each rule by itself, and all of them against a slow, obvious reference.

Tests: `metadata.image.acl_hosts`.
"""

from __future__ import annotations

import ast
import ipaddress
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkaproto_server
from kafkaproto_server.metadata.image.acl_index import NO_ACLS, with_acl, without_acl
from kafkaproto_server.metadata.image.entries import AccessControlEntry
from kafkaproto_server.metadata.security.acls import Operation, PatternType, PermissionType, ResourceType
from kafkaproto_server.metadata.security.authorizer import (
    MAX_REMEMBERED_HOSTS,
    AuthorizerConfig,
    CurrentAuthorizer,
)
from tests.metadata.security.support.acl_making import acl, authorizer, by_id, index_of

ALLOW, DENY = PermissionType.ALLOW, PermissionType.DENY
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
READ, WRITE, DESCRIBE, ALTER = Operation.READ, Operation.WRITE, Operation.DESCRIBE, Operation.ALTER
DESCRIBE_CONFIGS, ALTER_CONFIGS = Operation.DESCRIBE_CONFIGS, Operation.ALTER_CONFIGS
TOPIC, GROUP = ResourceType.TOPIC, ResourceType.GROUP


def allows(*entries: AccessControlEntry, **changes: Any) -> bool:
    """Whether alice, from 10.0.0.7, may read the topic ``t``, but for the changes."""
    asked = {
        "principal": "User:alice",
        "host": "10.0.0.7",
        "operation": READ,
        "resource_type": TOPIC,
        "resource_name": "t",
        **{name: value for name, value in changes.items() if name not in SETTINGS},
    }
    settings = {name: value for name, value in changes.items() if name in SETTINGS}
    return authorizer(*entries, **settings).authorize(**asked)


SETTINGS = ("super_users", "allow_everyone_if_no_acl_found")


def test_nobody_may_do_anything_without_an_acl_unless_the_default_says_so() -> None:
    assert not allows()
    assert allows(allow_everyone_if_no_acl_found=True)


def test_the_default_is_for_resources_that_no_acl_is_about_whomever_it_names() -> None:
    for_bob = acl(principal="User:bob", operation=WRITE)
    assert not allows(for_bob, allow_everyone_if_no_acl_found=True)
    assert allows(for_bob, resource_name="u", allow_everyone_if_no_acl_found=True)
    assert allows(for_bob, resource_type=GROUP, allow_everyone_if_no_acl_found=True)
    for_all_names = acl(principal="User:bob", resource_name="*")
    assert not allows(for_all_names, resource_name="u", allow_everyone_if_no_acl_found=True)
    prefixed = acl(principal="User:bob", resource_name="u", pattern_type=PREFIXED)
    assert not allows(prefixed, resource_name="u2", allow_everyone_if_no_acl_found=True)
    assert allows(prefixed, resource_name="t", allow_everyone_if_no_acl_found=True)


def test_a_super_user_may_do_what_is_denied() -> None:
    deny = acl(permission_type=DENY)
    assert allows(deny, super_users=frozenset({"User:alice"}))
    assert not allows(deny, super_users=frozenset({"User:bob", "Group:alice"}))


def test_what_denies_counts_before_what_allows_however_exactly_either_names_it() -> None:
    exact = acl()
    for deny in (
        acl(permission_type=DENY),
        acl(permission_type=DENY, resource_name="*"),
        acl(permission_type=DENY, resource_name="t", pattern_type=PREFIXED),
        acl(permission_type=DENY, principal="User:*"),
        acl(permission_type=DENY, operation=Operation.ALL),
    ):
        assert not allows(exact, deny)
        assert not allows(deny, exact)
    assert allows(exact, acl(permission_type=DENY, operation=WRITE))


@pytest.mark.parametrize("stronger", [READ, WRITE, Operation.DELETE, ALTER, Operation.ALL])
def test_what_allows_more_allows_to_describe_but_what_denies_it_does_not_deny_that(
    stronger: Operation,
) -> None:
    assert allows(acl(operation=stronger), operation=DESCRIBE)
    assert not allows(acl(operation=DESCRIBE), operation=READ)
    both = (acl(operation=DESCRIBE), acl(operation=stronger, permission_type=DENY))
    assert allows(*both, operation=DESCRIBE) is (stronger is not Operation.ALL)


def test_who_may_alter_configs_may_describe_them_and_nothing_else_implies_that() -> None:
    assert allows(acl(operation=ALTER_CONFIGS), operation=DESCRIBE_CONFIGS)
    assert not allows(acl(operation=ALTER_CONFIGS), operation=DESCRIBE)
    assert not allows(acl(operation=ALTER), operation=DESCRIBE_CONFIGS)
    assert not allows(acl(operation=DESCRIBE_CONFIGS), operation=ALTER_CONFIGS)


def test_names_are_literal_or_prefixes_or_all() -> None:
    assert allows(acl(resource_name="*"), resource_name="anything")
    assert not allows(acl(resource_name="t*"), resource_name="tx")
    prefixed = acl(resource_name="or", pattern_type=PREFIXED)
    assert allows(prefixed, resource_name="orders")
    assert allows(prefixed, resource_name="or")
    assert not allows(prefixed, resource_name="o")
    # A star is a letter where it is a prefix.
    assert not allows(acl(resource_name="*", pattern_type=PREFIXED), resource_name="t")
    assert not allows(acl(), resource_type=GROUP)


def test_principals_are_of_a_type_and_a_name() -> None:
    assert allows(acl(principal="User:*"))
    assert allows(acl(principal="User:*"), principal="Group:admins")
    assert not allows(acl(principal="Group:alice"))
    assert not allows(acl(principal="User:Alice"))


@pytest.mark.parametrize(
    ("written", "host", "is_allowed"),
    [
        ("*", "10.0.0.7", True),
        ("10.0.0.7", "10.0.0.7", True),
        ("10.0.0.8", "10.0.0.7", False),
        ("::1", "::1", True),
        ("0:0:0:0:0:0:0:1", "::1", True),
        ("somewhere", "10.0.0.7", False),
    ],
)
def test_hosts_are_addresses(written: str, host: str, is_allowed: bool) -> None:
    assert allows(acl(host=written), host=host) is is_allowed
    assert allows(acl(), acl(host=written, permission_type=DENY), host=host) is not is_allowed


GOLDEN = json.loads((Path(__file__).parent / "golden" / "acl_hosts.json").read_text("utf-8"))


@pytest.mark.parametrize("written", GOLDEN["matched"])
def test_a_range_has_the_addresses_that_stock_finds_in_it(written: str) -> None:
    allowed = index_of(by_id([acl(host=written)]))
    denied = index_of(by_id([acl(), acl(host=written, permission_type=DENY)]))
    for address in GOLDEN["addresses"]:
        host = client_host(address)
        is_in = address in GOLDEN["matched"][written]
        deciders = [CurrentAuthorizer(AuthorizerConfig()).at(index) for index in (allowed, denied)]
        decided = [each.authorize("User:alice", host, READ, TOPIC, "t") for each in deciders]
        assert decided == [is_in, not is_in], address
        assert deciders[0].authorize_by_type("User:alice", host, READ, TOPIC) is is_in, address
        assert deciders[0].may_on_none("User:alice", host, READ, TOPIC) is not is_in, address


def client_host(address: str) -> str:
    """An address as the authorizer is given it: a mapped one is an IPv4 address."""
    mapped = getattr(ipaddress.ip_address(address), "ipv4_mapped", None)
    return str(mapped or ipaddress.ip_address(address))


def test_ranges_of_all_lengths_are_found_until_they_are_gone() -> None:
    host = "10.1.2.3"
    ranges = [acl(host=f"{host}/{length}", resource_name=f"t{length}") for length in range(33)]
    index, ids = NO_ACLS, {}
    for number, entry in enumerate(ranges):
        ids[number] = number.to_bytes(16, "big")
        index = with_acl(index, ids[number], entry)
    decides = CurrentAuthorizer(AuthorizerConfig())
    for number, entry in enumerate(ranges):
        assert decides.at(index).authorize("User:alice", host, READ, TOPIC, entry.resource_name)
        index = without_acl(index, ids[number], entry)
        assert not decides.at(index).authorize("User:alice", host, READ, TOPIC, entry.resource_name)
    assert index == NO_ACLS


def test_an_authorizer_remembers_a_limited_number_of_addresses() -> None:
    decides = authorizer(acl(host="10.0.0.0/8"))
    for number in range(MAX_REMEMBERED_HOSTS * 2):
        assert decides.authorize("User:alice", f"10.0.{number // 256}.{number % 256}", READ, TOPIC, "t")
    assert len(decides._hosts) <= MAX_REMEMBERED_HOSTS


def test_a_host_that_is_no_address_is_in_no_range() -> None:
    both = (acl(host="0.0.0.0/0"), acl(host="::/0"))
    assert not allows(*both, host="somewhere")
    assert allows(*both, acl(host="somewhere"), host="somewhere")


# --- any ACLs ---

PRINCIPALS = ("User:alice", "User:bob", "Group:alice")
HOSTS = ("10.0.0.7", "10.0.0.8")
RANGES = {"10.0.0.6/31": ("10.0.0.7",), "10.0.0.9/24": HOSTS, "::/0": ()}
"""Ranges, and which of the hosts are in them."""
NAMES = ("a", "ab", "abc", "b")
PLAIN_OPERATIONS = tuple(each for each in Operation if each > Operation.ALL)

entries = st.builds(
    AccessControlEntry,
    resource_type=st.sampled_from((TOPIC, GROUP)),
    resource_name=st.sampled_from((*NAMES, "*")),
    pattern_type=st.sampled_from((LITERAL, PREFIXED)),
    principal=st.sampled_from((*PRINCIPALS, "User:*")),
    host=st.sampled_from((*HOSTS, "*", *RANGES)),
    operation=st.sampled_from((Operation.ALL, *PLAIN_OPERATIONS)),
    permission_type=st.sampled_from((ALLOW, DENY)),
)


def is_about(entry: AccessControlEntry, resource_type: int, name: str) -> bool:
    if entry.resource_type != resource_type:
        return False
    if entry.pattern_type == PREFIXED:
        return name.startswith(entry.resource_name)
    return entry.resource_name in (name, "*")


def speaks_of(entry: AccessControlEntry, principal: str, host: str) -> bool:
    return entry.principal in (principal, "User:*") and (
        entry.host in (host, "*") or host in RANGES.get(entry.host, ())
    )


def covers(entry: AccessControlEntry, operation: Operation) -> bool:
    """Whether an ACL that allows something allows this."""
    implied = {
        READ: {DESCRIBE},
        WRITE: {DESCRIBE},
        Operation.DELETE: {DESCRIBE},
        ALTER: {DESCRIBE},
        ALTER_CONFIGS: {DESCRIBE_CONFIGS},
        Operation.ALL: set(PLAIN_OPERATIONS),
    }
    given = Operation(entry.operation)
    return operation == given or operation in implied.get(given, set())


def reference(
    acls: list[AccessControlEntry],
    default: bool,
    principal: str,
    host: str,
    operation: Operation,
    resource_type: int,
    name: str,
) -> bool:
    """Kafka's rules, one after the other, over all ACLs."""
    if principal == "User:root":
        return True
    about = [entry for entry in acls if is_about(entry, resource_type, name)]
    mine = [entry for entry in about if speaks_of(entry, principal, host)]
    if any(each.permission_type == DENY and each.operation in (operation, Operation.ALL) for each in mine):
        return False
    if any(each.permission_type == ALLOW and covers(each, operation) for each in mine):
        return True
    return default and not about


@given(
    acls=st.lists(entries, max_size=12),
    default=st.booleans(),
    principal=st.sampled_from((*PRINCIPALS, "User:root")),
    host=st.sampled_from(HOSTS),
    operation=st.sampled_from(PLAIN_OPERATIONS),
    resource_type=st.sampled_from((TOPIC, GROUP)),
    name=st.sampled_from((*NAMES, "abcd", "")),
)
def test_every_answer_is_that_of_the_rules_applied_one_after_the_other(
    acls: list[AccessControlEntry],
    default: bool,
    principal: str,
    host: str,
    operation: Operation,
    resource_type: ResourceType,
    name: str,
) -> None:
    decides = authorizer(*acls, super_users=frozenset({"User:root"}), allow_everyone_if_no_acl_found=default)
    expected = reference(acls, default, principal, host, operation, resource_type, name)
    assert decides.authorize(principal, host, operation, resource_type, name) is expected


def test_the_current_authorizer_is_made_anew_only_for_other_acls() -> None:
    current = CurrentAuthorizer(
        AuthorizerConfig(super_users=frozenset({"User:root"}), allow_everyone_if_no_acl_found=True)
    )
    none, some = NO_ACLS, index_of(by_id([acl()]))
    first = current.at(none)
    assert first.authorize("User:bob", "h", READ, TOPIC, "t")
    second = current.at(some)
    assert not second.authorize("User:bob", "h", READ, TOPIC, "t")
    assert second.authorize("User:root", "h", READ, TOPIC, "t")
    assert current.at(some) is second


CLUSTER_ACTION, CLUSTER = Operation.CLUSTER_ACTION, ResourceType.CLUSTER


@pytest.mark.parametrize("everyone", [False, True])
def test_before_the_acls_are_known_only_super_users_and_voters_are_let_in(everyone: bool) -> None:
    current = CurrentAuthorizer(
        AuthorizerConfig(super_users=frozenset({"User:root"}), allow_everyone_if_no_acl_found=everyone)
    )
    loading = current.while_loading(frozenset({"10.0.0.1"}))
    assert not loading.is_loaded
    assert current.at(NO_ACLS).is_loaded
    for operation, resource_type in ((ALTER, CLUSTER), (CLUSTER_ACTION, CLUSTER), (READ, TOPIC)):
        assert loading.authorize("User:root", "10.0.0.9", operation, resource_type, "kafka-cluster")
        assert not loading.authorize("User:bob", "10.0.0.9", operation, resource_type, "kafka-cluster")
    assert loading.authorize("User:bob", "10.0.0.1", CLUSTER_ACTION, CLUSTER, "kafka-cluster")
    # A voter's host is let do what voters do, and nothing else.
    for operation, resource_type in ((ALTER, CLUSTER), (Operation.ALL, CLUSTER), (CLUSTER_ACTION, TOPIC)):
        assert not loading.authorize("User:bob", "10.0.0.1", operation, resource_type, "kafka-cluster")


@given(
    acls=st.lists(entries, max_size=12),
    default=st.booleans(),
    principal=st.sampled_from((*PRINCIPALS, "User:root")),
    host=st.sampled_from(HOSTS),
    operation=st.sampled_from(PLAIN_OPERATIONS),
    resource_type=st.sampled_from((TOPIC, GROUP)),
)
def test_who_may_do_something_to_no_resource_of_a_type_may_do_it_to_none_that_is_named(
    acls: list[AccessControlEntry],
    default: bool,
    principal: str,
    host: str,
    operation: Operation,
    resource_type: ResourceType,
) -> None:
    decides = authorizer(*acls, super_users=frozenset({"User:root"}), allow_everyone_if_no_acl_found=default)
    if decides.may_on_none(principal, host, operation, resource_type):
        names = {*NAMES, "abcd", "", *(entry.resource_name for entry in acls)}
        assert not any(decides.authorize(principal, host, operation, resource_type, name) for name in names)


def test_who_is_denied_everything_of_a_type_or_allowed_nothing_may_do_nothing_of_it() -> None:
    asked = "User:alice", "10.0.0.7", READ, TOPIC
    assert authorizer().may_on_none(*asked)
    assert authorizer(acl(principal="User:bob")).may_on_none(*asked)
    assert authorizer(acl(operation=WRITE)).may_on_none(*asked)
    assert not authorizer(acl(operation=READ)).may_on_none(*asked)
    assert not authorizer(acl(resource_name="p", pattern_type=PREFIXED)).may_on_none(*asked)
    allowed = acl(operation=Operation.ALL)
    assert not authorizer(allowed).may_on_none(*asked)
    assert authorizer(allowed, acl(resource_name="*", permission_type=DENY)).may_on_none(*asked)
    # What is denied of one resource says nothing of the others.
    assert not authorizer(allowed, acl(permission_type=DENY)).may_on_none(*asked)


BY_TYPE = json.loads((Path(__file__).parent / "golden" / "authorize_by_type.json").read_text("utf-8"))
ACL_FIELDS = (
    "resource_type",
    "resource_name",
    "pattern_type",
    "principal",
    "host",
    "operation",
    "permission_type",
)


def test_who_may_do_something_to_some_resource_of_a_type_is_who_stock_lets() -> None:
    for default, principal, operation, acls, is_allowed in BY_TYPE["cases"]:
        entries = [acl(**dict(zip(ACL_FIELDS, each, strict=True))) for each in acls]
        decides = authorizer(
            *entries, super_users=frozenset({"User:root"}), allow_everyone_if_no_acl_found=default
        )
        asked = principal, "10.0.0.7", Operation(operation), TOPIC
        assert decides.authorize_by_type(*asked) is is_allowed, (default, asked, acls)
        assert not (is_allowed and decides.may_on_none(*asked))


def test_before_the_acls_are_known_nobody_but_super_users_may_do_something_to_some_resource() -> None:
    config = AuthorizerConfig(super_users=frozenset({"User:root"}), allow_everyone_if_no_acl_found=True)
    loading = CurrentAuthorizer(config).while_loading(frozenset({"10.0.0.1"}))
    assert loading.authorize_by_type("User:root", "10.0.0.1", WRITE, TOPIC)
    assert not loading.authorize_by_type("User:bob", "10.0.0.1", WRITE, TOPIC)


USES = {
    "authorize": {
        "kafkaproto_server/apis/authorization.py",
        "kafkaproto_server/metadata/security/authorizer.py",
    },
    "authorize_by_type": {"kafkaproto_server/apis/data/init_producer_id.py"},
    "may_on_none": {"kafkaproto_server/apis/authorization.py"},
    "may_nothing": {"kafkaproto_server/apis/serving.py"},
}
"""Who calls each question to the authorizer. `may_on_none` and `may_nothing` answer for certain only if they are true:
a new caller has to show what it does with False, which may let nobody in."""


def test_every_use_of_an_answer_of_the_authorizer_is_known() -> None:
    found: dict[str, set[str]] = {name: set() for name in USES}
    root = Path(kafkaproto_server.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute | ast.Name):
                name = node.attr if isinstance(node, ast.Attribute) else node.id
                if name in found:
                    found[name].add(str(path.relative_to(root.parent)))
    assert found == USES
