"""Our brokers and one stock broker beside them on stock controllers: all that a broker does.

They register, follow the metadata log, are unfenced, answer as the stock broker does, forward what administrators ask,
outlive the controllers' leaders, tell where their replicas lie, lose a log directory, shut down in order, die and come
back, also by a snapshot. Stock tools write records to them and read them. Cordoned directories keep all partitions
off them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from compat.agreement import check_agreement, first_offset, last_offset, rows_of
from compat.cluster import FIRST_BROKER_ID, Cluster, Partition, alive_brokers, partitions, wait_until_whole
from compat.kafka.stock import small_stock_node
from compat.kafka.tools import run_tool
from compat.node import Node, give_back, meta_properties, take_away
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import connect
from compat.quota_load import QuotaLoad
from compat.runs.mixed import SMALL_LOG
from compat.runs.records import check_records
from compat.runs.same_responses import (
    BROKER,
    TOOLS,
    alter_configs,
    compare_requests,
    compare_tools,
    finalized,
    served,
)
from compat.runs.telling import Tell
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    IncrementalAlterConfigsResponse,
)

WAIT_S = 90.0
TRIM_S = 240.0
"""For what a stock controller does once a minute."""
SESSION_MS = 9000
"""Kafka's default of broker.session.timeout.ms."""
CREATE_TIMEOUT_MS = 30_000
MAX_LAG = 100
"""Records by which an observer that keeps up may be behind at the moment of looking."""
WRITES = 20
LOG_DIRECTORIES = 3
"""Of our first broker."""
ON_STOCK = "on-stock"
"""A topic that has all its replicas on the stock broker, and so may have records."""
ON_OURS = "on-ours"
ANYWHERE = "anywhere"
"""A topic that the controllers place."""
MANY = 9
"""Partitions, which would not all come to lie on one of three brokers."""
AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
SETTINGS: tuple[tuple[str, ...], ...] = (
    ("topics", ON_STOCK, "max.message.bytes=2000000"),
    ("users", "bob", "producer_byte_rate=50000"),
    ("users", "carol", "SCRAM-SHA-256=[iterations=8192,password=secret]"),
    ("client-metrics", "of-clients", "interval.ms=10000"),
)
"""Entities' types and names, and what is set for them."""


class OurBrokersError(Exception):
    """A broker of ours did not do what it has to do on stock controllers."""


@dataclass(slots=True, kw_only=True)
class OurBrokersResult:
    """What happened in a run."""

    responses_compared: int = 0
    lines_compared: int = 0
    lines: list[str] = field(default_factory=list)
    """What the stock consumer read of a topic that ours led."""
    leaders_killed: int = 0
    snapshots_fetched: int = 0
    writes: int = 0
    replicas: int = 0
    records: int = 0
    """That each replica holds in the end, at most."""


