"""What befalls a cluster, drawn from a seed: deaths, pauses, restarts, cut links, a full disk.

Several sequences of faults run side by side. Those of nodes never take the same node, so up to two nodes are away at
once; one sequence cuts links. Every fault ends by itself, and the node runs again then.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from compat.network import Network
from compat.node import Node
from compat.runs.telling import Tell

KILL, TERM, PAUSE, FULL = "kill -9", "SIGTERM", "SIGSTOP", "full disk"
CUT_LINK, CUT_ONE_WAY, CUT_OFF = "link cut", "one direction cut", "node cut off"
NODE_FAULTS = {KILL: 4, TERM: 2, PAUSE: 3, FULL: 1}
"""With their weights."""
LINK_FAULTS = {CUT_LINK: 3, CUT_ONE_WAY: 3, CUT_OFF: 2}
PAUSED_S = (0.5, 12.0)
"""Sessions of brokers last 4 s in these runs."""
AWAY_S = (0.0, 6.0)
CUT_S = (0.5, 12.0)
FULL_S = (2.0, 8.0)
BALLAST_CHUNK = bytes(64 * 1024)
NODE_SEQUENCES = 2


class ChaosError(Exception):
    """A node did what it must not do; the text says which and what."""


class SmallDisk:
    """A file system in memory at a folder, which can be filled; needs root."""

    def __init__(self, folder: Path, size_bytes: int) -> None:
        """Not mounted yet."""
        self.folder = folder
        self._size_bytes = size_bytes

    def __enter__(self) -> SmallDisk:
        self.folder.mkdir(parents=True, exist_ok=True)
        options = f"size={self._size_bytes},mode=755"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.folder)], check=True)
        return self

    def __exit__(self, *reason: object) -> None:
        subprocess.run(["umount", str(self.folder)], check=True)

    def fill(self) -> None:
        """Leaves no byte free."""
        with (self.folder / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
            while True:
                ballast.write(BALLAST_CHUNK)

    def relieve(self) -> None:
        """Undoes `fill`."""
        (self.folder / "ballast").unlink(missing_ok=True)


@dataclass(slots=True, kw_only=True)
class Ground:
    """Where it happens."""

    nodes: Mapping[int, Node]
    network: Network
    small_disk: SmallDisk | None
    full_id: int
    """The node that has the small disk."""
    tell: Tell
    pace: tuple[float, float]
    """Seconds between two faults of a sequence."""
    counts: Counter[str] = field(default_factory=Counter)
    stop: threading.Event = field(default_factory=threading.Event)
    busy: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Sequence(threading.Thread):
    """Faults one after the other until the ground's `stop` is set; the last one is ended in order."""

    def __init__(
        self, name: str, ground: Ground, random: Random, strike: Callable[[Ground, Random], None]
    ) -> None:
        """Not started yet."""
        super().__init__(name=name, daemon=True)
        self._ground, self._random, self._strike = ground, random, strike
        self.failure: BaseException | None = None

    def run(self) -> None:
        """See the class."""
        try:
            while not self._ground.stop.wait(self._random.uniform(*self._ground.pace)):
                self._strike(self._ground, self._random)
        except BaseException as error:
            self.failure = error
            self._ground.stop.set()


def sequences(ground: Ground, seed: int) -> list[Sequence]:
    """All that run side by side."""
    of_nodes = [
        Sequence(f"nodes {number}", ground, Random(f"nodes {number} {seed}"), strike_node)
        for number in range(NODE_SEQUENCES)
    ]
    return [*of_nodes, Sequence("links", ground, Random(f"links {seed}"), strike_link)]


def strike_node(ground: Ground, random: Random) -> None:
    """One fault of one node, from its beginning to its end. Raises ChaosError."""
    kinds = [kind for kind in NODE_FAULTS if kind != FULL or ground.small_disk is not None]
    (kind,) = random.choices(kinds, [NODE_FAULTS[each] for each in kinds])
    order = random.sample(sorted(ground.nodes), len(ground.nodes))
    paused_s, away_s, full_s = (random.uniform(*each) for each in (PAUSED_S, AWAY_S, FULL_S))
    wanted = [ground.full_id] if kind == FULL else order
    with ground.lock:
        free = [node_id for node_id in wanted if node_id not in ground.busy]
        if not free:
            return
        node = ground.nodes[free[0]]
        ground.busy.add(node.node_id)
    try:
        node.assert_running()
        began = time.monotonic()
        if kind == PAUSE:
            _pause(node, paused_s)
        elif kind == FULL:
            assert ground.small_disk is not None
            _fill(node, ground.small_disk, full_s, random.choice((KILL, TERM)))
        else:
            _end(node, kind)
            time.sleep(away_s)
            node.start()
        ground.counts[kind] += 1
        ground.tell(f"{kind} of node {node.node_id}: {time.monotonic() - began:.1f} s")
    finally:
        with ground.lock:
            ground.busy.remove(node.node_id)


def _pause(node: Node, seconds: float) -> None:
    os.kill(node.process.pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(node.process.pid, signal.SIGCONT)


def _fill(node: Node, disk: SmallDisk, seconds: float, how: str) -> None:
    """The node goes on without the directory until it starts anew."""
    disk.fill()
    try:
        time.sleep(seconds)
        node.assert_running()
    finally:
        disk.relieve()
    _end(node, how)
    node.start()


def _end(node: Node, how: str) -> None:
    if how == KILL:
        node.kill()
    elif (code := node.stop()) != 0:
        raise ChaosError(f"node {node.node_id}: exit code {code} after SIGTERM\n{node.process.last_words()}")


def strike_link(ground: Ground, random: Random) -> None:
    """One cut, from its beginning to its end."""
    (kind,) = random.choices(list(LINK_FAULTS), list(LINK_FAULTS.values()))
    one, other = random.sample(sorted(ground.nodes), 2)
    seconds = random.uniform(*CUT_S)
    if kind == CUT_OFF:
        ground.network.cut_off(one)
    elif kind == CUT_LINK:
        ground.network.cut(one, other)
    else:
        ground.network.cut_one_way([one], [other])
    try:
        ground.stop.wait(seconds)
    finally:
        ground.network.heal()
    ground.counts[kind] += 1
    where = f"node {one}" if kind == CUT_OFF else f"{one} to {other}"
    ground.tell(f"{kind}, {where}: {seconds:.1f} s")
