"""Our brokers, and one of Apache Kafka, under a controller of an older release, at that release's own features.

Topics are created, records produced, groups and transactions coordinated while each of our brokers dies or shuts down
and comes back, the other broker is away, so that ours do all the work, and the controller is restarted. One of our
brokers has two log directories, of which one is cordoned: the controller cannot hear of that before 4.3.
`steady_load` says what is written, and what must be there at the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from compat.agreement import check_agreement
from compat.cluster import FIRST_BROKER_ID, Cluster, wait_until_whole
from compat.kafka.jvm import SMALL_HEAP
from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from compat.quorum import NodeClass
from compat.runs.disks import check_no_faults
from compat.runs.rolling_upgrade import PROPERTIES
from compat.runs.steady_load import COPIED, KEPT, PARTITIONS, SteadyLoad
from compat.runs.telling import Tell

DIES, LEAVES, OTHER = FIRST_BROKER_ID, FIRST_BROKER_ID + 1, FIRST_BROKER_ID + 2
"""Of ours, the broker that is killed and that which shuts down; and Apache Kafka's."""
SESSION = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}
REFUSED = re.compile(r"UNSUPPORTED_VERSION|INVALID_REQUEST|no version is common|has no such field")
"""What a broker of ours says of a controller that does not understand it."""
CORDONED = "without cordoned log directories"


class OlderControllersError(Exception):
    """A broker of ours did not do what it has to do; the text says what."""


@dataclass(slots=True, kw_only=True)
class OlderControllersResult:
    """What happened in a run."""

    done: list[str] = field(default_factory=list)
    records: int = 0
    """Acknowledged with acks=all, and there, once and in order."""
    transactions: int = 0
    longest_gap_s: float = 0.0


class OlderControllers:
    """The cluster and what is done to it."""

    def __init__(self, folder: Path, release: str, tell: Tell) -> None:
        """Nothing runs yet."""
        self._folder = folder
        self._notify = tell
        self.release = release
        self.result = OlderControllersResult()
        stock: NodeClass = partial(StockNode, jvm_options=SMALL_HEAP, release=release)

        def make_broker(place: Path, properties: Mapping[str, str]) -> Node:
            if int(properties["node.id"]) == OTHER:
                return stock(place, properties)
            first = properties["log.dirs"].split(",")[0]
            cordoned = {"cordoned.log.dirs": first} if int(properties["node.id"]) == DIES else {}
            return OurNode(place, {**properties, **cordoned})

        self.cluster = Cluster(
            stock,
            make_broker,
            folder,
            controllers=1,
            controller_overrides={**SESSION, "min.insync.replicas": "2"},
            broker_overrides={**PROPERTIES, **SESSION},
            log_directories={DIES: 2},
        )

    def start(self) -> None:
        """All nodes, and the topics."""
        self.cluster.format()
        self.cluster.start()
        for name in (KEPT, COPIED):
            self.cluster.create_topic(name, PARTITIONS)
        self._wait_until_whole()
        self._notify(
            f"controller of Apache Kafka {self.release}; brokers {DIES}, {LEAVES} (ours), {OTHER} unfenced"
        )

    def kill_one(self, load: SteadyLoad) -> None:
        """kill -9 of one of ours: the ISR shrinks, and grows again when it is back."""
        node = self.cluster.brokers[DIES]
        node.kill()
        load.wait_for_more()
        node.start()
        self._wait_until_whole()
        self._note(load, f"broker {DIES} (ours) was killed and is in sync again")

    def shut_one_down(self, load: SteadyLoad, broker_id: int) -> None:
        """SIGTERM, and a start; the others go on meanwhile. Raises OlderControllersError."""
        node = self.cluster.brokers[broker_id]
        code = node.stop()
        if code and node.kind == "ours":
            raise OlderControllersError(f"broker {broker_id} ended with exit code {code}")
        load.wait_for_more()
        node.start()
        self._wait_until_whole()
        load.wait_for_more()
        self._note(load, f"broker {broker_id} ({node.kind}) shut down and is in sync again")

    def restart_controller(self, load: SteadyLoad) -> None:
        """The controller is away for a moment."""
        (node,) = self.cluster.quorum.nodes.values()
        node.stop()
        node.start()
        load.wait_for_more()
        self._note(load, "the controller was restarted")

    def check_end(self, load: SteadyLoad) -> OlderControllersResult:
        """End everything, and look at what is there. Raises OlderControllersError and what others raise."""
        load.check()
        self._wait_until_whole()
        self._check_logs()
        for node in (*self.cluster.brokers.values(), *self.cluster.quorum.nodes.values()):
            node.stop()
        nodes = (*self.cluster.quorum.nodes.values(), *self.cluster.brokers.values())
        check_agreement([node.metadata_log_directory for node in nodes])
        check_no_faults(self._folder)
        self.result.records, self.result.transactions = load.records, load.committed_transactions
        self.result.longest_gap_s = load.longest_gap_s
        self._notify(
            f"{load.records} records and {load.committed_transactions} transactions: all there, once and in order"
        )
        return self.result

    def _check_logs(self) -> None:
        for broker_id in (DIES, LEAVES):
            for path in sorted(self.cluster.brokers[broker_id].directory.glob("ours-*.err")):
                text = path.read_text()
                if found := REFUSED.search(text):
                    raise OlderControllersError(
                        f"{path}: {text[max(0, found.start() - 200) : found.end() + 200]}"
                    )
        said = CORDONED in (self.cluster.brokers[DIES].directory / "ours-1.err").read_text()
        if said != (self.release < "4.3"):
            raise OlderControllersError(
                f"broker {DIES} says that {self.release} knows no cordoned directories: {said}"
            )

    def _note(self, load: SteadyLoad, text: str) -> None:
        self.result.done.append(text)
        self._notify(
            f"{text}; {load.records} records, {load.committed_transactions} transactions, longest gap"
            f" {load.longest_gap_s:.2f} s"
        )

    def _wait_until_whole(self) -> None:
        wait_until_whole(self.cluster.brokers.values(), {KEPT: PARTITIONS, COPIED: PARTITIONS})


def run(folder: Path, *, release: str, tell: Tell) -> OlderControllersResult:
    """Everything in this module once.

    Raises OlderControllersError, SteadyLoadError, NodeFaultError, ReplicasDifferError or WaitedTooLongError.
    """
    with ExitStack() as stack:
        older = OlderControllers(folder, release, tell)
        stack.callback(older.cluster.close)
        older.start()
        load = stack.enter_context(SteadyLoad(older.cluster.servers, folder / "copying"))
        load.wait_for_more()
        older.kill_one(load)
        older.shut_one_down(load, LEAVES)
        older.restart_controller(load)
        older.shut_one_down(load, OTHER)
        return older.check_end(load)
