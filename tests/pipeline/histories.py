"""Real histories for everybody's tests: metadata logs that clusters of processes wrote, and synthetic ones.

A quorum of three controllers of one implementation has a broker process of the same one, and brokers that are only
registered.
The requests are those of the differential test of controllers, out of a seed. In between, the active controller is
killed (kill -9) and started again, then the broker; in the end the broker shuts down in order and all controllers are
killed where they stand, so that the directories are at rest. Small limits have every node write several snapshots.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from compat.admin_difference.compare import Operation
from compat.admin_difference.draw import BROKERS
from compat.admin_difference.generate import operations
from compat.admin_difference.state import State
from compat.cluster import FIRST_BROKER_ID, Cluster
from compat.kafka.stock import StockNode
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import CLUSTER_ID, NodeClass, connect, describe_quorum
from kafkaproto.client import Client
from kafkaproto.log import segment_file_name
from kafkaproto.message import Message
from kafkaproto.messages import CreateTopicsRequest, CreateTopicsResponse
from kafkaproto_pipeline.synthetic import HistoryOptions, Made, generate

SEED = 11
OPERATIONS = 480
"""Requests in all; a third of them before the first kill, a third between the two."""
PROCESS_BROKER = FIRST_BROKER_ID
TOPIC = "of-the-process"
"""Its partitions lie on the broker that is a process, too."""
LAST_TOPIC = "of-the-process-alone"
"""So that the broker leads something when it shuts down: one that leads nothing goes without a record of it."""
LAST_PARTITIONS = 6
"""How many it has. On a slow machine the brokers that are only registered are fenced, and there may be no others."""
PROPERTIES = {
    "metadata.log.max.record.bytes.between.snapshots": "6000",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
    "broker.session.timeout.ms": "3000",
}
BROKER_PROPERTIES = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "300",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
WAIT_S = 60.0
RESPONSE_TIMEOUT_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What a cluster left behind."""

    cluster_id: str
    nodes: Mapping[int, Path]
    """The data directory of each controller, by id; `__cluster_metadata-0` lies in it."""
    high_watermark: int
    """As the last leader told it just before the end: below it everything is committed."""
    killed_leader: int
    """The controller that was killed while it led."""
    killed_in_epoch: int
    """The last epoch that it knew of when it was killed."""
    broker: int
    """The broker that was killed, came back and shut down."""

    @property
    def paths(self) -> list[str]:
        """The data directories as text, in order of the ids."""
        return [str(self.nodes[node_id]) for node_id in sorted(self.nodes)]


class Driver:
    """Sends requests to whoever leads, and reads that node's log to know what there is."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.state = State(1)
        self._read_to = 0
        self.killed_in_epoch = -1
        self.leader: Node = cluster.quorum.leader()
        self._client: Client = connect(self.leader.bootstrap_controller, timeout_ms=RESPONSE_TIMEOUT_MS)

    def run(self, wanted: list[Operation]) -> None:
        """One request after the other; a connection that the controller closes for its content is opened again."""
        for operation in wanted:
            self.read_log()
            self.send(operation.build(self.state))

    def send(self, request: Message) -> Message | None:
        """The answer; None where the connection was closed instead."""
        served = {api.api_key for api in self._client.api_versions.api_keys}
        if request.API_KEY not in served:
            return None
        try:
            return self._client.send(request)
        except ConnectionError:
            self.leader.assert_running()
            self.close()
            self._client = connect(self.leader.bootstrap_controller, timeout_ms=RESPONSE_TIMEOUT_MS)
            return None

    def kill_leader(self) -> Node:
        """The active controller ends at once; the driver goes on with the next one."""
        killed = self.leader
        self.close()
        killed.kill()
        election_state = json.loads((killed.metadata_log_directory / "quorum-state").read_text())
        self.killed_in_epoch = int(election_state["leaderEpoch"])
        self.leader = self._cluster.quorum.leader()
        self._client = connect(self.leader.bootstrap_controller, timeout_ms=RESPONSE_TIMEOUT_MS)
        return killed

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def read_log(self) -> None:
        """Take in what the leader's log has beyond what was read. All logs are the same bytes."""
        path = self.leader.metadata_log_directory / segment_file_name(0)
        self._read_to = self.state.read_on(path, self._read_to)

    def wait_until_fenced(self, broker_id: int, *, fenced: bool) -> None:
        """Until the log says so."""

        def is_so() -> bool:
            self.read_log()
            broker = self.state.broker(broker_id)
            return broker is not None and broker.fenced == fenced

        wait_until(is_so, WAIT_S, f"broker {broker_id} to be {'fenced' if fenced else 'unfenced'}")

    def wait_until_equal(self) -> int:
        """Until all voters have what the leader has; its high watermark then."""
        found: list[int] = []

        def are_equal() -> bool:
            with (
                contextlib.suppress(LookupError, OSError),
                connect(self.leader.bootstrap_controller) as client,
            ):
                response = describe_quorum(client)
                ends = {voter.log_end_offset for voter in response.current_voters}
                found[:] = [response.high_watermark]
                return len(ends) == 1
            return False

        wait_until(are_equal, WAIT_S, "all voters to have the whole log")
        return found[0]

    def unfenced_registered_brokers(self) -> list[int]:
        """Of the brokers that are only registered."""
        self.read_log()
        return [each for each in BROKERS if (broker := self.state.broker(each)) and not broker.fenced]

    def create_topic(self, name: str, replicas: list[list[int]]) -> None:
        """A topic with the given replicas by partition."""
        assigned = [
            CreateTopicsRequest.CreatableReplicaAssignment(partition_index=index, broker_ids=broker_ids)
            for index, broker_ids in enumerate(replicas)
        ]
        topic = CreateTopicsRequest.CreatableTopic(
            name=name, num_partitions=-1, replication_factor=-1, assignments=assigned
        )
        response = self.send(CreateTopicsRequest(topics=[topic], timeout_ms=RESPONSE_TIMEOUT_MS))
        assert isinstance(response, CreateTopicsResponse)
        assert [each.error_code for each in response.topics] == [0], response


