"""Small values that every room of the server shares: keys of replicas, endpoints, offsets, and a reply to come.

Nothing here does I/O, reads a clock or knows of a message's bytes.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Generator, Iterator
from types import GeneratorType
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")

Steps: TypeAlias = Generator[None, None, T]
"""Long work in small steps: it yields once for each element it has dealt with (tens of microseconds of work), and
returns its result at the end. Whoever drives it decides how many steps others have to wait for, and may drop it between
two steps: until it has returned, it has changed nothing."""

if TYPE_CHECKING:
    StepsType = Generator
else:
    StepsType = GeneratorType
"""For ``isinstance``: whether something is `Steps`. To ask for the abstract class takes several times as long, and each
request is asked more than once."""


def run_to_end(steps: Steps[T]) -> T:
    """The result of the steps, all taken at once; raises what they raise."""
    results: list[T] = []

    def all_steps() -> Iterator[None]:
        results.append((yield from steps))

    deque(all_steps(), maxlen=0)
    return results[0]


def earliest(*times: int | None) -> int | None:
    """The first of some moments, of which each may never come; None if none does."""
    first: int | None = None
    for each in times:
        if each is not None and (first is None or each < first):
            first = each
    return first


METADATA_TOPIC = "__cluster_metadata"
METADATA_TOPIC_ID = bytes(15) + b"\x01"
"""Topic id of the metadata log: most significant half 0, least significant half 1."""

ZERO_UUID = bytes(16)
NO_NODE = -1
"""Node id that stands for "none" on the wire (no leader, no vote)."""


class ListenerKind(enum.Enum):
    """Which half of a node a listener belongs to; it decides which requests are served there."""

    BROKER = "broker"
    CONTROLLER = "controller"


class OffsetAndEpoch(msgspec.Struct, frozen=True, kw_only=True, order=True, gc=False):
    """A position in a log: an offset and the leader epoch it belongs to, compared epoch first."""

    epoch: int
    offset: int


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One address under which a node serves one listener."""

    name: str
    """Listener name, for example ``CONTROLLER``."""
    host: str
    port: int
    security_protocol: int = 0
    """0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL."""


class ReplicaKey(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Who a replica is: a node id, and the id of the directory that holds its log where that is known."""

    id: int
    directory_id: bytes | None = None
    """16 bytes; None where it is not known (all zeros on the wire)."""


class Voter(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One member of the quorum as a KRAFT_VOTERS record describes it (KIP-853)."""

    key: ReplicaKey
    endpoints: tuple[Endpoint, ...]
    min_kraft_version: int = 0
    max_kraft_version: int = 1


class LeaderAndEpoch(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The quorum's leader as one node knows it; ``leader_id`` is -1 where it knows none."""

    leader_id: int
    epoch: int


Failed = Callable[[Exception], None]
"""Is told of the mistake because of which a reply will never be decided."""


def _raise(error: Exception) -> None:
    raise error


class Deferred(Generic[T]):
    """A reply that is decided later, without saying how anyone waits for it.

    Pure rooms hand it out and resolve it; the shell waits on it with whatever its event loop offers. Where what makes
    the reply fails in a way that nobody foresaw, the reply fails: whoever waits is told, and whoever resolves what the
    reply is made of goes on. Deciding twice, either way, is our own bug and asserts.
    """

    __slots__ = ("_callbacks", "_done", "_error", "_value")

    def __init__(self) -> None:
        self._done = False
        self._value: T | None = None
        self._error: Exception | None = None
        self._callbacks: list[tuple[Callable[[T], None], Failed]] = []

    def resolve(self, value: T) -> None:
        """Decide the reply and run the callbacks that wait for it, in the order they came."""
        self._value = value
        self._decide()

    def fail(self, error: Exception) -> None:
        """The reply will never be there; where somebody waits who takes no failure, the error is raised here."""
        self._error = error
        self._decide()

    def on_done(self, callback: Callable[[T], None], failed: Failed = _raise) -> None:
        """Call ``callback(value)`` once decided, or ``failed(error)``; at once if that has happened already."""
        self._callbacks.append((callback, failed))
        if self._done:
            self._run_callbacks()

    def then(self, change: Callable[[T], T]) -> Deferred[T]:
        """The reply with its value changed; it fails where this one does, or ``change``."""
        later: Deferred[T] = Deferred()

        def take(value: T) -> None:
            try:
                changed = change(value)
            except Exception as error:
                later.fail(error)
            else:
                later.resolve(changed)

        self.on_done(take, later.fail)
        return later

    def _decide(self) -> None:
        assert not self._done, "a deferred reply was decided twice"
        self._done = True
        self._run_callbacks()

    def _run_callbacks(self) -> None:
        callbacks, self._callbacks = self._callbacks, []
        for callback, failed in callbacks:
            if self._error is not None:
                failed(self._error)
            else:
                callback(self._value)  # type: ignore[arg-type]
