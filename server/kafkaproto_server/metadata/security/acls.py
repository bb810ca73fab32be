"""Access control lists: Kafka's numbers for them on the wire and in records, and filters that select ACLs.

An ACL (`metadata.image.image.AccessControlEntry`) says that a principal, from a host, may or may not do an operation on
the resources of a pattern. ``*`` as a host or as a literal resource name, or ``User:*`` as a principal, stands for all.

Apache Kafka: ``AclBinding``, ``AclBindingFilter``, ``ResourcePatternFilter``.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from kafkaproto.messages import DeleteAclsRequest, DescribeAclsRequest
from kafkaproto_server.metadata.image.entries import AccessControlEntry

WILDCARD = "*"
EVERYBODY = "User:*"
"""Principal of an ACL that is for all principals of any type."""
CLUSTER_NAME = "kafka-cluster"
"""The one name of a resource of type CLUSTER."""


class ResourceType(enum.IntEnum):
    """The type of resource that an ACL is about."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class PatternType(enum.IntEnum):
    """How the resource name of an ACL, or of a filter, is compared."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class Operation(enum.IntEnum):
    """The operation that an ACL allows or denies."""

    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


class PermissionType(enum.IntEnum):
    """Whether an ACL allows or denies."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


OPERATIONS: Mapping[ResourceType, tuple[Operation, ...]] = {
    ResourceType.TOPIC: (
        Operation.READ,
        Operation.WRITE,
        Operation.CREATE,
        Operation.DELETE,
        Operation.ALTER,
        Operation.DESCRIBE,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    ),
    ResourceType.CLUSTER: (
        Operation.CREATE,
        Operation.ALTER,
        Operation.DESCRIBE,
        Operation.CLUSTER_ACTION,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
        Operation.IDEMPOTENT_WRITE,
    ),
    ResourceType.GROUP: (
        Operation.READ,
        Operation.DELETE,
        Operation.DESCRIBE,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    ),
}
"""Operations of a resource type, for the types whose authorized operations responses report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AclFilter:
    """Selects ACLs. None, or ANY in place of a number, matches any value.

    The pattern type MATCH selects every ACL that applies to a resource of that name: literal ACLs with the name, those
    for all names, and prefixed ACLs with a beginning of the name.
    """

    resource_type: int = ResourceType.ANY
    resource_name: str | None = None
    pattern_type: int = PatternType.ANY
    principal: str | None = None
    host: str | None = None
    operation: int = Operation.ANY
    permission_type: int = PermissionType.ANY

    @classmethod
    def of(cls, each: DescribeAclsRequest | DeleteAclsRequest.DeleteAclsFilter) -> AclFilter:
        """The filter of a request."""
        return cls(
            resource_type=each.resource_type_filter,
            resource_name=each.resource_name_filter,
            pattern_type=each.pattern_type_filter,
            principal=each.principal_filter,
            host=each.host_filter,
            operation=each.operation,
            permission_type=each.permission_type,
        )

    def problem(self, *, only_zero: bool = False) -> str | None:
        """Which number of the filter is unknown, in words; None if all are known.

        With ``only_zero``, only 0 counts as unknown: other unknown numbers may be of another release, and match no ACL.
        """
        numbers: tuple[tuple[str, int, type[enum.IntEnum]], ...] = (
            ("resource type", self.resource_type, ResourceType),
            ("pattern type", self.pattern_type, PatternType),
            ("operation", self.operation, Operation),
            ("permission type", self.permission_type, PermissionType),
        )
        for what, number, known in numbers:
            # 0 is Kafka's UNKNOWN, which no ACL can have.
            if number == 0 or not (only_zero or knows(known, number)):
                return f"The filter's {what} {number} is unknown."
        return None

    def matches(self, entry: AccessControlEntry) -> bool:
        """Whether the filter selects an ACL."""
        return (
            self.resource_type in (ResourceType.ANY, entry.resource_type)
            and self._matches_name(entry)
            and self.principal in (None, entry.principal)
            and self.host in (None, entry.host)
            and self.operation in (Operation.ANY, entry.operation)
            and self.permission_type in (PermissionType.ANY, entry.permission_type)
        )

    def _matches_name(self, entry: AccessControlEntry) -> bool:
        if self.pattern_type not in (PatternType.ANY, PatternType.MATCH, entry.pattern_type):
            return False
        if self.resource_name is None or self.resource_name == entry.resource_name:
            return True
        # ANY and the types themselves compare the whole name.
        if self.pattern_type != PatternType.MATCH:
            return False
        if entry.pattern_type == PatternType.PREFIXED:
            return self.resource_name.startswith(entry.resource_name)
        # A literal * stands for all names, and so applies to this one.
        return entry.resource_name == WILDCARD


def acl_order(entry: AccessControlEntry) -> tuple[int, str, int, str, str, int, int]:
    """Sort key of an ACL: first its resource, then its principal and the rest."""
    return (
        entry.resource_type,
        entry.resource_name,
        entry.pattern_type,
        entry.principal,
        entry.host,
        entry.operation,
        entry.permission_type,
    )


def knows(numbers: type[enum.IntEnum], number: int) -> bool:
    """Whether a number from outside is known; 0 is the protocol's own number for "unknown"."""
    return number != 0 and any(number == each for each in numbers)
