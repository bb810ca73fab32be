"""ACLs that are easy to write, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from immutables import Map
from msgspec.structs import asdict

from kafkaproto.messages import AccessControlEntryRecord, CreateAclsRequest, DeleteAclsRequest
from kafkaproto_server.metadata.image.acl_index import NO_ACLS, AclIndex, with_acl
from kafkaproto_server.metadata.image.entries import AccessControlEntry
from kafkaproto_server.metadata.security.acls import Operation, PatternType, PermissionType, ResourceType
from kafkaproto_server.metadata.security.authorizer import Authorizer


def acl(**fields: Any) -> AccessControlEntry:
    """An ACL that lets alice read the topic ``t`` from everywhere, but for the fields given."""
    given = {
        "resource_type": ResourceType.TOPIC,
        "resource_name": "t",
        "pattern_type": PatternType.LITERAL,
        "principal": "User:alice",
        "host": "*",
        "operation": Operation.READ,
        "permission_type": PermissionType.ALLOW,
        **fields,
    }
    return AccessControlEntry(**given)


def acl_record(acl_id: bytes, **fields: Any) -> AccessControlEntryRecord:
    """The record that adds an ACL; the fields are those of `acl`."""
    return AccessControlEntryRecord(id=acl_id, **asdict(acl(**fields)))


def acl_creation(**fields: Any) -> CreateAclsRequest.AclCreation:
    """What a request says that adds the ACL of `acl`, but for the fields given."""
    given = asdict(acl())
    given["resource_pattern_type"] = given.pop("pattern_type")
    return CreateAclsRequest.AclCreation(**{**given, **fields})


def acl_filter(make: Any = DeleteAclsRequest.DeleteAclsFilter, **fields: Any) -> Any:
    """What a request says that means every ACL, but for the fields given."""
    given = {
        "resource_type_filter": ResourceType.ANY,
        "resource_name_filter": None,
        "pattern_type_filter": PatternType.ANY,
        "principal_filter": None,
        "host_filter": None,
        "operation": Operation.ANY,
        "permission_type": PermissionType.ANY,
        **fields,
    }
    return make(**given)


def by_id(entries: Iterable[AccessControlEntry]) -> Map[bytes, AccessControlEntry]:
    """ACLs as an image has them."""
    return Map({number.to_bytes(16, "big"): entry for number, entry in enumerate(entries, 1)})


def index_of(acls: Map[bytes, AccessControlEntry]) -> AclIndex:
    """The index that an image has with these ACLs."""
    index = NO_ACLS
    for acl_id, entry in acls.items():
        index = with_acl(index, acl_id, entry)
    return index


def authorizer(
    *entries: AccessControlEntry,
    super_users: frozenset[str] = frozenset(),
    allow_everyone_if_no_acl_found: bool = False,
) -> Authorizer:
    """An authorizer that goes by these ACLs."""
    return Authorizer(index_of(by_id(entries)), super_users, allow_everyone_if_no_acl_found)
