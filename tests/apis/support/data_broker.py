"""A broker that is asked to write and read records."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from kafkaproto.message import Message
from kafkaproto.messages import DeleteTopicsRequest, FetchRequest, ListOffsetsRequest, ProduceRequest
from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.base.later import Deferred, run_to_end
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.security.authorizer import Authorizer
from kafkaproto_server.node.services import metadata_port
from kafkaproto_server.requests.context import NoResponse, Unanswered
from tests.apis.support.replicas import PATH, BrokerReplicas
from tests.apis.support.services import (
    NODE_ID,
    context,
    decoded_response,
    services,
    take_response,
    with_changes,
)
from tests.core.controller.support.harness import TIMESTAMP_MS, Harness, directory
from tests.metadata.security.support.acl_making import acl, authorizer
from tests.sim.disk import MemoryDisk

ME, OTHER, THIRD = NODE_ID, 0, 2
"""The broker that is asked, and two more."""


def batch(*values: bytes, key: bytes | None = b"k", timestamp_ms: int = TIMESTAMP_MS, **fields: Any) -> bytes:
    """A batch as a producer sends it, with a record for each value."""
    records = [NewRecord(key=key, value=value) for value in values or (b"v",)]
    return build_batch(records, base_offset=0, timestamp_ms=timestamp_ms, **fields)


def stored(sent: bytes, base_offset: int, leader_epoch: int = 0) -> bytes:
    """A batch as a leader stores it that changes no more than offset and epoch."""
    return struct.pack(">q", base_offset) + sent[8:12] + struct.pack(">i", leader_epoch) + sent[16:]


def wanted(index: int = 0, offset: int = 0, **fields: Any) -> FetchRequest.FetchPartition:
    """What a Fetch request wants of a partition: much, unless said otherwise."""
    given = {"partition": index, "fetch_offset": offset, "partition_max_bytes": 1 << 20, **fields}
    return FetchRequest.FetchPartition(**given)


class DataBroker:
    """Broker 1. There are brokers 0 and 2, too, of which nothing runs; the controller is real.

    Anybody may do anything, until `allow` is called.
    """

    def __init__(self, directories: int = 1, **static_config: str) -> None:
        """``directories`` is the number of log directories that broker 1 has: /logs, /logs1, ..."""
        self.harness = Harness(metadata_version=33)
        self.directory_ids = {f"{PATH}{number or ''}": directory(ME, number) for number in range(directories)}
        for broker_id in (OTHER, ME, THIRD):
            more = {"log_dirs": list(self.directory_ids.values())} if broker_id == ME else {}
            self.harness.start_brokers(broker_id, rack=f"r{broker_id}", **more)
        self._static_config = {key.replace("_", "."): value for key, value in static_config.items()}
        self.guard: Authorizer | None = None
        self._starts = 0
        self._start()

    def _start(self, disk: MemoryDisk | None = None, *, is_clean: bool = True) -> None:
        controller = self.harness.controller
        self.replicas = BrokerReplicas(
            ME,
            lambda: controller.committed_image,
            directory_ids=self.directory_ids,
            static_config=self._static_config,
            disk=disk,
            is_clean=is_clean,
        )
        metadata = metadata_port(lambda: controller.committed_image, lambda: self.guard)
        known = services(
            controller.committed_image,
            authorizer=lambda: self.guard,
            endpoint=metadata.endpoint,
            rack=metadata.rack,
            **self.replicas.ports,
            groups=self.replicas.groups,
            transactions=self.replicas.transactions,
            share_state=self.replicas.share.coordinators,
            shares=self.replicas.share_partitions,
        )
        self.services = with_changes(known, image=lambda: controller.committed_image)

    def start_again(self, *, is_clean: bool = True) -> None:
        """Stop and start the broker; without ``is_clean``, kill it instead."""
        if is_clean:
            self.replicas.stop()
        self.start(is_clean=is_clean)

    def start(self, *, is_clean: bool = True) -> None:
        """Start the broker that was stopped, or killed."""
        self._starts += 1
        # Until its session has ended.
        for _ in range(4):
            self.harness.advance(5_000)
            self.harness.heartbeat(OTHER)
            self.harness.heartbeat(THIRD)
        self.harness.start_brokers(
            ME,
            incarnation_id=b"start %010d" % self._starts,
            log_dirs=list(self.directory_ids.values()),
            rack=f"r{ME}",
        )
        self._start(self.replicas.disk, is_clean=is_clean)

    # --- the cluster ---

    def report(self) -> None:
        """Follow the metadata, and report to the controller what there is to report."""
        self.replicas.follow()
        epoch = self.harness.image.brokers[ME].epoch
        queue = self.replicas.assignments
        while queue.due_ms is not None:
            self.replicas.clock.now = max(self.replicas.clock.now, queue.due_ms)
            request = queue.next_request(epoch, self.replicas.clock.now)
            queue.handle_response(self.harness.call(request), self.replicas.clock.now)
            self.replicas.follow()

    def heartbeat(self) -> None:
        """A heartbeat that has the offline directories."""
        self.replicas.report_failures()
        self.harness.heartbeat(ME, offline_log_dirs=list(self.replicas.log_directories.offline_ids))
        self.replicas.follow()

    def topic(self, name: str, *assignments: Sequence[int], **configs: str) -> bytes:
        """Create a topic; by default with one partition that only broker 1 has. Returns its id."""
        return self.harness.create_topic(name, *(assignments or ([ME],)), **configs)

    def delete_topic(self, name: str) -> None:
        """Delete a topic; the broker follows."""
        topics = [DeleteTopicsRequest.DeleteTopicState(name=name)]
        self.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
        self.replicas.follow()
        self.replicas.call_due()

    def topic_id(self, name: str) -> bytes:
        """The id of a topic; of an unknown one, some id."""
        return self.harness.image.topic_ids.get(name, b"\x07" * 16)

    def allow(self, *needs: tuple[Operation, ResourceType, str]) -> None:
        """Let alice do these operations, and nothing else."""
        self.guard = authorizer(
            *(acl(operation=each, resource_type=kind, resource_name=name) for each, kind, name in needs)
        )

    def trust_producers(self) -> None:
        """Take records of transactions without asking a coordinator."""
        self.replicas.manager.set_verifies_transactions(lambda: False)

    def lead_anew(self, name: str) -> None:
        """Another broker leads a topic's first partition for a while; broker 1 leads again, two epochs later."""
        self.harness.heartbeat(ME, want_fence=True)
        self.harness.heartbeat(ME)
        self.replicas.follow()
        leader, epochs = self.harness.partition(name).leader, self.harness.image.brokers
        assert leader != ME
        self.harness.alter_partition(name, isr=[(each, epochs[each].epoch) for each in (leader, ME)])
        self.harness.heartbeat(leader, want_fence=True)
        self.harness.heartbeat(leader)
        self.replicas.follow()
        assert self.harness.partition(name).leader == ME

    # --- requests ---

    def send(self, request: Message, version: int, **fields: Any) -> list[Any]:
        """Send a request. The list gets its response, now or later; both go through the bytes of the version."""
        self.replicas.follow()
        decoded, _ = type(request).decode(request.encode(version), version)
        found: list[Any] = []

        def take(response: Any) -> None:
            if not isinstance(response, NoResponse | Unanswered):
                response = decoded_response(response, request, version)
                response = type(response).decode(response.encode(version), version)[0]
            found.append(response)

        take_response(dispatch(decoded, context(decoded, version, **fields), self.services), take)
        self.replicas.call_due()
        return found

    def start_waiting(self, request: Message, version: int) -> Deferred[Any]:
        """Send a request that has to wait. Returns what it waits for, to be abandoned as its connection ends."""
        self.replicas.follow()
        decoded, _ = type(request).decode(request.encode(version), version)
        result: Any = dispatch(decoded, context(decoded, version), self.services)
        while not isinstance(result, Deferred):
            result = run_to_end(result)
        assert result.can_be_abandoned
        return result

    def ask(self, request: Message, version: int, **fields: Any) -> Any:
        """The response to a request that needs not wait."""
        (response,) = self.send(request, version, **fields)
        return response

    def produce_request(
        self, *parts: tuple[str, int, bytes | None], acks: int = 1, version: int = 13, timeout_ms: int = 1000
    ) -> ProduceRequest:
        """A request that writes records to partitions; names that follow each other share an entry."""
        request = ProduceRequest(acks=acks, timeout_ms=timeout_ms)
        last = None
        for name, index, records in parts:
            if name != last:
                last = name
                has_ids = version >= 13
                request.topic_data.append(
                    ProduceRequest.TopicProduceData(
                        name="" if has_ids else name, topic_id=self.topic_id(name) if has_ids else bytes(16)
                    )
                )
            partition = ProduceRequest.PartitionProduceData(index=index, records=records)
            request.topic_data[-1].partition_data.append(partition)
        return request

    def produce(
        self, name: str, records: bytes | None, index: int = 0, *, version: int = 13, **fields: Any
    ) -> Any:
        """What the response says of a partition to which records are written."""
        request = self.produce_request((name, index, records), version=version, **fields)
        return only_partition(self.ask(request, version).responses)

    def fetch_request(
        self, *topics: tuple[str, list[FetchRequest.FetchPartition]], version: int = 18, **fields: Any
    ) -> FetchRequest:
        """A request of a consumer that does not wait; with ``replica_id`` and ``replica_epoch``, that of a follower."""
        given = {"max_wait_ms": 0, "min_bytes": 1, "max_bytes": 1 << 24, **fields}
        replica_id, epoch = given.pop("replica_id", -1), given.pop("replica_epoch", -1)
        if version >= 15:
            given["replica_state"] = FetchRequest.ReplicaState(replica_id=replica_id, replica_epoch=epoch)
        else:
            given["replica_id"] = replica_id
        has_ids = version >= 13
        given["topics"] = [
            FetchRequest.FetchTopic(
                topic="" if has_ids else name,
                topic_id=self.topic_id(name) if has_ids else bytes(16),
                partitions=partitions,
            )
            for name, partitions in topics
        ]
        return FetchRequest(**given)

    def fetch(
        self,
        name: str,
        partition: FetchRequest.FetchPartition | None = None,
        *,
        version: int = 18,
        **fields: Any,
    ) -> Any:
        """What the response says of one partition; from its beginning, unless said otherwise."""
        request = self.fetch_request((name, [partition or wanted()]), version=version, **fields)
        return only_partition(self.ask(request, version).responses)

    def replicate(self, name: str, offset: int, follower: int = OTHER) -> None:
        """A follower says by its fetch that it has everything before an offset."""
        epoch = self.harness.image.brokers[follower].epoch
        found = self.fetch(name, wanted(0, offset), replica_id=follower, replica_epoch=epoch)
        assert found.error_code == 0

    def offset(
        self,
        name: str,
        timestamp: int,
        index: int = 0,
        *,
        version: int = 11,
        leader_epoch: int = -1,
        **fields: Any,
    ) -> Any:
        """What a ListOffsets response says of a partition."""
        partition = ListOffsetsRequest.ListOffsetsPartition(
            partition_index=index, timestamp=timestamp, current_leader_epoch=leader_epoch
        )
        topic = ListOffsetsRequest.ListOffsetsTopic(name=name, partitions=[partition])
        return only_partition(
            self.ask(ListOffsetsRequest(**{"replica_id": -1, "topics": [topic], **fields}), version).topics
        )


def only_partition(topics: Sequence[Any]) -> Any:
    """The only partition of the only topic of a response."""
    (topic,) = topics
    (partition,) = getattr(topic, "partition_responses", None) or topic.partitions
    return partition


def batches(records: Any) -> list[tuple[int, int, list[bytes | None]]]:
    """Base offset, leader epoch and values of each whole batch that a response has."""
    found = []
    for view in iterate_batches(bytes(records)):
        view.check()
        values = [None if each.value is None else bytes(each.value) for each in view.records()]
        found.append((view.base_offset, view.partition_leader_epoch, values))
    return found
