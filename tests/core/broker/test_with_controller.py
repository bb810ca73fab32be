"""Brokers whose directories fail, and a controller: both pure halves together, answers lost, by seeds (KIP-858).

Whatever happens meanwhile, a broker with several directories is unfenced only when the metadata know a directory of its
own for each of its replicas; and once everything is quiet they do so for all brokers, no replica in a failed directory
leads, and nobody has anything left to say. A replica whose disk was replaced while the controllers counted on it is
lost until another broker leads without it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AssignReplicasToDirsRequest, BrokerHeartbeatRequest
from kafkaproto_server.base.types import NO_NODE, Endpoint
from kafkaproto_server.core.broker.assignments import AssignmentQueue
from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.core.broker.lifecycle import BrokerIdentity, BrokerLifecycle, BrokerState
from kafkaproto_server.core.broker.replica_directories import ReplicaDirectories
from kafkaproto_server.metadata.features import supported_ranges
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY, MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.core.broker.support.replica_notes import ReplicaNotes
from tests.core.controller.support.harness import CLUSTER_ID, Harness, incarnation

BROKERS = (1, 2, 3)
STEPS = 250
SEEDS = 25


@dataclass
class Process:
    """One start of a broker."""

    directories: LogDirectories
    lifecycle: BrokerLifecycle
    queue: AssignmentQueue
    replicas: ReplicaDirectories
    notes: ReplicaNotes


@dataclass
class World:
    """Three brokers, one controller."""

    random: random.Random
    harness: Harness = field(default_factory=Harness)
    disks: dict[int, list[bytes]] = field(default_factory=dict)
    """Directory ids of each broker as the next start finds them."""
    processes: dict[int, Process] = field(default_factory=dict)
    starts: int = 0
    unfenced: int = 0
    """How often a broker with several directories was unfenced."""
    fetched_anew: int = 0
    """How many replicas that had lost all got it again."""

    def new_directory(self) -> bytes:
        return b"dir" + self.random.randbytes(13)

    def start(self, broker_id: int) -> None:
        self.starts += 1
        directories = LogDirectories(
            [
                LogDirectory(path=f"/{number}", directory_id=each)
                for number, each in enumerate(self.disks[broker_id])
            ]
        )
        identity = BrokerIdentity(
            broker_id=broker_id,
            cluster_id=CLUSTER_ID,
            incarnation_id=incarnation(self.starts),
            endpoints=(Endpoint(name="PLAINTEXT", host="127.0.0.1", port=9092),),
            rack=None,
            features=supported_ranges(),
            previous_broker_epoch=-1,
        )
        lifecycle = BrokerLifecycle(
            identity,
            directories=directories,
            heartbeat_interval_ms=2_000,
            registration_timeout_ms=10**9,
            directory_failure_timeout_ms=10**9,
            session_timeout_ms=10**9,
            now_ms=self.harness.now_ms,
        )
        queue = AssignmentQueue(broker_id)
        notes = ReplicaNotes()
        replicas = ReplicaDirectories(broker_id, directories, queue, (), notes)
        self.processes[broker_id] = Process(directories, lifecycle, queue, replicas, notes)

    def heartbeat(self, broker_id: int, *, is_lost: bool) -> None:
        """The broker's next registration or heartbeat, whenever it may be due."""
        process, image = self.processes[broker_id], self.harness.image
        process.replicas.apply(image)
        while process.replicas.look():
            pass
        self.fetch_anew(broker_id, image)
        are_known = process.replicas.are_known
        request = process.lifecycle.next_request(
            self.harness.next_offset - 1, are_assignments_known=are_known
        )
        was_fenced = broker_id not in image.brokers or image.brokers[broker_id].fenced
        is_new = process.lifecycle.state is BrokerState.RECOVERY
        response = self.harness.call(request)
        after = self.harness.image.brokers.get(broker_id)
        if (
            is_new
            and was_fenced
            and after is not None
            and not after.fenced
            and process.directories.are_several
        ):
            self.unfenced += 1
            self.check_known(image, broker_id)
        if (
            isinstance(request, BrokerHeartbeatRequest)
            and response.error_code == ErrorCode.STALE_BROKER_EPOCH
        ):
            raise AssertionError(f"broker {broker_id} is registered by itself alone")
        if is_lost:
            process.lifecycle.handle_failure(self.harness.now_ms)
        else:
            process.lifecycle.handle_response(response, self.harness.now_ms)

    def fetch_anew(self, broker_id: int, image: ClusterImage) -> None:
        """Replicas that have lost all get it from leaders who do without them."""
        process = self.processes[broker_id]
        for topic_id, index in tuple(process.notes.lost_all):
            partition = image.topics[topic_id].partitions[index]
            if partition.leader not in (NO_NODE, broker_id) and broker_id not in partition.isr:
                del process.notes.lost_all[topic_id, index]
                process.replicas.found((topic_id, index))
                self.fetched_anew += 1

    def assign(self, broker_id: int, *, is_lost: bool) -> None:
        """The broker's next assignments, if there are any."""
        process = self.processes[broker_id]
        epoch = process.lifecycle.broker_epoch
        if epoch is None or not len(process.queue):
            return
        request = process.queue.next_request(epoch, self.harness.now_ms)
        # A request may be lost before or after the controller carried it out.
        if is_lost and self.random.random() < 0.5:
            process.queue.handle_failure(self.harness.now_ms)
            return
        response = self.harness.call(AssignReplicasToDirsRequest.decode(request.encode(0), 0)[0])
        if is_lost:
            process.queue.handle_failure(self.harness.now_ms)
        else:
            process.queue.handle_response(response, self.harness.now_ms)

    def fail_directory(self, broker_id: int) -> None:
        process = self.processes[broker_id]
        online = [each.path for each in process.directories.all if each.problem is None]
        if len(online) > 1:
            process.directories.fail(self.random.choice(online), "EIO")
            process.lifecycle.directories_changed(self.harness.now_ms)

    def restart(self, broker_id: int) -> None:
        """With the same disks, or one more, one less, or a new one in the place of another."""
        disks = self.disks[broker_id]
        match self.random.randrange(5):
            case 0:
                disks.append(self.new_directory())
            case 1 if len(disks) > 1:
                disks.pop(self.random.randrange(len(disks)))
            case 2:
                disks[self.random.randrange(len(disks))] = self.new_directory()
        self.harness.advance(20_000)
        self.start(broker_id)

    def create_topic(self) -> None:
        alive = [each for each in BROKERS if each in self.harness.image.brokers]
        if alive:
            replicas_each = self.random.randint(1, len(alive))
            assignments = [self.random.sample(alive, replicas_each) for _ in range(self.random.randint(1, 4))]
            active = [each for each in alive if self.harness.image.brokers[each].is_active()]
            if all(any(each in active for each in replicas) for replicas in assignments):
                self.harness.create_topic(f"t{len(self.harness.image.topics)}", *assignments)

    def step(self) -> None:
        broker_id, is_lost = self.random.choice(BROKERS), self.random.random() < 0.2
        match self.random.randrange(20):
            case 0:
                self.fail_directory(broker_id)
            case 1:
                self.restart(broker_id)
            case 2 | 3:
                self.create_topic()
            case number if number < 12:
                self.heartbeat(broker_id, is_lost=is_lost)
            case _:
                self.assign(broker_id, is_lost=is_lost)
        self.harness.advance(self.random.randrange(50))

    def recorded(self, image: ClusterImage, broker_id: int) -> list[bytes]:
        """The directories that the metadata have for a broker's replicas, but those that it has lost."""
        lost = self.processes[broker_id].notes.lost_all
        return [
            partition.directory_of(broker_id)
            for topic in image.topics_in_order()
            for index, partition in topic.partitions_in_order()
            if broker_id in partition.replicas and (topic.topic_id, index) not in lost
        ]

    def check_known(self, image: ClusterImage, broker_id: int) -> None:
        directories = self.processes[broker_id].directories
        for directory_id in self.recorded(image, broker_id):
            # What may lie in a directory that failed, nobody can tell before the next start.
            assert directories.is_own(directory_id) or (
                directories.has_offline and directory_id not in (UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY)
            ), f"broker {broker_id}: {directory_id!r}"


