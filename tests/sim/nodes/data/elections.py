"""Who could have been elected: the ISR and the eligible leader replicas before an election, by the metadata log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name, segment_file_name
from kafkaproto.message import Message
from kafkaproto.messages import PartitionChangeRecord, PartitionRecord
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


def better_ones(
    hosts: Sequence[Host], place: Place, broker_id: int, leader_epoch: int
) -> frozenset[int] | None:
    """The others that were in the ISR, or eligible, when a broker was elected; None if no log tells."""
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
    for record in _records(host, begin):
        if isinstance(record, PartitionRecord):
            if (record.topic_id, record.partition_id) == (topic_id, index):
                state.leader_epoch, state.isr = record.leader_epoch, record.isr
                state.elr = record.eligible_leader_replicas or ()
        elif isinstance(record, PartitionChangeRecord) and (record.topic_id, record.partition_id) == (
            topic_id,
            index,
        ):
            before = (*state.isr, *state.elr)
            if record.leader != _NO_CHANGE and state.leader_epoch is not None:
                state.leader_epoch += 1
                if (record.leader, state.leader_epoch) == (broker_id, leader_epoch):
                    return before
            state.isr = state.isr if record.isr is None else record.isr
            elr = record.eligible_leader_replicas
            state.elr = state.elr if elr is None else elr
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


def _records(host: Host, begin: int) -> Iterator[Message]:
    """The committed records of a node's metadata log from an offset on."""
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
                for record in batch.records():
                    yield decode_metadata_record(record.value or b"")[0]
