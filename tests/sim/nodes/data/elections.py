"""Who could have been elected: the ISR and the eligible leader replicas before an election, by the metadata log."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.messages import PartitionChangeRecord, PartitionRecord
from kafkaproto_server.shell.storage.errors import StorageError
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.data.metadata_logs import MetadataLog, PartitionId
from tests.sim.nodes.host import Host
from tests.sim.nodes.threads import Spent

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


class Elections:
    """Those that the metadata logs of all hosts tell of."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self._logs = [(host, MetadataLog(host)) for host in hosts]

    def after(self, place: Place, leader_epoch: int) -> list[Election]:
        """The elections in leader epochs after one, in order, by the log that tells most of them."""
        found: list[Election] = []
        for host, log in self._logs:
            quorum = host.quorum
            topic_id = None if quorum is None else quorum.published.image.topic_ids.get(place[0])
            if topic_id is not None:
                # A log or snapshot may be damaged: then another host tells. No node does this, in whose turn it may be.
                with contextlib.suppress(RemoteProtocolError, StorageError), Spent.beside():
                    told = list(_elections(log, (topic_id, place[1]), leader_epoch))
                    found = max(found, told, key=len)
        return found


def _elections(log: MetadataLog, partition_id: PartitionId, after_epoch: int) -> Iterator[Election]:
    begin, state, registered = _from_snapshot(log, partition_id, after_epoch + 1)
    for batch in log.changes(partition_id, begin):
        for record in batch.changes[partition_id]:
            before = (*state.isr, *state.elr)
            state.take(record)
            is_election = isinstance(record, PartitionRecord) or record.leader != _NO_CHANGE
            if is_election and state.leader_epoch is not None and state.leader_epoch > after_epoch:
                others = frozenset(before) - batch.out - {record.leader}
                # A process is registered behind what ends the one before it.
                incarnation_id = log.registered(record.leader, begin, batch.base_offset)
                if incarnation_id is None:
                    incarnation_id = registered.get(record.leader, b"")
                yield Election(record.leader, state.leader_epoch, incarnation_id, others)


def _from_snapshot(
    log: MetadataLog, partition_id: PartitionId, leader_epoch: int
) -> tuple[int, _State, Mapping[int, bytes]]:
    """The offset at which the newest snapshot before the election ends, and what it has of the partition and of the
    brokers' incarnations."""
    state = _State()
    topic_id, index = partition_id
    for end_offset, image in log.images():
        if not log.begins_by(end_offset):
            # Behind an older snapshot there may be elections of which nothing is left.
            break
        topic = image.topics.get(topic_id)
        partition = None if topic is None else topic.partitions.get(index)
        if partition is not None and partition.leader_epoch < leader_epoch:
            state.leader_epoch, state.isr, state.elr = partition.leader_epoch, partition.isr, partition.elr
            registered = {each: broker.incarnation_id for each, broker in image.brokers.items()}
            return end_offset, state, registered
    return 0, state, {}