class OurBrokers:
    """The cluster and what is tried on it; each step leaves all nodes running."""

    def __init__(
        self,
        folder: Path,
        *,
        controllers: int,
        brokers: int,
        has_static_voters: bool,
        session_ms: int,
        tell: Tell,
    ) -> None:
        """Nothing runs yet."""
        self._notify = tell
        self._session_ms = session_ms
        stock_id = FIRST_BROKER_ID + brokers

        def make_broker(place: Path, properties: Mapping[str, str]) -> Node:
            is_stock = int(properties["node.id"]) == stock_id
            return small_stock_node(place, properties) if is_stock else OurNode(place, properties)

        self.cluster = Cluster(
            small_stock_node,
            make_broker,
            folder,
            controllers=controllers,
            brokers=brokers + 1,
            controller_overrides={**AUTHORIZER, **SMALL_LOG, "broker.session.timeout.ms": str(session_ms)},
            broker_overrides={**AUTHORIZER, "broker.heartbeat.interval.ms": str(session_ms // 4)},
            log_directories={FIRST_BROKER_ID: LOG_DIRECTORIES},
            has_static_voters=has_static_voters,
        )
        self.stock = self.cluster.brokers[stock_id]
        self.ours = [node for node in self.cluster.brokers.values() if node is not self.stock]
        self.outcome = OurBrokersResult()

    # -- life ----------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """All nodes; ours are observers of the log, unfenced, and keep up. Raises OurBrokersError."""
        self.cluster.format()
        self.cluster.start()
        (found_by,) = (key for key in self.stock.properties if key.startswith("controller.quorum."))
        self._notify(f"{len(self.cluster.quorum.nodes)} stock controllers, found by {found_by}")
        for node in self.ours:
            registered, unfenced = self._registration(node)
            took = (unfenced["timestamp"] - registered["timestamp"]).total_seconds() * 1000
            self._notify(
                f"broker {node.node_id} (ours): registered at offset {registered['offset']},"
                f" unfenced {took:.0f} ms later"
            )
        self._notify(f"broker {self.stock.node_id} (stock) beside them")

    def follow(self) -> None:
        """Ours stand in ``describe --replication`` as observers that have nearly all. Raises OurBrokersError."""
        address = ("--bootstrap-server", self.ours[0].bootstrap_server)
        printed = run_tool("kafka-metadata-quorum", *address, "describe", "--replication").output()
        heading, *lines = (line.split() for line in printed.splitlines())
        rows = {int(line[0]): dict(zip(heading, line, strict=True)) for line in lines}
        for node in self.ours:
            row = rows[node.node_id]
            if row["Status"] != "Observer" or int(row["Lag"]) > MAX_LAG:
                raise OurBrokersError(f"broker {node.node_id}: {row}")
        shown = ", ".join(
            f"{node.node_id} at {rows[node.node_id]['LogEndOffset']} with lag {rows[node.node_id]['Lag']}"
            for node in self.ours
        )
        self._notify(f"observers by kafka-metadata-quorum: {shown}")

    def _registration(self, node: Node) -> tuple[dict[str, Any], dict[str, Any]]:
        """The records of a broker's newest registration and of its unfencing, from its own copy of the log."""
        registered = unfenced = None
        for row, payload in _lives(node, node):
            if row["recordType"] == "RegisterBrokerRecord":
                registered, unfenced = row, None
            elif payload.get("fenced") == -1:
                unfenced = row
        if registered is None or unfenced is None:
            raise OurBrokersError(f"broker {node.node_id} finds no unfencing of itself in its log")
        return registered, unfenced

    # -- administration and answers ------------------------------------------------------------------------------------

    def cordon(self) -> None:
        """A broker all of whose directories are cordoned gets no partition, not even by name. Raises OurBrokersError.

        No directory is cordoned afterwards.
        """
        self._set_cordoned("*")
        self._ask_for(
            CreateTopicsRequest.CreatableTopic(name=ANYWHERE, num_partitions=MANY, replication_factor=1)
        )
        wait_until_whole([self.stock], {ANYWHERE: MANY})
        placed = {broker_id for each in self._shown(ANYWHERE).values() for broker_id in each.replica_nodes}
        if placed != {self.stock.node_id}:
            raise OurBrokersError(f"{ANYWHERE} lies on brokers {placed}")
        response = self._ask_once(self._on_ours(ON_OURS))
        if response.error_code != ErrorCode.INVALID_REPLICA_ASSIGNMENT:
            raise OurBrokersError(f"{ON_OURS} on brokers that are cordoned: {response}")
        self._set_cordoned("")
        self._notify(
            f"cordoned.log.dirs=* at ours: all {MANY} partitions of a topic were placed on broker {self.stock.node_id};"
            f" a topic on ours by name was refused: {response.error_message}"
        )

    def _set_cordoned(self, directories: str) -> None:
        """Sets `cordoned.log.dirs` of ours, and waits until the controllers have it on record."""
        for node in self.ours:
            with connect(node.bootstrap_server) as client:
                response = client.send(
                    alter_configs(BROKER, str(node.node_id), "cordoned.log.dirs", directories)
                )
            assert isinstance(response, IncrementalAlterConfigsResponse)
            if response.responses[0].error_code:
                raise OurBrokersError(f"broker {node.node_id}: {response}")

        def is_recorded(node: Node) -> bool:
            recorded = [payload.get("cordonedLogDirs") for _, payload in _lives(self.ours[0], node)]
            known = [each for each in recorded if each is not None]
            return bool(known) and bool(known[-1]) == bool(directories)

        for node in self.ours:
            wait_until(
                partial(is_recorded, node),
                WAIT_S,
                f"cordoned.log.dirs={directories} of broker {node.node_id} on record",
            )

    def administer(self) -> None:
        """Topics, configs, quotas, credentials and ACLs through one of ours. Raises ToolFailedError."""
        ours = ("--bootstrap-server", self.ours[0].bootstrap_server)
        on_stock = ",".join([str(self.stock.node_id)] * 3)
        made = ("--create", "--topic", ON_STOCK, "--replica-assignment", on_stock)
        run_tool("kafka-topics", *ours, *made, "--config", "retention.ms=70000").output()
        self._create(ON_OURS)
        commands: list[tuple[str, ...]] = [
            (
                "kafka-configs",
                *ours,
                "--alter",
                "--entity-type",
                kind,
                "--entity-name",
                name,
                "--add-config",
                config,
            )
            for kind, name, config in SETTINGS
        ]
        default = (
            "--entity-type",
            "brokers",
            "--entity-default",
            "--add-config",
            "log.retention.ms=80000000",
        )
        commands.append(("kafka-configs", *ours, "--alter", *default))
        rule = ("--allow-principal", "User:alice", "--operation", "Write", "--topic", ON_STOCK)
        commands.append(("kafka-acls", *ours, "--add", *rule))
        with ThreadPoolExecutor(2) as pool:
            for result in pool.map(lambda command: run_tool(*command), commands):
                result.output()
        wait_until_whole(list(self.cluster.brokers.values()), {ON_STOCK: 3, ON_OURS: LOG_DIRECTORIES * 2})
        self._wait_until_followed()
        self._notify(
            f"through broker {self.ours[0].node_id}: 2 topics, {len(commands)} changes of configs, quotas, credentials"
            " and ACLs"
        )

    def compare(self, tools: Sequence[tuple[str, ...]]) -> None:
        """What clients and tools ask at ours and at the stock broker is answered alike. Raises OurBrokersError."""
        offered = served(self.stock)
        for node in self.ours:
            own = served(node)
            others = {key: both for key, both in own.items() if offered.get(key) != both}
            if others or finalized(node) != finalized(self.stock):
                raise OurBrokersError(f"broker {node.node_id} serves {others}, features {finalized(node)}")
        responses = compare_requests(self.ours[0], self.stock, [ON_STOCK, ON_OURS])
        lines = compare_tools(self.ours[0], self.stock, tools)
        self.outcome.responses_compared, self.outcome.lines_compared = responses, lines
        self._notify(
            f"ours serve {len(own)} of the stock broker's {len(offered)} requests, in the same versions;"
            f" {responses} answers and {lines} lines of {len(tools)} tools"
            " are the same"
        )

    # -- deaths --------------------------------------------------------------------------------------------------------

    def end_leader(self, load: QuotaLoad) -> None:
        """The leading controller is killed: ours stay unfenced and go on to follow and to forward.

        Raises OurBrokersError.
        """
        load.wait_for_more(WRITES)
        leader = self.cluster.quorum.leader()
        before = self._log_end(self.ours[0])
        began = time.monotonic()
        leader.kill()
        name = f"while-{leader.node_id}-is-dead-{before}"
        self._create(name)
        created_s = time.monotonic() - began
        successor = self.cluster.quorum.leader()
        self._wait_until_followed()
        for node in self.ours:
            fenced = [
                row["offset"]
                for row, payload in _lives(self.ours[0], node)
                if row["offset"] >= before and (payload.get("fenced") == 1 or "incarnationId" in payload)
            ]
            if fenced:
                raise OurBrokersError(f"broker {node.node_id} was fenced or anew at offsets {fenced}")
        leader.start()
        load.wait_for_more(WRITES)
        self.outcome.leaders_killed += 1
        self._notify(
            f"kill -9 of node {leader.node_id}, which led: a topic asked of broker {self.ours[0].node_id} is there"
            f" after {created_s:.2f} s; node {successor.node_id} leads; ours stayed unfenced and follow"
        )

    def shut_down(self) -> None:
        """One of ours is asked to end and started again at once; no partition is ever without a leader.

        Raises OurBrokersError.
        """
        leaving, other = self.ours[0], self.ours[1]
        topic = f"orderly-{self._log_end(other)}"
        self._create(topic)
        wait_until_whole([self.stock], {topic: LOG_DIRECTORIES * 2})
        before = self._log_end(other)
        offline: set[object] = set()
        with ThreadPoolExecutor(1) as pool:
            began = time.monotonic()
            stopping = pool.submit(leaving.stop)
            while not stopping.done():
                offline |= {place for place, each in self._shown(topic).items() if each.leader_id < 0}
            exit_code, took_s = stopping.result(), time.monotonic() - began
        wait_until(partial(self._is_led_without, topic, leaving), WAIT_S, f"{topic} to be led by others")
        if exit_code or offline:
            raise OurBrokersError(
                f"broker {leaving.node_id}: exit code {exit_code}, without leader {offline}"
            )
        moved, fenced = self._leaving(other, leaving, before)
        began = time.monotonic()
        leaving.start()
        self.cluster.wait_until_unfenced(leaving.node_id)
        self._notify(
            f"SIGTERM of broker {leaving.node_id}: exit code 0 after {took_s:.2f} s; first {moved} partitions got other"
            f" leaders, then it was fenced at offset {fenced}; started at once, unfenced"
            f" {time.monotonic() - began:.1f} s later (a stock controller waits for the end of its session of"
            f" {self._session_ms / 1000:.0f} s)"
        )

    def _leaving(self, reader: Node, leaving: Node, before: int) -> tuple[int, int]:
        """How many partitions got another leader between the wish to shut down and the fencing, and where that is."""
        asked = fenced = None
        for row, payload in _lives(reader, leaving):
            if row["offset"] >= before and payload.get("inControlledShutdown") == 1:
                asked = row["offset"]
            if row["offset"] >= before and payload.get("fenced") == 1:
                fenced = row["offset"]
        if asked is None or fenced is None:
            raise OurBrokersError(
                f"broker {leaving.node_id}: wish at offset {asked}, fenced at offset {fenced}"
            )
        moved = {
            (payload["topicId"], payload["partitionId"])
            for row, payload in _records(reader, "PartitionChangeRecord")
            if asked <= row["offset"] < fenced
            and payload.get("leader", leaving.node_id) not in (-1, leaving.node_id)
        }
        if not moved:
            raise OurBrokersError(f"broker {leaving.node_id} was fenced before its leaders were moved")
        return len(moved), fenced

    def die(self) -> None:
        """One of ours is killed: fenced when its session is over, led without, and unfenced when it is back."""
        victim = self.ours[-1]
        topic = f"deadly-{self._log_end(victim)}"
        self._create(topic)
        wait_until_whole([self.stock], {topic: LOG_DIRECTORIES * 2})
        began = time.monotonic()
        victim.kill()
        wait_until(
            lambda: victim.node_id not in alive_brokers(self.stock),
            WAIT_S,
            f"broker {victim.node_id} to be fenced",
        )
        wait_until(partial(self._is_led_without, topic, victim), WAIT_S, f"{topic} to be led by others")
        fenced_s = time.monotonic() - began
        victim.start()
        self.cluster.wait_until_unfenced(victim.node_id)
        self._notify(
            f"kill -9 of broker {victim.node_id}: fenced and its leaders moved after {fenced_s:.1f} s; unfenced"
            f" {time.monotonic() - began - fenced_s:.1f} s after its start"
        )

    # -- directories ---------------------------------------------------------------------------------------------------

    def lose_a_directory(self) -> str:
        """Our first broker tells where its replicas lie; those in a directory that fails are given up.

        Returns the topic that they are of. Raises OurBrokersError or WaitedTooLongError.
        """
        broker = self.ours[0]
        paths = broker.data_directories
        known = {meta_properties(path)["directory.id"]: path for path in paths}
        topic = f"spread-{self._log_end(broker)}"
        self._create(topic)
        wait_until(
            lambda: set(self._directories(topic, broker).values()) == set(known),
            WAIT_S,
            "a directory for each replica",
        )
        recorded = self._directories(topic, broker)
        failing = paths[-1]
        lost = {index for index, each in recorded.items() if known[each] == failing}
        take_away(failing)
        try:
            wait_until(
                lambda: all(self._given_up(topic, broker, node) == lost for node in (*self.ours, self.stock)),
                WAIT_S,
                f"the replicas in {failing} to be given up",
            )
            if not self._is_led(topic) or broker.node_id not in alive_brokers(self.stock):
                raise OurBrokersError(f"broker {broker.node_id} cost more than its directory")
        finally:
            give_back(failing)
        self._notify(
            f"broker {broker.node_id} assigned {len(recorded)} replicas to {len(known)} directories; {len(lost)} were"
            " given up with one of them, whoever is asked, and no partition is without a leader"
        )
        return topic

    def find_the_directory_again(self, topic: str) -> None:
        """Our first broker was started again since: it has all its replicas of the topic. Raises WaitedTooLongError."""
        broker = self.ours[0]
        wait_until(lambda: not self._given_up(topic, broker, self.stock), WAIT_S, "the directory to be back")
        self._notify(f"broker {broker.node_id} has the directory and its replicas again")

    def _directories(self, topic: str, broker: Node) -> dict[int, str]:
        """The directory's id on record for each of a broker's replicas of a topic, by partition.

        As far as our last broker has read: a topic that was just created may not have come to it yet.
        """
        ids = {
            payload["topicId"]
            for _, payload in _records(self.ours[-1], "TopicRecord")
            if payload["name"] == topic
        }
        found: dict[int, str] = {}
        for _, payload in _records(self.ours[-1], "PartitionRecord", "PartitionChangeRecord"):
            if payload["topicId"] in ids and payload.get("directories"):
                index = payload["partitionId"]
                found[index] = payload["directories"][self._replicas(index).index(broker.node_id)]
        return found

    def _given_up(self, topic: str, broker: Node, at: Node) -> set[int]:
        """Partitions of which the broker's replica is shown as offline."""
        return {
            index
            for (_, index), each in self._shown(topic, at).items()
            if broker.node_id in each.offline_replicas
        }

    # -- snapshots -----------------------------------------------------------------------------------------------------

    def catch_up(self, load: QuotaLoad, *, by_trimmed_log: bool) -> None:
        """One of ours comes back by a stock controller's snapshot: its log was taken away, or theirs has moved on.

        Raises OurBrokersError.
        """
        broker = self.ours[-1]
        broker.stop()
        end = last_offset(broker)
        if by_trimmed_log:
            wait_until(
                lambda: first_offset(self.cluster.quorum.leader()) > end,
                TRIM_S,
                f"the controllers' log to start behind offset {end}",
            )
        else:
            broker.metadata_log_directory.rename(broker.directory / f"log-until-{end}")
            wait_until(
                lambda: any(map(_snapshots, self.cluster.quorum.nodes.values())),
                WAIT_S,
                "a controller's snapshot",
            )
        broker.start()
        self.cluster.wait_until_unfenced(broker.node_id)
        self._wait_until_followed()
        fetched = _snapshots(broker)
        if not fetched or first_offset(broker) == 0:
            raise OurBrokersError(
                f"broker {broker.node_id} has its log from {first_offset(broker)} on, and {fetched}"
            )
        load.wait_for_more(WRITES)
        self.outcome.snapshots_fetched += 1
        why = (
            f"its log ended at {end}, the controllers' start later"
            if by_trimmed_log
            else "its log was taken away"
        )
        self._notify(f"broker {broker.node_id}, {why}: back by the stock snapshot {max(fetched)}")

    def finish(self, load: QuotaLoad) -> OurBrokersResult:
        """Ends all nodes: each replica of the log holds the same. Raises what says that it does not."""
        load.stop()
        self._wait_until_followed()
        self.cluster.close()
        nodes = [*self.cluster.quorum.nodes.values(), *self.cluster.brokers.values()]
        found = check_agreement([node.metadata_log_directory for node in nodes])
        for node in self.ours:
            load.check([node.metadata_log_directory])
        self.outcome.writes = load.writes
        self.outcome.replicas = len(found)
        self.outcome.records = max(replica.records or 0 for replica in found.values())
        held = ", ".join(f"{node.node_id}: {found[node.node_id].records}" for node in self.ours)
        self._notify(
            f"{len(found)} replicas of the metadata log agree (records at ours {held}); {load.writes} quota writes are"
            " there"
        )
        return self.outcome

    # -- for all -------------------------------------------------------------------------------------------------------

    def _create(self, name: str) -> None:
        """A topic on ours alone, asked of our first broker. Raises WaitedTooLongError."""
        self._ask_for(self._on_ours(name))

    def _on_ours(self, name: str) -> CreateTopicsRequest.CreatableTopic:
        assignments = [
            CreateTopicsRequest.CreatableReplicaAssignment(
                partition_index=index, broker_ids=self._replicas(index)
            )
            for index in range(LOG_DIRECTORIES * 2)
        ]
        return CreateTopicsRequest.CreatableTopic(
            name=name, num_partitions=-1, replication_factor=-1, assignments=assignments
        )

    def _ask_for(self, topic: CreateTopicsRequest.CreatableTopic) -> None:
        """Has our first broker create a topic, until it is there. Raises WaitedTooLongError."""
        wait_until(
            lambda: self._ask_once(topic).error_code in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS),
            WAIT_S,
            f"{topic.name} to be created",
        )

    def _ask_once(
        self, topic: CreateTopicsRequest.CreatableTopic
    ) -> CreateTopicsResponse.CreatableTopicResult:
        """What our first broker answers that is to create a topic."""
        with connect(self.ours[0].bootstrap_server, timeout_ms=CREATE_TIMEOUT_MS) as client:
            response = client.send(CreateTopicsRequest(topics=[topic], timeout_ms=CREATE_TIMEOUT_MS))
        assert isinstance(response, CreateTopicsResponse)
        return response.topics[0]

    def _replicas(self, index: int) -> list[int]:
        """Who has a partition of a topic on ours: all, each in turn as the first."""
        ids = [node.node_id for node in self.ours]
        first = index % len(ids)
        return ids[first:] + ids[:first]

    def _shown(self, topic: str, at: Node | None = None) -> dict[tuple[str, int], Partition]:
        """The partitions of a topic, by default at the stock broker's word."""
        return partitions((at or self.stock).bootstrap_server, [topic])

    def _is_led(self, topic: str) -> bool:
        return all(each.leader_id >= 0 for each in self._shown(topic).values())

    def _is_led_without(self, topic: str, broker: Node) -> bool:
        return all(each.leader_id not in (-1, broker.node_id) for each in self._shown(topic).values())

    def _log_end(self, node: Node) -> int:
        """The end offset of an observer's log, as the leader knows it. Raises OSError or LookupError."""
        return self.cluster.quorum.log_ends()[node.node_id]

    def _wait_until_followed(self) -> None:
        """Until each broker has what the leader's log had when this was asked for. Raises WaitedTooLongError."""
        end = max(self.cluster.quorum.log_ends().values())

        def have_it() -> bool:
            try:
                ends = self.cluster.quorum.log_ends()
            except (OSError, LookupError):
                return False
            return all(ends.get(broker_id, -1) >= end for broker_id in self.cluster.brokers)

        wait_until(have_it, WAIT_S, f"the brokers to hold offset {end}")


def _records(reader: Node, *kinds: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The rows of records of these types in a node's copy of the log, each with what the record says."""
    for row in rows_of([reader.metadata_log_directory]):
        if row["recordType"] in kinds:
            yield row, json.loads(row["payload"])


def _lives(reader: Node, broker: Node) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The records about one broker's registration in a node's copy of the log."""
    for row, payload in _records(reader, "RegisterBrokerRecord", "BrokerRegistrationChangeRecord"):
        if payload["brokerId"] == broker.node_id:
            yield row, payload


def _snapshots(node: Node) -> list[str]:
    """Names of a node's snapshots but for the one that formatting writes."""
    names = sorted(path.name for path in node.metadata_log_directory.glob("*.checkpoint"))
    return [name for name in names if int(name.split("-")[0])]


def run(
    folder: Path,
    *,
    tell: Tell,
    controllers: int = 3,
    brokers: int = 2,
    has_static_voters: bool = False,
    leaders: int = 3,
    session_ms: int = SESSION_MS,
    tools: Sequence[tuple[str, ...]] = TOOLS,
    trims_log: bool = True,
) -> OurBrokersResult:
    """Everything in this module once, with `brokers` of ours; the controllers' leader is killed `leaders` times.

    `trims_log` has a broker also be away until the controllers have let go of the log that it knows, which they do once
    a minute only.

    Raises OurBrokersError, AnswersDifferError, WrongRecordsError, ToolFailedError, WaitedTooLongError, LostWriteError
    or ReplicasDifferError."""
    with ExitStack() as stack:
        tried = OurBrokers(
            folder,
            controllers=controllers,
            brokers=brokers,
            has_static_voters=has_static_voters,
            session_ms=session_ms,
            tell=tell,
        )
        stack.enter_context(tried.cluster)
        tried.start()
        tried.cordon()
        tried.administer()
        tried.follow()
        tried.compare(tools)
        tried.outcome.lines = check_records(tried.ours[0], ON_OURS, ON_STOCK, tell)
        topic = tried.lose_a_directory()
        tried.shut_down()
        tried.find_the_directory_again(topic)
        tried.die()
        controllers_at = [node.bootstrap_controller for node in tried.cluster.quorum.nodes.values()]
        load = stack.enter_context(QuotaLoad(controllers_at))
        for _ in range(leaders):
            tried.end_leader(load)
        tried.catch_up(load, by_trimmed_log=False)
        if trims_log:
            tried.catch_up(load, by_trimmed_log=True)
        return tried.finish(load)
