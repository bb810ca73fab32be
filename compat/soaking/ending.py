"""What has to be there when the loads have ended: in logs, offsets of groups, and the files of all replicas."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from confluent_kafka import Consumer, KafkaException, TopicPartition

from compat.node import Node
from compat.process import WaitedTooLongError, wait_until
from compat.soaking.load import Ground
from compat.soaking.records import KEPT, LATEST, PARTITIONS
from compat.soaking.tally import SoakLossError, read_number
from compat.soaking.transactions import PassingTransactions
from compat.topic_logs import replica_folders
from kafkaproto.records.batch import iterate_batches

WAIT_S = 120.0


class End:
    """Asks a cluster whose loads have ended, by a consumer of its own."""

    def __init__(self, ground: Ground) -> None:
        """Connects."""
        self._ground = ground
        self._consumer = Consumer({**ground.reading, "group.id": "end", "isolation.level": "read_committed"})

    def close(self) -> None:
        """No more questions."""
        self._consumer.close()

    def read(self, topic: str) -> dict[int, list[tuple[bytes | None, bytes]]]:
        """Keys and values of all that there is of a topic, by partition.

        Raises WaitedTooLongError and KafkaException.
        """
        ends = self._ends(topic)
        self._consumer.assign([TopicPartition(topic, each, start) for each, (start, _) in ends.items()])
        found: dict[int, list[tuple[bytes | None, bytes]]] = {each: [] for each in ends}
        deadline = time.monotonic() + WAIT_S
        while True:
            for message in self._consumer.consume(2_000, 0.5):
                if (error := message.error()) is not None:
                    raise KafkaException(error)
                partition, key, value = message.partition(), message.key(), message.value()
                assert partition is not None
                assert isinstance(value, bytes)
                found[partition].append((key if isinstance(key, bytes) else None, value))
            places = self._consumer.position([TopicPartition(topic, each) for each in ends])
            if all(
                ends[each.partition][0] == ends[each.partition][1] or each.offset >= ends[each.partition][1]
                for each in places
            ):
                return found
            if time.monotonic() > deadline:
                raise WaitedTooLongError(f"waited {WAIT_S} s for the end of {topic}: {places} of {ends}")

    def _ends(self, topic: str) -> dict[int, tuple[int, int]]:
        found = {}
        for each in range(PARTITIONS):
            marks = self._consumer.get_watermark_offsets(TopicPartition(topic, each), timeout=WAIT_S)
            assert marks is not None
            found[each] = marks
        return found

    def check_kept(self, ends: Sequence[int]) -> None:
        """What retention has left of `KEPT` is complete up to what was acknowledged last. Raises SoakLossError."""
        for partition, records in self.read(KEPT).items():
            numbers = [read_number(partition, value) for _, value in records]
            if numbers != list(range(ends[partition] - len(numbers), ends[partition])):
                raise SoakLossError(
                    f"{KEPT}-{partition}: {len(numbers)} records from {numbers[:1]} to {numbers[-1:]} are there,"
                    f" and {ends[partition]} were acknowledged"
                )

    def check_latest(self, expected: Mapping[bytes, bytes]) -> None:
        """The last value of each key is that which was acknowledged last. Raises SoakLossError."""
        found = {key: value for records in self.read(LATEST).values() for key, value in records}
        for key, value in expected.items():
            if found.get(key) != value:
                raise SoakLossError(
                    f"{LATEST}: key {key!r} has {found.get(key)!r}, {value!r} was acknowledged"
                )

    def check_offsets(self, group_id: str) -> None:
        """A group whose members have left has committed all of `KEPT`. Raises SoakLossError."""
        ends = {each: end for each, (_, end) in self._ends(KEPT).items()}
        asked = [TopicPartition(KEPT, each) for each in range(PARTITIONS)]
        member = Consumer({**self._ground.settings, "group.id": group_id})
        try:
            found = {each.partition: each.offset for each in member.committed(asked, WAIT_S)}
        finally:
            member.close()
        if found != ends:
            raise SoakLossError(f"group {group_id} has committed {found}, the log ends at {ends}")


def check_transactions(passing: PassingTransactions) -> None:
    """All transactions that were committed are read. Raises SoakLossError."""
    try:
        wait_until(lambda: passing.unread() == 0, WAIT_S, "committed transactions to be read")
    except WaitedTooLongError as error:
        raise SoakLossError(f"{passing.unread()} committed transactions are missing") from error
    finally:
        passing.close_reader()


def check_replicas(nodes: Sequence[Node], topics: Sequence[str]) -> int:
    """How many batches all replicas have alike; the nodes must not run.

    Retention may have gone further on one of them. Raises SoakLossError if they end at different offsets, or if one has
    other bytes at an offset.
    """
    count = 0
    for topic in topics:
        logs = [_logs(node, topic) for node in nodes]
        for name, first in logs[0].items():
            for node, other in zip(nodes[1:], (each[name] for each in logs[1:]), strict=True):
                both = first.keys() & other.keys()
                if max(first, default=-1) != max(other, default=-1) and both:
                    raise SoakLossError(f"{name}: nodes {nodes[0].node_id} and {node.node_id} end apart")
                if wrong := [offset for offset in sorted(both) if first[offset] != other[offset]]:
                    raise SoakLossError(f"{name}: node {node.node_id} has another batch at {wrong[0]}")
                count += len(both)
    return count


def _logs(node: Node, topic: str) -> dict[str, dict[int, int]]:
    """The checksum of each batch by its base offset, by partition."""
    return {
        folder.name: {
            view.header().base_offset: view.header().crc
            for segment in sorted(folder.glob("*.log"))
            for view in iterate_batches(segment.read_bytes())
        }
        for folder in replica_folders(node, topic)
    }
