"""Who could have been elected: the ISR and the eligible leader replicas before an election, by the metadata log."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeGuard

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import LOG_SUFFIX, parse_segment_file_name, segment_file_name
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerRegistrationChangeRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
)
from kafkaproto.records.batch import iterate_batches
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.node.quorum.snapshotting import read_image
from kafkaproto_server.storage.errors import StorageError
from kafkaproto_server.storage.metadata.snapshot_file import BOOTSTRAP_SNAPSHOT_ID, SnapshotStore
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.disks import LOG_DIRECTORY
from tests.sim.nodes.host import Host

_NO_CHANGE = -2
"""As the leader of a PartitionChangeRecord: the record is about something else."""


_FENCE = 1
"""In a BrokerRegistrationChangeRecord."""


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


class Election(NamedTuple):
    """A broker becomes leader of a partition."""

    leader: int
    """-1 if nobody does."""
    leader_epoch: int
    incarnation_id: bytes
    """Of the process that was registered at that time; empty if nobody is leader, or the log does not tell."""
    others: frozenset[int]
    """Who else was in the ISR, or eligible, but for brokers that the same batch of records fences, or that register
    with it, after a stop that was not in order: they may have lost more."""


def elections(hosts: Sequence[Host], place: Place, after_epoch: int) -> list[Election]:
    """The elections in leader epochs after one, in order, by the log that tells most of them."""
    found: list[Election] = []
    for host in hosts:
        quorum = host.quorum
        topic_id = None if quorum is None else quorum.published.image.topic_ids.get(place[0])
        if topic_id is not None:
            # A log or snapshot may be damaged: then another host tells.
            with contextlib.suppress(RemoteProtocolError, StorageError), host.disk.looked_at():
                found = max(found, list(_elections(host, topic_id, place[1], after_epoch)), key=len)
    return found


def _takes_out(record: Message) -> TypeGuard[RegisterBrokerRecord | BrokerRegistrationChangeRecord]:
    """Whether a broker cannot be elected with this record in the batch."""
    if isinstance(record, BrokerRegistrationChangeRecord):
        return record.fenced == _FENCE
    return isinstance(record, RegisterBrokerRecord)


def _elections(host: Host, topic_id: bytes, index: int, after_epoch: int) -> Iterator[Election]:
    state = _State()
    registered: dict[int, bytes] = {}
    begin = _from_snapshot(host, topic_id, index, after_epoch + 1, state, registered)
    for records in _batches(host, begin):
        out = {each.broker_id for each in records if _takes_out(each)}
        for record in records:
            if not isinstance(record, PartitionRecord | PartitionChangeRecord):
                continue
            if (record.topic_id, record.partition_id) != (topic_id, index):
                continue
            before = (*state.isr, *state.elr)
            state.take(record)
            is_election = isinstance(record, PartitionRecord) or record.leader != _NO_CHANGE
            if is_election and state.leader_epoch is not None and state.leader_epoch > after_epoch:
                others = frozenset(before) - out - {record.leader}
                incarnation_id = registered.get(record.leader, b"")
                yield Election(record.leader, state.leader_epoch, incarnation_id, others)
        # A process is registered behind what ends the one before it.
        registered.update(
            (each.broker_id, bytes(each.incarnation_id))
            for each in records
            if isinstance(each, RegisterBrokerRecord)
        )


def _from_snapshot(
    host: Host, topic_id: bytes, index: int, leader_epoch: int, state: _State, registered: dict[int, bytes]
) -> int:
    """Take the state and the epochs of brokers from the newest snapshot before the election. Returns the offset at
    which it ends."""
    store = SnapshotStore(host.disk, LOG_DIRECTORY)
    for snapshot_id in sorted(store.ids(), key=lambda each: each.end_offset, reverse=True):
        if snapshot_id == BOOTSTRAP_SNAPSHOT_ID:
            continue
        image = read_image(store, snapshot_id)
        topic = image.topics.get(topic_id)
        partition = None if topic is None else topic.partitions.get(index)
        if partition is not None and partition.leader_epoch < leader_epoch:
            state.leader_epoch, state.isr, state.elr = partition.leader_epoch, partition.isr, partition.elr
            registered.update((each, broker.incarnation_id) for each, broker in image.brokers.items())
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
