"""What a run with several log directories does beside its traffic: faults of directories, moves, and two trials in the
healed cluster, in which one directory fails alone, and all replicas move."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

import trio

from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.directories.checker import UNDER_WAY_S, DirectoryChecker
from tests.sim.nodes.directories.faults import DirectoryFaults
from tests.sim.nodes.directories.operators import DirectoryOperator
from tests.sim.nodes.directories.options import DirectoryOptions
from tests.sim.nodes.faults import Faults
from tests.sim.nodes.host import DIRECTORY, Host
from tests.sim.nodes.invariants import NodeInvariant
from tests.sim.nodes.network import Net
from tests.sim.nodes.rest import REST_S, reach, until_at_rest
from tests.sim.nodes.timeline import Timeline

TRIAL_S = 45.0
"""After which a trial has to be over."""
LOOK_S = 0.1
LOOK_AT_FAILED_S = 0.5


class DirectoryTrials:
    """All that one run does with directories."""

    def __init__(
        self,
        options: DirectoryOptions,
        *,
        hosts: Sequence[Host],
        net: Net,
        timeline: Timeline,
        faults: Faults,
        ledger: Ledger,
        newest: Callable[[], ClusterImage],
        rng: random.Random,
    ) -> None:
        """``newest`` returns the newest image that any node has shown."""
        self._options = options
        self._hosts = hosts
        self._newest = newest
        self._rng = rng
        self._timeline = timeline
        self._places = list(ledger.known)
        self.checker = DirectoryChecker(hosts, ledger.counts)
        timeline.every(LOOK_S, self.checker.look)
        self.faults = DirectoryFaults(faults, timeline, random.Random(rng.getrandbits(64)), ledger, newest)
        self.operator = DirectoryOperator(
            net.host("directory-operator"),
            hosts,
            ledger,
            random.Random(rng.getrandbits(64)),
            self._places,
        )
        self.operator.is_over = not options.moves
        self._failed: tuple[Host, str, bytes] | None = None
        """Host, path and id of the directory that failed alone."""
        self._lost: list[Place] = []
        """The partitions with a replica in it."""
        self._wanted: dict[tuple[int, Place], str] = {}

    def healed(self) -> None:
        """All faults have ended: nodes that go on without a directory start again."""
        self.operator.is_over = True
        self._timeline.every(LOOK_AT_FAILED_S, lambda: self.faults.restart_incomplete(self._hosts))

    async def run(self) -> None:
        """The trials. Raises ViolationError."""
        # What is in no other ISR, nobody can take over.
        await _until_none(self._out_of_sync, NodeInvariant.SETTLES_AT_LAST, REST_S)
        await self.until_settled()
        if self._fail_one():
            await _until_none(self._not_replaced, NodeInvariant.OFFLINE_IS_REPLACED)
            # Whatever the broker does from time to time, it does not do there.
            await trio.sleep(2 * UNDER_WAY_S)
            if left := self._not_replaced():
                raise ViolationError(NodeInvariant.OFFLINE_IS_REPLACED, str(left))
            # It works again once its node has started again.
            self.faults.repair_one()
            await until_at_rest(self._hosts)
        self._wanted = await self.operator.move_all()
        await _until_none(self._not_moved, NodeInvariant.MOVES_AT_LAST)

    async def until_settled(self) -> None:
        """Wait until the metadata, brokers and disks agree. Raises ViolationError."""
        await _until_none(self.checker.unsettled, NodeInvariant.RECORDED_AT_LAST)

    def _partitions(self) -> Iterator[tuple[Place, PartitionImage]]:
        image = self._newest()
        for name, index in self._places:
            if (topic := image.topic_by_name(name)) is not None:
                yield (name, index), topic.partitions[index]

    def _out_of_sync(self) -> list[str]:
        partitions = list(self._partitions())
        if len(partitions) < len(self._places):
            return ["topics are not made"]
        return [f"{place}: {each}" for place, each in partitions if set(each.isr) != set(each.replicas)]

    # -- one directory fails alone -----------------------------------------------------------------------------------

    def _fail_one(self) -> bool:
        """Have a directory with replicas fail. Returns whether there is one that may."""
        if not self._options.loses_one_at_last:
            return False
        found = [
            (host, each.path, each.directory_id)
            for host in self._hosts
            if (directories := host.log_directories) is not None
            for each in directories.all
            if each.path != DIRECTORY
            and each.directory_id is not None
            and self._in(host.id, each.directory_id)
        ]
        if not found:
            return False
        self._failed = self._rng.choice(found)
        self.faults.fail_one(*self._failed[:2])
        self._lost = self._in(self._failed[0].id, self._failed[2])
        return True

    def _in(self, broker_id: int, directory_id: bytes) -> list[Place]:
        """The partitions with a replica in a directory, by the metadata."""
        return placed_in(self._partitions(), broker_id, directory_id)

    def _not_replaced(self) -> list[str]:
        """What others do not do yet for the directory that failed, or its broker does not do any more."""
        assert self._failed is not None, "a directory failed"
        host, path, directory_id = self._failed
        broker = self._newest().brokers[host.id]
        found = []
        if broker.fenced or directory_id in broker.directories:
            found.append(f"{path} of {host.id} failed: {broker}")
        for place, partition in self._partitions():
            is_right = host.id in partition.isr
            if place in self._lost:
                is_right = not is_right and partition.leader != NO_NODE
            if not is_right:
                found.append(f"{path} of {host.id} failed: {place} is {partition}")
        return found

    # -- all replicas move -------------------------------------------------------------------------------------------

    def _not_moved(self) -> list[str]:
        """Replicas that are not in the directory to which they move."""
        return [
            f"{name}-{index} is not in {path} of {host.id}"
            for host in self._hosts
            for (host_id, (name, index)), path in self._wanted.items()
            if host_id == host.id and f"{path}/{name}-{index}" not in host.disk._names
        ]


def placed_in(
    partitions: Iterable[tuple[Place, PartitionImage]], node_id: int, directory_id: bytes
) -> list[Place]:
    """Those of which a node has a replica in a directory. A node that is no broker has none, and log directories."""
    return [
        place
        for place, each in partitions
        if (node_id, directory_id) in zip(each.replicas, each.directories, strict=True)
    ]


async def _until_none(
    left: Callable[[], list[str]], invariant: NodeInvariant, within_s: float = TRIAL_S
) -> None:
    """Wait until nothing is left. Raises ViolationError with what is."""
    await reach(lambda: not left(), invariant, left, every_s=LOOK_S, within_s=within_s)
