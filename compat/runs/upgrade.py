"""A cluster of an older Apache Kafka whose controllers become ours one by one, and theirs again, under load.

It begins at metadata.version 3.9-IV0, the lowest that ours run at. Records are produced and consumed and quotas written
all the time. Features are raised as far as the brokers' release goes; when the brokers have been upgraded as well, to
the newest.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Message, Producer

from compat.agreement import check_agreement
from compat.cluster import FIRST_BROKER_ID, broker_properties, wait_until_whole
from compat.kafka.jvm import SMALL_HEAP
from compat.kafka.stock import StockNode, small_stock_node
from compat.kafka.tools import ToolResult, run_tool
from compat.kafka.verifiable import LostRecordError, Record, account, check_account
from compat.node import Node
from compat.ours import OurNode
from compat.process import WaitedTooLongError, wait_until
from compat.quorum import CLUSTER_ID, NodeClass, Quorum
from compat.quota_load import QuotaLoad
from compat.runs.disks import check_no_faults, taken_over
from compat.runs.mixed import SMALL_LOG, WAIT_S, MixedQuorum
from compat.runs.telling import Tell

BEGINNING = "3.9-IV0"
"""The metadata.version that every cluster is formatted with."""
HIGHEST: Mapping[str, str] = {
    "3.9.1": "3.9-IV0",
    "4.0.0": "4.0-IV3",
    "4.2.0": "4.2-IV1",
    "4.3.1": "4.3-IV0",
}
"""The metadata.version that brokers of a release can run at."""
NEWEST = "4.4-IV2"
NEWEST_LEVELS = (
    "metadata.version=33",
    "kraft.version=1",
    "eligible.leader.replicas.version=1",
    "group.version=1",
    "share.version=2",
    "streams.version=1",
    "transaction.version=2",
)
"""The features of the newest metadata.version: kafka-features may be of a release that does not know its name."""
TOPIC = "kept"
PARTITIONS = 3
WRITES = 20
"""Quotas, and records, that have to be acknowledged between two changes."""
POLL_S = 0.02
"""Between two records."""
VOTERS_TOLD_S = 30.0
"""Longest time until all voters have told the leader of themselves."""
FLUSH_S = 120.0
BROKER_PROPERTIES = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "2",
}
FEATURE = re.compile(r"^Feature: (\S+)\s.*FinalizedVersionLevel: (\S+(?: \d+)?)", re.MULTILINE)
"""Name and level in what kafka-features describes."""
NAMES = {"UNKNOWN 33": NEWEST}
"""Of levels that kafka-features has no name for."""


class UpgradeError(Exception):
    """The cluster is not what it should be after a step."""


class OldNode(StockNode):
    """A stock node of an older release that formats for the metadata.version of the beginning."""

    def format(self, cluster_id: str, quorum: Sequence[str] = ("--standalone",)) -> None:
        """See StockNode."""
        super().format(cluster_id, (*quorum, "--release-version", BEGINNING))


class RecordLoad:
    """Produces with acks=all and consumes in a group, from two threads, until it is finished."""

    def __init__(self, servers: str) -> None:
        """The topic is there already; nothing is sent yet."""
        self._stop_producing = threading.Event()
        self._stop_consuming = threading.Event()
        common: dict[str, str | int | float | bool] = {"bootstrap.servers": servers, "log_level": 0}
        self._producer = Producer(
            {**common, "acks": "all", "enable.idempotence": True, "delivery.timeout.ms": int(FLUSH_S * 1000)}
        )
        self._consumer = Consumer({**common, "group.id": "upgrade", "auto.offset.reset": "earliest"})
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._produce, self._consume)
        ]
        self._failed: list[str] = []
        self.acknowledged: list[Record] = []
        self.consumed: set[Record] = set()

    def __enter__(self) -> RecordLoad:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._stop_producing.set()
        self._stop_consuming.set()
        for thread in self._threads:
            thread.join()

    def wait_for_more(self) -> None:
        """Until more records have been acknowledged and more have been consumed."""
        targets = len(self.acknowledged) + WRITES, len(self.consumed) + WRITES
        wait_until(
            lambda: len(self.acknowledged) >= targets[0] and len(self.consumed) >= targets[1],
            WAIT_S,
            f"{WRITES} records to be acknowledged and {WRITES} to be consumed",
        )

    def finish(self) -> None:
        """Ends it when all that was acknowledged has been consumed.

        Raises LostRecordError, as well if a record failed, or WaitedTooLongError.
        """
        self._stop_producing.set()
        self._threads[0].join()
        if self._failed:
            raise LostRecordError(f"{len(self._failed)} were not acknowledged: {self._failed[:10]}")
        try:
            # By value: a producer that sent a record twice is told that it is there, but not where.
            wait_until(
                lambda: _values(self.consumed) >= _values(self.acknowledged), WAIT_S, "records to be consumed"
            )
        finally:
            self._stop_consuming.set()
            self._threads[1].join()
            check_account(TOPIC, account(self.acknowledged, self.consumed), may_be_twice=False)

    def _produce(self) -> None:
        number = 0
        while not self._stop_producing.is_set():
            self._producer.produce(TOPIC, str(number).encode(), on_delivery=self._delivered)
            self._producer.poll(POLL_S)
            number += 1
        self._producer.flush(FLUSH_S)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self.acknowledged.append(_record(message))
        else:
            self._failed.append(str(error))

    def _consume(self) -> None:
        self._consumer.subscribe([TOPIC])
        while not self._stop_consuming.is_set():
            for message in self._consumer.consume(500, timeout=0.1):
                # Errors are of the moment: a broker that is away, a coordinator that moves. What counts is the end.
                if message.error() is None:
                    self.consumed.add(_record(message))
        self._consumer.close()


def _values(records: Iterable[Record]) -> set[str]:
    return {record.value for record in records}


def _record(message: Message) -> Record:
    value, partition, offset = message.value(), message.partition(), message.offset()
    assert isinstance(value, bytes)
    assert partition is not None
    assert offset is not None
    return Record(value=value.decode(), partition=partition, offset=offset)


@dataclass(slots=True, kw_only=True)
class UpgradeResult:
    """What happened in a run."""

    replaced: list[str] = field(default_factory=list)
    """Each as the node, what it was, and what it is since."""
    levels: list[str] = field(default_factory=list)
    """The metadata.versions that the cluster had, one after the other."""
    refused: str = ""
    """What kafka-features says where the brokers are too old."""
    longest_gap_s: float = 0.0
    """Between two acknowledged quota writes."""
    writes: int = 0
    records: int = 0
    """Produced, acknowledged and consumed."""


class Upgrade(MixedQuorum):
    """Three controllers and two brokers of an older release, and what is done to them."""

    def __init__(self, folder: Path, *, release: str, kraft_version: int, tell: Tell) -> None:
        """Nothing runs yet."""
        self.old: NodeClass = partial(OldNode, jvm_options=SMALL_HEAP, release=release)
        super().__init__(Quorum(self.old, folder, 3, SMALL_LOG, has_static_voters=kraft_version == 0), tell)
        self._folder = folder
        self._release = release
        self.result = UpgradeResult()
        self.brokers: dict[int, Node] = {}
        for broker_id in (FIRST_BROKER_ID, FIRST_BROKER_ID + 1):
            place = folder / f"node-{broker_id}"
            properties = {**broker_properties([place / "data"], broker_id, self.quorum), **BROKER_PROPERTIES}
            self.brokers[broker_id] = self.old(place, properties)

    @property
    def broker_servers(self) -> str:
        """HOST:PORT of the brokers, as tools and clients take them."""
        return ",".join(node.bootstrap_server for node in self.brokers.values())

    def start(self, *options: str) -> None:
        """Formats and starts everything, and creates the topic; the options are of `kafka-storage format`."""
        brokers = list(self.brokers.values())
        with ThreadPoolExecutor(len(brokers)) as pool:
            list(pool.map(lambda node: node.format(CLUSTER_ID, ()), brokers))
            super().start(*options)
            list(pool.map(lambda node: node.start(), brokers))
        run_tool(
            "kafka-topics", "--bootstrap-server", self.broker_servers, "--create", "--topic", TOPIC,
            "--partitions", str(PARTITIONS), "--replication-factor", "2",
        ).output()  # fmt: skip
        wait_until_whole(self.brokers.values(), {TOPIC: PARTITIONS})
        self.note_level()

    def replace_controllers(
        self, load: QuotaLoad, records: RecordLoad, node_class: NodeClass, name: str
    ) -> None:
        """Each controller, the leader last, is stopped and started as another class of node; `name` says which."""
        leader = self.leader()
        for node in sorted(self.quorum.nodes.values(), key=lambda node: node is leader):
            load.take_gap_s()
            node.stop()
            successor = taken_over(node, node_class)
            successor.start()
            self.quorum.nodes[node.node_id] = successor
            self.wait_until_followed(successor)
            load.wait_for_more(WRITES)
            records.wait_for_more()
            gap_s = load.take_gap_s()
            self.result.longest_gap_s = max(self.result.longest_gap_s, gap_s)
            self._note(
                f"controller {node.node_id} is {name} now; {gap_s:.2f} s without an acknowledged write"
            )

    def replace_brokers(self, records: RecordLoad) -> None:
        """Each broker is stopped and started as one of the pinned release."""
        for broker_id, node in self.brokers.items():
            node.stop()
            successor = taken_over(node, small_stock_node)
            successor.start()
            self.brokers[broker_id] = successor
            wait_until_whole(self.brokers.values(), {TOPIC: PARTITIONS})
            records.wait_for_more()
            self._note(f"broker {broker_id} is of the pinned release now")

    def raise_features(self, version: str) -> None:
        """Has kafka-features raise all features to those of a metadata.version. Raises UpgradeError.

        kraft.version is one of them: voters that were static stand in the log from then on.
        """
        results: list[ToolResult] = []

        def is_raised() -> bool:
            results[:] = [self._features("upgrade", *_options(version))]
            return results[0].exit_code == 0

        # A voter that has just started has not told the leader yet what kraft.version 1 needs to know of it.
        with suppress(WaitedTooLongError):
            wait_until(is_raised, VOTERS_TOLD_S, "the upgrade of features")
        results[0].output()
        self.note_level()
        if self.result.levels[-1] != version:
            raise UpgradeError(f"metadata.version is {self.result.levels[-1]}, not {version}")

    def expect_refusal(self, version: str) -> None:
        """What the brokers do not know kafka-features must not raise to. Raises UpgradeError if it does."""
        result = self._features("upgrade", *_options(version))
        if result.exit_code == 0:
            raise UpgradeError(f"brokers of {self._release} were taken to {version}: {result}")
        self.result.refused = (result.stdout + result.stderr).strip()
        self._notify(f"refused: {self.result.refused.splitlines()[0]}")

    def note_level(self) -> None:
        """Asks the cluster for its levels."""
        described = self._features("describe").output()
        levels = dict(FEATURE.findall(described))
        if "metadata.version" not in levels:
            raise UpgradeError(f"no metadata.version in {described}")
        levels["metadata.version"] = NAMES.get(levels["metadata.version"], levels["metadata.version"])
        self.result.levels.append(levels["metadata.version"])
        self._notify(", ".join(f"{name} {level}" for name, level in levels.items()))

    def check_end(self, load: QuotaLoad, records: RecordLoad) -> UpgradeResult:
        """Ends everything; all that was acknowledged must be there, everywhere the same, and no node in trouble."""
        records.finish()
        wait_until_whole(self.brokers.values(), {TOPIC: PARTITIONS})
        load.stop()
        for node in self.quorum.nodes.values():
            self.wait_until_followed(node)
        self.close()
        logs = [node.metadata_log_directory for node in self.quorum.nodes.values()]
        replicas = check_agreement([*logs, *(node.metadata_log_directory for node in self.brokers.values())])
        load.check(logs)
        check_no_faults(self._folder)
        self.result.writes, self.result.records = load.writes, len(records.acknowledged)
        self._notify(
            f"{self.result.writes} writes and {self.result.records} records acknowledged, all there;"
            f" {len(replicas)} replicas of the metadata agree"
        )
        return self.result

    def close(self) -> None:
        """Leaves no process behind."""
        for node in self.brokers.values():
            if node.is_started:
                node.kill()
        self.quorum.close()

    def _note(self, text: str) -> None:
        self.result.replaced.append(text)
        self._notify(text)

    def _features(self, *arguments: str) -> ToolResult:
        return run_tool("kafka-features", "--bootstrap-server", self.broker_servers, *arguments)


def _options(version: str) -> list[str]:
    if version != NEWEST:
        return ["--release-version", version]
    return [word for level in NEWEST_LEVELS for word in ("--feature", level)]


def run(
    folder: Path, *, release: str, tell: Tell, kraft_version: int = 0, with_brokers: bool = True
) -> UpgradeResult:
    """Controllers of `release` become ours and theirs again; with brokers, then ours, all is upgraded, and then stock.

    Raises UpgradeError, NodeFaultError, LostRecordError, LostWriteError, ReplicasDifferError or WaitedTooLongError.
    """
    with ExitStack() as stack:
        upgrade = Upgrade(folder, release=release, kraft_version=kraft_version, tell=tell)
        stack.callback(upgrade.close)
        upgrade.start()
        load = stack.enter_context(QuotaLoad(upgrade.servers))
        records = stack.enter_context(RecordLoad(upgrade.broker_servers))
        upgrade.replace_controllers(load, records, OurNode, "ours")
        upgrade.expect_refusal(NEWEST)
        if HIGHEST[release] != BEGINNING:
            upgrade.raise_features(HIGHEST[release])
        upgrade.replace_controllers(load, records, upgrade.old, release)
        upgrade.note_level()
        if with_brokers:
            upgrade.replace_controllers(load, records, OurNode, "ours")
            upgrade.replace_brokers(records)
            upgrade.raise_features(NEWEST)
            records.wait_for_more()
            load.wait_for_more(WRITES)
            upgrade.replace_controllers(load, records, small_stock_node, "of the pinned release")
        return upgrade.check_end(load, records)
