"""An index of the ACLs for the authorizer: ACLs by resource name, and what is granted to which principal at all.

The index is part of the image, and every ACL record updates it, so that one changed ACL never makes anybody sort a
hundred thousand. Hosts are in canonical form (`acl_hosts`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import msgspec
from immutables import Map

from kafkaproto_server.metadata.image.acl_hosts import PrefixLength, canonical_host, prefix_length
from kafkaproto_server.metadata.image.entries import AccessControlEntry

Entries: TypeAlias = "Map[bytes, AccessControlEntry]"
"""ACLs by their ids."""
Grant: TypeAlias = tuple[int, int, str, str, int]
"""Resource type, permission type, principal, host and operation."""
Patterns: TypeAlias = "Map[tuple[int, str], int]"
"""Resources by pattern type and name, and how many ACLs are for each."""

_EMPTY: Map[Any, Any] = Map()


class AclIndex(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The index of an image; it follows from the image's ACLs."""

    by_name: Map[tuple[int, int, str], Entries] = _EMPTY
    """ACLs by resource type, pattern type and resource name."""
    lengths: Map[tuple[int, int], Map[int, int]] = _EMPTY
    """By resource type and pattern type: the lengths of names, and how many names have each."""
    grants: Map[Grant, Patterns] = _EMPTY
    """By grant: the resources of the type that ACLs give it for, and how many ACLs do."""

    ranges: Map[PrefixLength, int] = _EMPTY
    """How many ACLs are for a range of addresses whose prefix has this length."""

    def named(self, resource_type: int, pattern_type: int, resource_name: str) -> Entries:
        """The ACLs with exactly that name."""
        return self.by_name.get((resource_type, pattern_type, resource_name), _EMPTY)

    def granted(self, grant: Grant) -> Patterns:
        """The resources that ACLs have this grant for."""
        patterns: Patterns = self.grants.get(grant, _EMPTY)
        return patterns

    def lengths_up_to(self, resource_type: int, pattern_type: int, longest: int) -> Iterable[int]:
        """All lengths of names up to ``longest``, in no order; other lengths may be among them."""
        lengths: Map[int, int] = self.lengths.get((resource_type, pattern_type), _EMPTY)
        # For a short name, do not look through thousands of lengths that somebody made up.
        return (
            (each for each in lengths if each <= longest) if len(lengths) <= longest else range(longest + 1)
        )


NO_ACLS = AclIndex()


def with_acl(index: AclIndex, acl_id: bytes, entry: AccessControlEntry) -> AclIndex:
    """The index with one more ACL."""
    # An address has several forms (::1 and 0:0:0:0:0:0:0:1). The log keeps what the administrator
    # wrote, and the authorizer compares this one.
    canonical = _with_canonical_host(entry)
    key = _name_key(entry)
    entries = index.by_name.get(key)
    return AclIndex(
        by_name=index.by_name.set(key, (entries or _EMPTY).set(acl_id, canonical)),
        # Counted by names: a second ACL of a name brings no new length.
        lengths=index.lengths if entries is not None else _lengths_with(index, entry, 1),
        grants=_grants_with(index, canonical, 1),
        ranges=_ranges_with(index, canonical, 1),
    )


def without_acl(index: AclIndex, acl_id: bytes, entry: AccessControlEntry) -> AclIndex:
    """The index without one of its ACLs."""
    key = _name_key(entry)
    # No default: an ACL of the image that is not in the index is a fault, and must not be hidden
    # from the authorizer.
    entries = index.by_name[key].delete(acl_id)
    canonical = _with_canonical_host(entry)
    return AclIndex(
        by_name=index.by_name.set(key, entries) if entries else index.by_name.delete(key),
        lengths=index.lengths if entries else _lengths_with(index, entry, -1),
        grants=_grants_with(index, canonical, -1),
        ranges=_ranges_with(index, canonical, -1),
    )


def _name_key(entry: AccessControlEntry) -> tuple[int, int, str]:
    return entry.resource_type, entry.pattern_type, entry.resource_name


def _grants_with(index: AclIndex, canonical: AccessControlEntry, more: int) -> Map[Grant, Patterns]:
    """The grants with one ACL more, or less."""
    grant = (
        canonical.resource_type,
        canonical.permission_type,
        canonical.principal,
        canonical.host,
        canonical.operation,
    )
    patterns = index.granted(grant)
    pattern = canonical.pattern_type, canonical.resource_name
    acls = patterns.get(pattern, 0) + more
    # Without entries of 0: the authorizer takes an entry for an ACL.
    assert acls >= 0, f"{acls} ACLs for {pattern}"
    patterns = patterns.set(pattern, acls) if acls else patterns.delete(pattern)
    return index.grants.set(grant, patterns) if patterns else index.grants.delete(grant)


def _lengths_with(
    index: AclIndex, entry: AccessControlEntry, more: int
) -> Map[tuple[int, int], Map[int, int]]:
    """The lengths with one name more, or less."""
    key = entry.resource_type, entry.pattern_type
    lengths: Map[int, int] = index.lengths.get(key, _EMPTY)
    # In characters, as the authorizer cuts a name to find its prefixes.
    length = len(entry.resource_name)
    names = lengths.get(length, 0) + more
    assert names >= 0, f"{names} names of length {length}"
    lengths = lengths.set(length, names) if names else lengths.delete(length)
    return index.lengths.set(key, lengths) if lengths else index.lengths.delete(key)


def _ranges_with(index: AclIndex, canonical: AccessControlEntry, more: int) -> Map[PrefixLength, int]:
    """The lengths of ranges with one ACL more, or less."""
    length = prefix_length(canonical.host)
    if length is None:
        return index.ranges
    acls = index.ranges.get(length, 0) + more
    assert acls >= 0, f"{acls} ACLs for ranges of length {length}"
    return index.ranges.set(length, acls) if acls else index.ranges.delete(length)


def _with_canonical_host(entry: AccessControlEntry) -> AccessControlEntry:
    host = canonical_host(entry.host)
    # The same object where nothing changes: a hundred thousand ACLs for * share theirs with the image.
    return entry if host == entry.host else msgspec.structs.replace(entry, host=host)
