"""No request may hold the loop for longer than 50 ms of CPU time, nor cost memory beyond a multiple of its size.

Every api is asked, on both kinds of listeners, for as much as its bounds allow (`tests.node.support.hostile_requests`),
and the CPU time of each turn of the loop is measured, those of the controller's core among them.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from kafkaproto.errors import RemoteProtocolError
from kafkaproto_server.base.types import ListenerKind
from tests.node.support.hostile_requests import Frame, LargeCluster, authorizers, frames, rows
from tests.support.machine import slowness

LONGEST_TURN_MS = 50
"""On the machine of `tests.support.machine`."""

BYTES_A_BYTE = 300
"""Memory that a request may cost, as a multiple of its size: of the smallest elements, two bytes each, one costs
some 80 bytes when it is decoded, and its part of the response some hundreds."""
CONSTANT_BYTES = 8 * 1024 * 1024
"""Memory that a request may cost whatever its size: what there is to tell, and what is kept of it."""

FEW, MANY = 300, 1_200
"""Elements in the requests whose memory is measured: measuring slows everything down."""
ENOUGH_BYTES = 500
"""By how much requests have to differ in size to tell what a byte costs."""


@cache
def cluster() -> LargeCluster:
    """A node with 20,000 partitions to change, and much more to tell."""
    return LargeCluster(tells_much=True)


@cache
def small_cluster() -> LargeCluster:
    """A node with 5,000 partitions: what it tells does not hide what requests cost."""
    return LargeCluster(topics=1_000)


GUARDS = authorizers()
ALLOWING = {29: "1,000 ACLs"}
"""Who asks about ACLs is told some only if there is an authorizer."""


@pytest.fixture(autouse=True, scope="module")
def unfrozen() -> Iterator[None]:
    """Serving frames freezes what there is, and clusters take gigabytes; not for other tests."""
    yield
    gc.unfreeze()
    cluster.cache_clear()
    small_cluster.cache_clear()
    gc.collect()


def name(row: object) -> str:
    return row.value if isinstance(row, ListenerKind) else str(row)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "key"), rows(), ids=name)
def test_no_request_holds_the_loop(kind: ListenerKind, key: int) -> None:
    slow = []
    for frame in frames(kind, key, cluster().topic_names):
        for guard in (ALLOWING.get(key, "open"), "denied"):
            served = cluster().serve(frame, kind, GUARDS[guard])
            if frame.is_beyond:
                assert is_refused(kind, frame, served.outcomes), frame.label
            longest_ms = served.longest_ms
            if longest_ms > LONGEST_TURN_MS:
                # Other programs on the processor make the same work take longer at times, but not each time.
                again = (cluster().serve(frame, kind, GUARDS[guard]) for _ in range(2))
                longest_ms = min(longest_ms, *(each.longest_ms for each in again))
            if longest_ms > LONGEST_TURN_MS:
                allowed_ms = LONGEST_TURN_MS * min(slowness() for _ in range(3))
                if longest_ms > allowed_ms:
                    slow.append(f"{frame.label}, {guard}: {longest_ms:.0f} ms, of {allowed_ms:.0f}")
    assert slow == []


def is_refused(kind: ListenerKind, frame: Frame, outcomes: Sequence[object]) -> bool:
    """Whether a request beyond its bounds closed its connection, or was left for the controller to refuse; one
    whose sender may not ask may have that for an answer."""
    if not outcomes:
        return kind is ListenerKind.BROKER
    return isinstance(outcomes[0], RemoteProtocolError) or len(outcomes[0]) == 1  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "key"), rows(), ids=name)
def test_no_request_costs_memory_beyond_a_multiple_of_its_size(kind: ListenerKind, key: int) -> None:
    costly = []
    names = small_cluster().topic_names
    pairs = zip(frames(kind, key, names, FEW), frames(kind, key, names, MANY), strict=True)
    for number, (small, large) in enumerate(pairs):
        guard = "denied" if number % 2 else ALLOWING.get(key, "open")
        # What the first one leaves in caches is not counted.
        small_cluster().serve(small, kind, GUARDS[guard])
        small_bytes, large_bytes = (memory_of(frame, kind, guard) for frame in (small, large))
        more_bytes = len(large.data) - len(small.data)
        if large_bytes > CONSTANT_BYTES + BYTES_A_BYTE * len(large.data):
            costly.append(f"{large.label}: {len(large.data)} bytes, {large_bytes} of memory")
        if more_bytes > ENOUGH_BYTES and large_bytes - small_bytes > BYTES_A_BYTE * more_bytes:
            costly.append(f"{large.label}: {more_bytes} bytes more, {large_bytes - small_bytes} of memory")
    assert costly == []


def memory_of(frame: Frame, kind: ListenerKind, guard: str) -> int:
    """The most memory that serving a frame takes, in bytes."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        small_cluster().serve(frame, kind, GUARDS[guard])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak - before


MOST_CYCLES = FEW
"""Objects in cycles that a request of `MANY` elements may leave behind: those of the work itself, none an element."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "key"), rows(), ids=name)
def test_no_request_leaves_cycles_of_its_elements(kind: ListenerKind, key: int) -> None:
    """What is in cycles stays until the collector sees it: for ever, once the survivors are out of its sight."""
    left = {}
    gc.disable()
    try:
        for frame in frames(kind, key, small_cluster().topic_names, MANY):
            for _ in range(2):
                # The collector sees only what comes later: of the second one, as the first one may fill caches.
                gc.freeze()
                small_cluster().serve(frame, kind, GUARDS[ALLOWING.get(key, "open")], collects=False)
            left[frame.label] = gc.collect()
    finally:
        gc.enable()
        gc.unfreeze()
    assert {label: count for label, count in left.items() if count > MOST_CYCLES} == {}