def drive(cluster: Cluster, driver: Driver) -> Node:
    """All requests, with the kills in between; the controller that was killed."""
    wanted = operations(SEED, OPERATIONS)
    third = OPERATIONS // 3
    first = 2 * len(BROKERS)
    driver.run(wanted[:first])
    driver.create_topic(TOPIC, [[PROCESS_BROKER, other] for other in driver.unfenced_registered_brokers()])
    driver.run(wanted[first:third])
    killed = driver.kill_leader()
    with ThreadPoolExecutor(1) as pool:
        restarted = pool.submit(killed.start)
        driver.run(wanted[third : 2 * third])
        restarted.result()
    broker = cluster.brokers[PROCESS_BROKER]
    broker.kill()
    driver.wait_until_fenced(PROCESS_BROKER, fenced=True)
    broker.start()
    driver.wait_until_fenced(PROCESS_BROKER, fenced=False)
    driver.run(wanted[2 * third :])
    driver.wait_until_fenced(PROCESS_BROKER, fenced=False)
    driver.create_topic(LAST_TOPIC, [[PROCESS_BROKER]] * LAST_PARTITIONS)
    broker.stop()
    return killed


def live(make_controller: NodeClass, make_broker: NodeClass, folder: Path) -> History:
    """Run the whole life of a cluster in the folder."""
    cluster = Cluster(
        make_controller,
        make_broker,
        folder,
        brokers=1,
        controller_overrides=PROPERTIES,
        broker_overrides=BROKER_PROPERTIES,
    )
    with cluster:
        cluster.format()
        cluster.start()
        with contextlib.closing(Driver(cluster)) as driver:
            killed = drive(cluster, driver)
            high_watermark = driver.wait_until_equal()
    nodes = {node_id: node.data_directory for node_id, node in cluster.quorum.nodes.items()}
    return History(
        cluster_id=CLUSTER_ID,
        nodes=nodes,
        high_watermark=high_watermark,
        killed_leader=killed.node_id,
        killed_in_epoch=driver.killed_in_epoch,
        broker=PROCESS_BROKER,
    )


@pytest.fixture(scope="session")
def our_history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Of three controllers and a broker of ours. Whoever asks for it is marked slow, and changes no file."""
    return live(OurNode, OurNode, tmp_path_factory.mktemp("our-history"))


@pytest.fixture(scope="session")
def stock_history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """The same of Apache Kafka. Whoever asks for it is marked slow and jvm.

    Beside the order of lists, its snapshots say the same as its log: those of a broker's features are in another order.
    """
    return live(StockNode, StockNode, tmp_path_factory.mktemp("stock-history"))


@pytest.fixture(scope="session")
def synthetic_history(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Three replicas of a small synthetic history with several segments and snapshots. Nobody may change the files."""
    folder = tmp_path_factory.mktemp("synthetic-history")
    options = HistoryOptions(
        seed=SEED, records=12_000, replicas=3, brokers=6, partitions=120, segment_bytes=1 << 18
    )
    return generate(folder, options)