@pytest.mark.parametrize("seed", range(SEEDS))
def test_metadata_and_brokers_agree_in_the_end(seed: int) -> None:
    world = World(random.Random(seed))
    for broker_id in BROKERS:
        world.disks[broker_id] = [world.new_directory() for _ in range(broker_id)]
        world.start(broker_id)
    for _ in range(STEPS):
        world.step()
    for _ in range(10):
        world.harness.advance(2_000)
        for broker_id in BROKERS:
            world.heartbeat(broker_id, is_lost=False)
            world.assign(broker_id, is_lost=False)
    image = world.harness.image
    for broker_id in BROKERS:
        process = world.processes[broker_id]
        assert process.lifecycle.is_serving
        assert (len(process.queue), process.replicas.are_known) == (0, True)
        assert image.brokers[broker_id].directories == process.directories.online_ids
        if process.directories.are_several:
            world.check_known(image, broker_id)
        assert LOST_DIRECTORY not in world.recorded(image, broker_id)
        for topic_id, index in process.notes.lost_all:
            assert image.topics[topic_id].partitions[index].leader == NO_NODE
    for topic in image.topics_in_order():
        for _, partition in topic.partitions_in_order():
            if partition.leader >= 0:
                leader = image.brokers[partition.leader]
                assert leader.has_online_directory(partition.directory_of(partition.leader))
    assert world.unfenced > 0
    assert len(image.topics) > 0
