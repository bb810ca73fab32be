"""Two machines on the network in memory, for tests of what is between them."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

import trio

from tests.sim.nodes import timeline as virtual
from tests.sim.nodes.network import Net, NetHost
from tests.sim.nodes.timeline import Timeline, Trace

Scene = Callable[[NetHost, NetHost], Awaitable[None]]


def play(scene: Scene, seed: int = 1) -> None:
    """Two machines, a and b, in virtual time."""

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            timeline = Timeline(Trace())
            nursery.start_soon(timeline.run)
            net = Net(random.Random(seed), timeline, delay_ms=(0.1, 5))
            with trio.fail_after(100):
                await scene(net.host("a"), net.host("b"))
            nursery.cancel_scope.cancel()

    virtual.run(seed, main)
