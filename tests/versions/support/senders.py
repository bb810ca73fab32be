"""What a sender is, to the tests of versions: code of the product that sends requests, and what its node responds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kafkaproto.message import Message
from tests.versions.support.peer import ReleasePeer


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """One way to send requests."""

    name: str
    listener: str
    """The kind of listener that it asks."""
    sends: tuple[str, ...]
    """The names of the requests, as they are in the sources."""
    modules: tuple[str, ...]
    """The modules that make these requests and give their fields values."""
    respond: Callable[[Message], Message]
    """What the node responds: that all went well."""
    run: Callable[[ReleasePeer], Awaitable[object]]
    """Has the product send all of it in the fullest state there is, and returns what the product made of the
    responses. What the product says of a node that it cannot ask begins with `REFUSED`."""
    handled: object
    """What ``run`` returns if all went well."""


REFUSED = "refused"
"""In place of a result: the node serves no version that the request can be sent in, and the caller knows."""
