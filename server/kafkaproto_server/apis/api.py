"""What this server has to know of one API: an `Api`, which is the API's one row in `apis.table`.

Each API has a file of its own, in the folder of its family. The file's head says versions, behaviour, differences
between versions and what is not done; its last lines are the row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from kafkaproto.api import ApiKey
from kafkaproto.message import Message
from kafkaproto_server.apis.access import Access, CheckedBy
from kafkaproto_server.apis.bounds import Bounds
from kafkaproto_server.requests.context import InnerRequest, Reply, RequestContext
from kafkaproto_server.requests.ports import Services
from kafkaproto_server.requests.refusals import Refuse, refuse_on_top
from kafkaproto_server.security.acls import Operation

Handler: TypeAlias = Callable[[Any, RequestContext, Services], Reply | InnerRequest]
"""Answers a request, now or later."""


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """An API on one kind of listener."""

    handler: Handler
    access: Access | None
    """What the sender must be allowed to do; None if anybody is served."""
    is_forwarded: bool = False
    """Whether a broker passes the request on to the active controller, and so offers no more than that one does."""
    passes_on_unread: bool = False
    """Whether a broker passes the request on as it came."""


class Api(msgspec.Struct, frozen=True, kw_only=True):
    """One API. The versions served are those of Kafka's release (`messages/SOURCE.md`)."""

    key: ApiKey
    bounds: Bounds
    """The largest request."""
    broker: Served | None = None
    """On broker listeners; None if it is not served there."""
    controller: Served | None = None
    """On controller listeners."""
    refuse: Refuse = refuse_on_top
    """The response to a request that is refused as a whole."""
    timeout_ms: Callable[[Any], int] | None = None
    """The field that says how long the sender waits, if there is one."""
    is_urgent: bool = False
    """Whether replicas of the quorum and brokers send it to stay in the cluster. Urgent requests go before others if
    there is more to do than a pass of the loop allows. None of them may hold much."""


def _forward(request: Message, context: RequestContext, services: Services) -> Reply:
    return services.controller.forward(request, context)


def _submit(request: Message, context: RequestContext, services: Services) -> Reply:
    return services.controller.submit(request, context)


def _ask_quorum(request: Message, context: RequestContext, services: Services) -> Reply:
    return services.quorum.answer(request, context)


FORWARDED = Served(
    handler=_forward,
    # The controllers' half of the row has the operation.
    access=Access(operation=Operation.ANY, checked_by=CheckedBy.CONTROLLER),
    is_forwarded=True,
    passes_on_unread=True,
)
"""On a broker's listener: the active controller decides, wherever it is (KIP-590)."""


def submitted(operation: Operation) -> Served:
    """On a controller's listener: its controller decides. The sender needs an operation on the cluster."""
    return Served(handler=_submit, access=Access(operation=operation))


def of_quorum(operation: Operation = Operation.CLUSTER_ACTION) -> Served:
    """On a controller's listener: its replica of the quorum answers, at once or when a long poll or a change of voters
    is over. The sender needs an operation on the cluster."""
    return Served(handler=_ask_quorum, access=Access(operation=operation))
