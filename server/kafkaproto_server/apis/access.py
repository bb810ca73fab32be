"""What the sender of a request must be allowed to do (KIP-11), and who checks it."""

from __future__ import annotations

import enum

import msgspec

from kafkaproto_server.security.acls import Operation, ResourceType


class CheckedBy(enum.Enum):
    """Who checks the access of an API."""

    DISPATCH = "the dispatcher, before the handler: the whole request is refused"
    HANDLER = "the handler, item by item"
    CONTROLLER = "the active controller, under the client's principal"


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """The operation that an API needs, on which type of resource, and who checks it."""

    operation: Operation
    resource_type: ResourceType = ResourceType.CLUSTER
    checked_by: CheckedBy = CheckedBy.DISPATCH


def of_items(operation: Operation, resource_type: ResourceType) -> Access:
    """The access that a handler checks item by item."""
    return Access(operation=operation, resource_type=resource_type, checked_by=CheckedBy.HANDLER)
