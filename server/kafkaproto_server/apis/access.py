"""Which ACL operation an API requires of the sender (KIP-11), and which part of the server checks it."""

from __future__ import annotations

import enum

import msgspec

from kafkaproto_server.metadata.security.acls import Operation, ResourceType


class CheckedBy(enum.Enum):
    """Which part of the server checks the access to an API."""

    DISPATCH = "the dispatcher, before the handler: the whole request is refused"
    HANDLER = "the handler, item by item"
    CONTROLLER = "the active controller, under the client's principal"


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """The operation that an API requires, the type of resource that it applies to, and which part of the server checks
    it."""

    operation: Operation
    resource_type: ResourceType = ResourceType.CLUSTER
    checked_by: CheckedBy = CheckedBy.DISPATCH
    alternative: Operation | None = None
    """Another operation that is enough, if the dispatcher checks."""

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations of which one is enough."""
        return (self.operation,) if self.alternative is None else (self.operation, self.alternative)


def of_items(operation: Operation, resource_type: ResourceType) -> Access:
    """An access that the handler checks for each item of the request."""
    return Access(operation=operation, resource_type=resource_type, checked_by=CheckedBy.HANDLER)
