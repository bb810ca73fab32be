"""The description of one API: an `Api` is that API's row in `apis.table`.

Each API has a file of its own in the folder of its family. The head of that file states the versions, the behaviour,
the differences between versions and what is not implemented. Its last lines are the row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from kafkaproto.api import ApiKey
from kafkaproto.message import Message
from kafkaproto_server.apis.access import Access, CheckedBy
from kafkaproto_server.apis.bounds import Bounds
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import HandlerResult, InnerRequest, RequestContext, Response
from kafkaproto_server.requests.refusals import Refuse, refuse_on_top

Handler: TypeAlias = Callable[[Any, RequestContext, Services], HandlerResult | InnerRequest]
"""Serves a request: returns the response, or a promise of it. Only a handler whose work grows returns steps: with the
request, if its bounds are larger than `bounds.SMALL`, or with what the node has, if it lists that."""


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """An API on one kind of listener."""

    handler: Handler
    access: Access | None
    """What the sender must be allowed to do; None if anybody is served."""
    is_forwarded: bool = False
    """Whether a broker forwards the request to the active controller. The broker then offers only versions that the
    active controller serves, too."""
    passes_on_unread: bool = False
    """Whether a broker forwards the request's bytes unchanged."""
    bounds: Bounds | None = None
    """The largest request on this kind of listener; None for that of the API."""


class Api(msgspec.Struct, frozen=True, kw_only=True):
    """One API. The versions served are those of Kafka's release (`messages/SOURCE.md`)."""

    key: ApiKey
    bounds: Bounds
    """The largest request that is accepted."""
    broker: Served | None = None
    """How broker listeners serve it; None if they do not."""
    controller: Served | None = None
    """How controller listeners serve it; None if they do not."""
    refuse: Refuse = refuse_on_top
    """Makes the response to a request that is refused as a whole."""
    timeout_ms: Callable[[Any], int] | None = None
    """Reads the request's timeout field; None if the API has no such field."""
    advertised_from: int | None = None
    """The lowest version that ApiVersions shows; None for the lowest one that is served."""
    most_elements: Callable[[bytes, int, int], int] | None = None
    """Finds the largest number of elements that a request can hold, from its frame, the offset of its body and its
    version; None if the length of the body says it well enough."""
    bounds_waiting: bool = False
    """Whether what its requests keep while they wait has a limit of its own."""
    is_urgent: bool = False
    """Whether replicas of the quorum or brokers send it to controllers to stay in the cluster. If there is more to do
    than one pass of the loop allows, urgent requests go first. None of them may be large."""


def _forward(request: Message, context: RequestContext, services: Services) -> Deferred[Response]:
    return services.controller.forward(request, context)


def _submit(request: Message, context: RequestContext, services: Services) -> Deferred[Response]:
    return services.controller.submit(request, context)


def _ask_quorum(request: Message, context: RequestContext, services: Services) -> Deferred[Response]:
    return services.quorum.answer(request, context)


FORWARDED = Served(
    handler=_forward,
    # The operation is in the row's entry for controller listeners: the controller checks it.
    access=Access(operation=Operation.ANY, checked_by=CheckedBy.CONTROLLER),
    is_forwarded=True,
    passes_on_unread=True,
)
"""On a broker's listener: the broker forwards the request to the active controller, wherever it is (KIP-590)."""


def submitted(operation: Operation) -> Served:
    """On a controller's listener: this node's controller decides. The sender needs the operation on the cluster."""
    return Served(handler=_submit, access=Access(operation=operation))


def of_quorum(operation: Operation = Operation.CLUSTER_ACTION) -> Served:
    """On a controller's listener: this node's replica of the quorum responds, at once or when a long poll or a change
    of the voters ends. The sender needs the operation on the cluster."""
    return Served(handler=_ask_quorum, access=Access(operation=operation))
