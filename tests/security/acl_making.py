"""ACLs that are easy to write, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from immutables import Map

from server.image.image import AccessControlEntry
from server.security.acls import Operation, PatternType, PermissionType, ResourceType
from server.security.authorizer import Authorizer


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


def by_id(entries: Iterable[AccessControlEntry]) -> Map[bytes, AccessControlEntry]:
    """ACLs as an image has them."""
    return Map({number.to_bytes(16, "big"): entry for number, entry in enumerate(entries, 1)})


def authorizer(
    *entries: AccessControlEntry,
    super_users: frozenset[str] = frozenset(),
    allow_everyone_if_no_acl_found: bool = False,
) -> Authorizer:
    """An authorizer that goes by these ACLs."""
    return Authorizer(by_id(entries), super_users, allow_everyone_if_no_acl_found)
