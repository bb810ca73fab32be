"""Waits for a healed cluster: until it is at rest, all records are everywhere, and nothing of its clients is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.checkers import left_behind
from tests.sim.nodes.coordination.traffic import CoordinationTraffic
from tests.sim.nodes.data.traffic import DataTraffic
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant

REST_S = 90.0
"""After which a healed cluster has to be at rest."""
SETTLING_S = 150.0
"""After which groups have to be at rest, and transactions at their end; their timeouts are some seconds. Two workers on
slow disks may have a thousand records left to process, ten a second."""
STANDSTILL_S = 45.0
"""What has been the same for so long stays the same. While records settled in 174 seeds, the longest was 19 s."""
GONE_S = 40.0
"""Longer than requests of clients that are gone were seen to wait: in seed 4000139, between 15 and 40 s."""


async def until_at_rest(hosts: Sequence[Host]) -> None:
    """Until every node serves, and all show one image in which every broker is unfenced."""

    def state() -> list[object]:
        shown: list[object] = []
        for host in hosts:
            quorum = host.quorum
            if quorum is None:
                shown.append((host.id, "is down"))
                continue
            image = quorum.published.image
            fenced = [each for each, broker in image.brokers.items() if broker.fenced and each < 100]
            shown.append((host.id, host.is_announced, quorum.published.leader, fenced))
        return shown

    def is_at_rest() -> bool:
        quorums = [host.quorum for host in hosts]
        if not all(host.is_announced and host.node is not None and host.node.is_ready for host in hosts):
            return False
        # It has to start again first, however long its stop takes.
        if any(host.is_stopping or host.is_incomplete for host in hosts):
            return False
        images = [quorum.published.image for quorum in quorums if quorum is not None]
        fenced = [each for each, broker in images[0].brokers.items() if broker.fenced and each < 100]
        return not fenced and len(images) == len(hosts)

    await reach(is_at_rest, NodeInvariant.READY_AT_LAST, state)


async def settle(data: DataTraffic | CoordinationTraffic) -> None:
    """Until all that was produced is everywhere, and consumed."""
    data.finish()
    within_s = SETTLING_S if isinstance(data, CoordinationTraffic) else REST_S
    await reach(
        lambda: not data.unfinished(),
        NodeInvariant.SETTLES_AT_LAST,
        data.unfinished,
        every_s=0.2,
        within_s=within_s,
    )
    await data.check_at_last()
    data.end()


async def until_nothing_is_left(hosts: Sequence[Host], clients: Sequence[str]) -> None:
    """Until nothing is left of clients that are gone."""
    # A request of a client that is gone may still wait for a controller that answers nobody.
    with trio.move_on_after(GONE_S):
        while left_behind(hosts, clients) is not None:
            await trio.sleep(1)
    left = left_behind(hosts, clients)
    if left is not None:
        raise ViolationError(NodeInvariant.NOTHING_LEFT, left)


def offset_of(host: Host) -> int:
    """Of the newest image that a node shows; -1 if it does not run."""
    quorum = host.quorum
    return -1 if quorum is None else quorum.published.image.offset


async def reach(
    is_reached: Callable[[], bool],
    invariant: NodeInvariant,
    state: Callable[[], object],
    every_s: float = 0.01,
    within_s: float = REST_S,
) -> None:
    """Wait until something holds. Raises ViolationError, with the state, if it does not in time, or if the state is the
    same for `STANDSTILL_S`."""
    began = changed = looked = trio.current_time()
    last = ""
    while not is_reached():
        now = trio.current_time()
        if now >= looked:
            looked = now + 1
            if (shown := repr(state())) != last:
                last, changed = shown, now
        if now >= min(began + within_s, changed + STANDSTILL_S):
            raise ViolationError(invariant, str(state()))
        await trio.sleep(every_s)
