"""Who could have been elected: the ISR and the eligible leader replicas before an election, by the metadata log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name, segment_file_name
from kafkaproto.message import Message
from kafkaproto.messages import PartitionChangeRecord, PartitionRecord, RegisterBrokerRecord
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.node.quorum.snapshotting import read_image
from kafkaproto_server.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.disks import LOG_DIRECTORY
from tests.sim.nodes.host import Host

_NO_CHANGE = -2
"""As the leader of a PartitionChangeRecord: the record is about something else."""


class _State:
    """What is known of a partition while its records are read."""

    def __init__(self) -> None:
        self.leader_epoch: int | None = None
        self.isr: Sequence[int] = ()
        self.elr: Sequence[int] = ()

    def take(self, record: PartitionRecord | PartitionChangeRecord) -> None:
        """A record of the partition."""
        elr = record.eligible_leader_replicas
        if isinstance(record, PartitionRecord):
            self.leader_epoch, self.isr, self.elr = record.leader_epoch, record.isr, elr or ()
            return
        if record.leader != _NO_CHANGE and self.leader_epoch is not None:
            self.leader_epoch += 1
        self.isr = self.isr if record.isr is None else record.isr
        self.elr = self.elr if elr is None else elr


def better_ones(
    hosts: Sequence[Host], place: Place, broker_id: int, leader_epoch: int
) -> frozenset[int] | None:
    """The others that were in the ISR, or eligible, when a broker was elected; None if no log tells.

    Not one that registers with the same batch of records, after a stop that was not in order: it may have lost more.
    """
    for host in hosts:
        quorum = host.quorum
        if quorum is None:
            continue
        image = quorum.published.image
        topic_id = image.topic_ids.get(place[0])
        if topic_id is not None:
            found = _before(host, topic_id, place[1], broker_id, leader_epoch)
            if found is not None:
                return frozenset(found) - {broker_id}
    return None


def _before(
    host: Host, topic_id: bytes, index: int, broker_id: int, leader_epoch: int
) -> tuple[int, ...] | None:
    state = _State()
    begin = _from_snapshot(host, topic_id, index, leader_epoch, state)
    for records in _batches(host, begin):
        for record in records:
            if not isinstance(record, PartitionRecord | PartitionChangeRecord):
                continue
            if (record.topic_id, record.partition_id) != (topic_id, index):
                continue
            before = (*state.isr, *state.elr)
            state.take(record)
            is_election = isinstance(record, PartitionRecord) or record.leader != _NO_CHANGE
            if is_election and (record.leader, state.leader_epoch) == (broker_id, leader_epoch):
                beginning = {each.broker_id for each in records if isinstance(each, RegisterBrokerRecord)}
                return tuple(each for each in before if each not in beginning)
    return None


def _from_snapshot(host: Host, topic_id: bytes, index: int, leader_epoch: int, state: _State) -> int:
    """Take the state from the newest snapshot before the election. Returns the offset at which it ends."""
    store = SnapshotStore(host.disk, LOG_DIRECTORY)
    for snapshot_id in sorted(store.ids(), key=lambda each: each.end_offset, reverse=True):
        if snapshot_id == BOOTSTRAP_SNAPSHOT_ID:
            continue
        topic = read_image(store, snapshot_id).topics.get(topic_id)
        partition = None if topic is None else topic.partitions.get(index)
        if partition is not None and partition.leader_epoch < leader_epoch:
            state.leader_epoch, state.isr, state.elr = partition.leader_epoch, partition.isr, partition.elr
            return snapshot_id.end_offset
    return 0


def _batches(host: Host, begin: int) -> Iterator[list[Message]]:
    """The committed records of a node's metadata log from an offset on, by batch."""
    assert host.quorum is not None, "the node runs"
    committed = host.quorum.published.high_watermark
    names = host.disk.list_directory(LOG_DIRECTORY)
    bases = [base for name in names if (base := parse_segment_file_name(name, LOG_SUFFIX)) is not None]
    for base in sorted(bases):
        data = host.disk.read_file(f"{LOG_DIRECTORY}/{segment_file_name(base)}")
        for batch in iterate_batches(data):
            if batch.next_offset > committed:
                return
            if not batch.is_control and batch.base_offset >= begin:
                yield [decode_metadata_record(record.value or b"")[0] for record in batch.records()]
