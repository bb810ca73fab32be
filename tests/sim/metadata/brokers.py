"""Brokers without topic data. They register, follow the log, send heartbeats, and shut down in order or crash. As
leaders they change metadata only: the ISR of what they lead shrinks and grows at random, and their directories fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import AlterPartitionRequest, AssignReplicasToDirsResponse, BrokerHeartbeatRequest
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.core.broker.assignments import AssignmentQueue
from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.core.broker.lifecycle import BrokerIdentity, BrokerLifecycle, BrokerState
from kafkaproto_server.core.broker.replica_directories import ReplicaDirectories
from kafkaproto_server.metadata.features import supported_ranges
from kafkaproto_server.metadata.image.entries import UNASSIGNED_DIRECTORY
from tests.core.broker.support.replica_notes import ReplicaNotes
from tests.sim.checkers.invariants import ViolationError
from tests.sim.metadata import epochs
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.metadata.deaths import prove_death
from tests.sim.metadata.node import CLUSTER_ID, Node

if TYPE_CHECKING:
    from tests.sim.faults import Faults
    from tests.sim.metadata.calls import Calls
    from tests.sim.world import World

POLL_US = 20_000
HEARTBEAT_INTERVAL_MS = 500
REGISTRATION_TIMEOUT_MS = 10**9
ISR_CHANGE_MS = 700
OTHER_HEARTBEAT_MS = 1_500
DIRECTORIES = 2


class Broker:
    """The broker on a node."""

    def __init__(self, world: World, node: Node, calls: Calls, faults: Faults) -> None:
        self._world = world
        self.node = node
        self._calls = calls
        self.faults = faults
        self._life = -1
        self._is_asking = False
        self._is_mourned = True
        self._clean_epoch = -1
        self._directories = LogDirectories(())
        self.lifecycle: BrokerLifecycle
        world.after(0, self._poll, None)
        faults.repeat(ISR_CHANGE_MS, self._change_isr)
        if world.options.other_epochs:
            faults.repeat(OTHER_HEARTBEAT_MS, self._send_other_heartbeat)

    @property
    def is_serving(self) -> bool:
        """Whether it is unfenced, as far as it knows."""
        return self._life == self.node.life and self.node.is_up and self.lifecycle.is_serving

    @property
    def has_agreed_directories(self) -> bool:
        """Whether the metadata has the directory of each of its replicas."""
        return self._replicas.are_known and all(
            self._replicas.directory_of((topic_id, index)) in (None, partition.directory_of(self.node.id))
            for topic_id, topic in self.node.image.topics.items()
            for index, partition in topic.partitions.items()
            if self.node.id in partition.replicas
        )

    def answers_as(self, epoch: int) -> bool:
        """Whether its process is running with this epoch."""
        return self._life == self.node.life and self.node.is_up and self.lifecycle.broker_epoch == epoch

    def leave(self) -> None:
        """Begin a controlled shutdown."""
        if self._life == self.node.life:
            self.lifecycle.request_shutdown(self.node.now_ms())

    def fail_directory(self) -> None:
        """Lose one directory until the next start; never the last."""
        online = [each.path for each in self._directories.all if each.problem is None]
        if len(online) > 1 and self._life == self.node.life:
            self._directories.fail(self._world.rng.choice(online), "it was lost")
            self.lifecycle.directories_changed(self.node.now_ms())

    # -- life ----------------------------------------------------------------------------------------------------

    def _begin_life(self) -> None:
        node = self.node
        self._life = node.life
        self._is_asking = self._is_mourned = False
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
            session_timeout_ms=REGISTRATION_TIMEOUT_MS,
            heartbeat_interval_ms=HEARTBEAT_INTERVAL_MS,
            registration_timeout_ms=REGISTRATION_TIMEOUT_MS,
            now_ms=node.now_ms(),
        )
        self._assignments = AssignmentQueue(node.id)
        self._replicas = ReplicaDirectories(node.id, self._directories, self._assignments, (), ReplicaNotes())
        self._clean_epoch = -1

    def _poll(self, _: None) -> None:
        self._world.after(POLL_US, self._poll, None)
        node = self.node
        if not node.is_up and not self._is_mourned:
            self._is_mourned = True
            prove_death(self._world, self)
        if not node.is_up or node.is_paused:
            return
        if self._life != node.life:
            self._begin_life()
        if self.lifecycle.state is BrokerState.SHUTTING_DOWN:
            self._clean_epoch = -1 if self.lifecycle.broker_epoch is None else self.lifecycle.broker_epoch
            self._stop()
            return
        self._replicas.apply(node.image)
        self._replicas.look()
        if not self._is_asking and self.lifecycle.due_ms <= node.now_ms():
            self._ask()
        due_ms = self._assignments.due_ms
        if due_ms is not None and due_ms <= node.now_ms():
            self._assign()

    def _stop(self) -> None:
        """End the process; somebody will start it again."""
        self.node.crash()
        self._world.on_stopped(self.node)

    def _controller(self) -> Node | None:
        leader = self._world.replicas.get(self.node.core.leader_and_epoch.leader_id)
        return leader if isinstance(leader, Node) else None

    def _ask(self) -> None:
        target = self._controller()
        if target is None:
            self.lifecycle.handle_failure(self.node.now_ms())
            return
        request = self.lifecycle.next_request(
            self._claimed_offset(), are_assignments_known=self._replicas.are_known
        )
        if isinstance(request, BrokerHeartbeatRequest) and not request.want_fence:
            self._check_assigned()
        life = self._life
        self._is_asking = True
        self._calls.send(self.node, target, request, lambda response: self._heard(life, response))

    def _claimed_offset(self) -> int:
        """The metadata offset of the next heartbeat; sometimes a wrong one."""
        rng, offset = self._world.rng, self.node.image.offset
        if self.faults.is_healed or not self._world.options.other_epochs:
            return offset
        if rng.random() > epochs.FALSE_OFFSET_SHARE:
            return offset
        return epochs.false_offset(rng, offset, self.lifecycle.broker_epoch)

    def _heard(self, life: int, response: Message | None) -> None:
        if life != self._life or not self.node.is_up or life != self.node.life:
            return
        self._is_asking = False
        if response is None:
            self.lifecycle.handle_failure(self.node.now_ms())
        else:
            self.lifecycle.handle_response(response, self.node.now_ms())
            if self.lifecycle.last_refusal == ErrorCode.STALE_BROKER_EPOCH:
                # It was unregistered, and serves nobody until its process is started again.
                self._stop()

    def _check_assigned(self) -> None:
        """It wants to serve; that it does for the first time asks for more."""
        if self.lifecycle.state is not BrokerState.RECOVERY or not self._directories.are_several:
            return
        for topic in self.node.image.topics.values():
            for index, partition in topic.partitions.items():
                is_here = self.node.id in partition.replicas
                if is_here and partition.directory_of(self.node.id) == UNASSIGNED_DIRECTORY:
                    raise ViolationError(
                        MetadataInvariant.UNFENCED_ONCE_ASSIGNED, f"{self.node.id}: {topic.name}-{index}"
                    )

    def _assign(self) -> None:
        """Report the directories of replicas to the controller."""
        target, epoch = self._controller(), self.lifecycle.broker_epoch
        if target is None or epoch is None:
            return
        life = self._life

        def heard(response: Message | None) -> None:
            if life != self._life or life != self.node.life:
                return
            if response is None:
                self._assignments.handle_failure(self.node.now_ms())
            else:
                assert isinstance(response, AssignReplicasToDirsResponse)
                self._assignments.handle_response(response, self.node.now_ms())

        self._calls.send(self.node, target, self._assignments.next_request(epoch, self.node.now_ms()), heard)

    # -- what it leads -------------------------------------------------------------------------------------------

    def _change_isr(self) -> None:
        """Propose another ISR for one of the partitions that it leads, as if a follower fell behind or caught up."""
        target, rng = self._controller(), self._world.rng
        if target is None or not self.is_serving or self.lifecycle.broker_epoch is None:
            return
        image = self.node.image
        led = [
            (topic, index, partition)
            for topic in image.topics_in_order()
            for index, partition in topic.partitions_in_order()
            if partition.leader == self.node.id
        ]
        if not led:
            return
        topic, index, partition = rng.choice(led)
        isr = [replica for replica in partition.replicas if replica == self.node.id or rng.random() < 0.6]
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
            broker_id=self.node.id,
            broker_epoch=self.lifecycle.broker_epoch,
            topics=[AlterPartitionRequest.TopicData(topic_id=topic.topic_id, partitions=[wanted])],
        )
        if self._world.options.other_epochs and rng.random() < epochs.OTHER_EPOCH_SHARE:
            epochs.with_other_epoch(rng, request)
        awaited = epochs.Awaited(self.node, target)
        self._calls.send(
            self.node, target, request, lambda response: awaited.check_isr_change(request, response)
        )

    def _send_other_heartbeat(self) -> None:
        """Send a heartbeat of another broker epoch, as an earlier process of this broker might have."""
        if self._life != self.node.life or not self.node.is_up:
            return
        target, rng, epoch = self._controller(), self._world.rng, self.lifecycle.broker_epoch
        if target is None or epoch is None:
            return
        request = BrokerHeartbeatRequest(
            broker_id=self.node.id,
            broker_epoch=epochs.other_broker_epoch(rng, epoch),
            current_metadata_offset=self.node.image.offset,
            want_fence=rng.random() < 0.5,
            want_shut_down=rng.random() < 0.2,
        )
        awaited = epochs.Awaited(self.node, target)
        self._calls.send(
            self.node, target, request, lambda response: awaited.check_heartbeat(request, response)
        )
