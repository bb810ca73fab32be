"""Brokers without topic data: they register, follow the log, send heartbeats, leave in order or not, and lead as far as
metadata goes: the ISR of what they lead shrinks and grows at random, and their directories fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkaproto.message import Message
from kafkaproto.messages import AlterPartitionRequest, AssignReplicasToDirsResponse
from server.broker.assignments import AssignmentQueue
from server.broker.directories import LogDirectories, LogDirectory
from server.broker.lifecycle import BrokerIdentity, BrokerLifecycle, BrokerState
from server.broker.replica_directories import ReplicaDirectories
from server.features import supported_ranges
from server.types import Endpoint
from tests.sim.metadata.node import CLUSTER_ID, Node

if TYPE_CHECKING:
    from tests.sim.faults import Faults
    from tests.sim.metadata.calls import Calls
    from tests.sim.world import World

POLL_US = 20_000
HEARTBEAT_INTERVAL_MS = 500
REGISTRATION_TIMEOUT_MS = 10**9
ISR_CHANGE_MS = 700
DIRECTORIES = 2


class Broker:
    """What runs on a node that is a broker."""

    def __init__(self, world: World, node: Node, calls: Calls, faults: Faults) -> None:
        self._world = world
        self._node = node
        self._calls = calls
        self._faults = faults
        self._life = -1
        self._is_asking = False
        self._clean_epoch = -1
        self._directories = LogDirectories(())
        self.lifecycle: BrokerLifecycle
        world.after(0, self._poll, None)
        faults.repeat(ISR_CHANGE_MS, self._change_isr)

    @property
    def is_serving(self) -> bool:
        """Whether it is unfenced, as far as it knows."""
        return self._life == self._node.life and self._node.is_up and self.lifecycle.is_serving

    def leave(self) -> None:
        """Begin a controlled shutdown."""
        if self._life == self._node.life:
            self.lifecycle.request_shutdown(self._node.now_ms())

    def fail_directory(self) -> None:
        """Lose one directory until the next start; never the last."""
        online = [each.path for each in self._directories.all if each.problem is None]
        if len(online) > 1 and self._life == self._node.life:
            self._directories.fail(self._world.rng.choice(online), "it was lost")
            self.lifecycle.directories_changed(self._node.now_ms())
            self._replicas.directories_changed()

    # -- life ----------------------------------------------------------------------------------------------------

    def _begin_life(self) -> None:
        node = self._node
        self._life = node.life
        self._is_asking = False
        self._directories = LogDirectories(
            [
                LogDirectory(path=f"d{index}", directory_id=b"directory %02d %03d" % (index, node.id))
                for index in range(DIRECTORIES)
            ]
        )
        self.lifecycle = BrokerLifecycle(
            BrokerIdentity(
                broker_id=node.id,
                cluster_id=CLUSTER_ID,
                incarnation_id=self._world.rng.randbytes(16),
                endpoints=(Endpoint(name="PLAINTEXT", host=f"b{node.id}", port=9092),),
                rack=None,
                features=supported_ranges(),
                previous_broker_epoch=self._clean_epoch,
            ),
            directories=self._directories,
            directory_failure_timeout_ms=REGISTRATION_TIMEOUT_MS,
            heartbeat_interval_ms=HEARTBEAT_INTERVAL_MS,
            registration_timeout_ms=REGISTRATION_TIMEOUT_MS,
            now_ms=node.now_ms(),
        )
        self._assignments = AssignmentQueue(node.id)
        self._replicas = ReplicaDirectories(node.id, self._directories, self._assignments)
        self._clean_epoch = -1

    def _poll(self, _: None) -> None:
        self._world.after(POLL_US, self._poll, None)
        node = self._node
        if not node.is_up or node.is_paused:
            return
        if self._life != node.life:
            self._begin_life()
        if self.lifecycle.state is BrokerState.SHUTTING_DOWN:
            self._clean_epoch = -1 if self.lifecycle.broker_epoch is None else self.lifecycle.broker_epoch
            node.crash()
            self._world.on_stopped(node)
            return
        self._replicas.apply(node.image)
        self._replicas.look()
        if not self._is_asking and self.lifecycle.due_ms <= node.now_ms():
            self._ask()
        due_ms = self._assignments.due_ms
        if due_ms is not None and due_ms <= node.now_ms():
            self._assign()

    def _controller(self) -> Node | None:
        leader = self._world.replicas.get(self._node.core.leader_and_epoch.leader_id)
        return leader if isinstance(leader, Node) else None

    def _ask(self) -> None:
        target = self._controller()
        if target is None:
            self.lifecycle.handle_failure(self._node.now_ms())
            return
        request = self.lifecycle.next_request(
            self._node.image.offset, are_assignments_known=self._replicas.are_known
        )
        life = self._life
        self._is_asking = True
        self._calls.send(self._node, target, request, lambda answer: self._heard(life, answer))

    def _heard(self, life: int, answer: Message | None) -> None:
        if life != self._life or not self._node.is_up or life != self._node.life:
            return
        self._is_asking = False
        if answer is None:
            self.lifecycle.handle_failure(self._node.now_ms())
        else:
            self.lifecycle.handle_response(answer, self._node.now_ms())

    def _assign(self) -> None:
        """Tell the controller where replicas lie."""
        target, epoch = self._controller(), self.lifecycle.broker_epoch
        if target is None or epoch is None:
            return
        life = self._life

        def heard(answer: Message | None) -> None:
            if life != self._life or life != self._node.life:
                return
            if answer is None:
                self._assignments.handle_failure(self._node.now_ms())
            else:
                assert isinstance(answer, AssignReplicasToDirsResponse)
                self._assignments.handle_response(answer, self._node.now_ms())

        self._calls.send(self._node, target, self._assignments.next_request(epoch), heard)

    # -- what it leads -------------------------------------------------------------------------------------------

    def _change_isr(self) -> None:
        """Propose another ISR for one of the partitions that it leads: somebody fell behind, or caught up."""
        target, rng = self._controller(), self._world.rng
        if target is None or not self.is_serving or self.lifecycle.broker_epoch is None:
            return
        image = self._node.image
        led = [
            (topic, index, partition)
            for topic in image.topics_in_order()
            for index, partition in topic.partitions_in_order()
            if partition.leader == self._node.id
        ]
        if not led:
            return
        topic, index, partition = rng.choice(led)
        isr = [replica for replica in partition.replicas if replica == self._node.id or rng.random() < 0.6]
        wanted = AlterPartitionRequest.PartitionData(
            partition_index=index,
            leader_epoch=partition.leader_epoch,
            new_isr_with_epochs=[
                AlterPartitionRequest.BrokerState(
                    broker_id=replica,
                    broker_epoch=image.brokers[replica].epoch if replica in image.brokers else -1,
                )
                for replica in isr
            ],
            leader_recovery_state=0,
            partition_epoch=partition.partition_epoch,
        )
        request = AlterPartitionRequest(
            broker_id=self._node.id,
            broker_epoch=self.lifecycle.broker_epoch,
            topics=[AlterPartitionRequest.TopicData(topic_id=topic.topic_id, partitions=[wanted])],
        )
        self._calls.send(self._node, target, request, lambda _: None)
