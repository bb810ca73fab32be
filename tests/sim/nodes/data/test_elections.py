"""Who could have been elected, by a metadata log."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerRegistrationChangeRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    TopicRecord,
)
from kafkaproto.records.batch import MAGIC_OFFSET, NewRecord, build_batch, iterate_batches
from kafkaproto.records.metadata import decode_metadata_record, encode_metadata_record
from kafkaproto.snapshot import SnapshotId, build_snapshot
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.snapshots.snapshotting import read_image
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore
from tests.sim.disk import MemoryDisk
from tests.sim.nodes.data import metadata_logs
from tests.sim.nodes.data.elections import Election, Elections
from tests.sim.nodes.disks import LOG_DIRECTORY

TOPIC_ID = b"t" * 16
LOG = f"{LOG_DIRECTORY}/{0:020}.log"
RECORDS = (
    PartitionRecord(
        topic_id=TOPIC_ID, partition_id=0, replicas=[1, 2, 3], isr=[1, 2, 3], leader=1, leader_epoch=4
    ),
    # Another partition.
    PartitionChangeRecord(topic_id=TOPIC_ID, partition_id=1, isr=[9], leader=9),
    PartitionChangeRecord(topic_id=TOPIC_ID, partition_id=0, isr=[1], eligible_leader_replicas=[2]),
    # Epoch 5: nobody leads.
    PartitionChangeRecord(
        topic_id=TOPIC_ID, partition_id=0, isr=[], leader=-1, eligible_leader_replicas=[2, 1]
    ),
    PartitionChangeRecord(topic_id=TOPIC_ID, partition_id=0, isr=[1], leader=1, eligible_leader_replicas=[2]),
    PartitionChangeRecord(topic_id=TOPIC_ID, partition_id=0, eligible_leader_replicas=[]),
    # Epoch 7: elected again, as the last one.
    PartitionChangeRecord(topic_id=TOPIC_ID, partition_id=0, leader=1),
)


def host(committed: int = len(RECORDS), records: Sequence[Sequence[Message]] = ()) -> Any:
    """A node with these batches of records."""
    disk = MemoryDisk()
    disk.make_directory(LOG_DIRECTORY)
    published = SimpleNamespace(image=SimpleNamespace(topic_ids={"t": TOPIC_ID}), high_watermark=committed)
    made = SimpleNamespace(disk=disk, quorum=SimpleNamespace(published=published))
    for offset, batch in enumerate(records or [[each] for each in RECORDS]):
        append(made, batch, offset)
    return made


def append(host: Any, batch: Sequence[Message], offset: int) -> None:
    """Add a batch of records to a node's log."""
    values = [
        encode_metadata_record(
            each, 2 if isinstance(each, PartitionRecord | PartitionChangeRecord) else each.MAX_VERSION
        )
        for each in batch
    ]
    made = [NewRecord(None, value) for value in values]
    file = host.disk.open(LOG, create=True)
    file.append([build_batch(made, base_offset=offset, timestamp_ms=0)])
    file.close()


def found(*hosts: Any, topic: str = "t", after_epoch: int = 4) -> list[Election]:
    return Elections(cast(Any, hosts)).after((topic, 0), after_epoch)


NOBODY = Election(-1, 5, b"", frozenset({1, 2}))
FIRST = Election(1, 6, b"", frozenset({2}))
SECOND = Election(1, 7, b"", frozenset())


def test_the_others_are_those_in_the_isr_and_the_eligible_ones_before_the_election() -> None:
    assert found(host()) == [NOBODY, FIRST, SECOND]
    assert found(host(), after_epoch=6) == [SECOND]
    assert found(host(), after_epoch=7) == []


def test_what_is_not_committed_and_nodes_that_do_not_run_tell_nothing() -> None:
    silent = SimpleNamespace(quorum=None)
    assert found(silent, host(4)) == [NOBODY]
    assert found(host(4), host()) == [NOBODY, FIRST, SECOND]
    assert found(host(), topic="u") == []


@pytest.mark.parametrize("is_together", [True, False])
@pytest.mark.parametrize(
    "registration",
    [
        # After a stop that was not in order, a broker leaves the eligible ones, and the last known leader is elected.
        RegisterBrokerRecord(broker_id=2, fenced=True),
        BrokerRegistrationChangeRecord(broker_id=2, fenced=1),
    ],
)
def test_who_registers_or_is_fenced_with_the_election_cannot_be_elected(
    registration: Message, is_together: bool
) -> None:
    change = PartitionChangeRecord(
        topic_id=TOPIC_ID, partition_id=0, isr=[1], leader=1, eligible_leader_replicas=[]
    )
    after = [[change, registration]] if is_together else [[change], [registration]]
    batches = [*([each] for each in RECORDS[:4]), *after]
    *_, last = found(host(100, batches))
    assert last == Election(1, 6, b"", frozenset() if is_together else frozenset({2}))


def test_an_election_has_the_process_of_the_broker_at_that_time() -> None:
    def register(incarnation_id: bytes) -> list[Message]:
        return [RegisterBrokerRecord(broker_id=1, incarnation_id=incarnation_id, fenced=True)]

    records: list[list[Message]] = [[each] for each in RECORDS]
    first, second = b"1" * 16, b"2" * 16
    batches = [register(first), *records[:5], register(second), *records[5:]]
    assert [each.incarnation_id for each in found(host(100, batches))] == [b"", first, second]


# -- what is remembered --------------------------------------------------------------------------------------------


class Remembered:
    """A node's log that is looked at again and again."""

    def __init__(self, **given: Any) -> None:
        self.host = host(**given)
        self._elections = Elections([self.host])

    @property
    def disk(self) -> MemoryDisk:
        disk: MemoryDisk = self.host.disk
        return disk

    @property
    def told(self) -> list[Election]:
        return self._elections.after(("t", 0), 4)


def rng(kept: int) -> Any:
    """Draws that have a disk keep so many of its changes."""
    return SimpleNamespace(below=lambda limit: min(kept, limit - 1))


def test_a_batch_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def decode(value: bytes) -> tuple[Message, int]:
        read.append(value)
        return decode_metadata_record(value)

    monkeypatch.setattr(metadata_logs, "decode_metadata_record", decode)
    log = Remembered(committed=100)
    assert log.told == [NOBODY, FIRST, SECOND]
    append(log.host, RECORDS[3:4], len(RECORDS))
    assert log.told == [NOBODY, FIRST, SECOND, Election(-1, 8, b"", frozenset({1}))]
    assert len(read) == len(RECORDS) + 1


def test_what_is_committed_later_is_told_later() -> None:
    log = Remembered(committed=4)
    assert log.told == [NOBODY]
    log.host.quorum.published.high_watermark = len(RECORDS)
    assert log.told == [NOBODY, FIRST, SECOND]


def test_what_is_cut_off_is_told_no_more() -> None:
    log = Remembered()
    assert log.told == [NOBODY, FIRST, SECOND]
    file = log.disk.open(LOG)
    sizes = [batch.position for batch in iterate_batches(log.disk.read_file(LOG))]
    file.truncate(sizes[6])
    assert log.told == [NOBODY, FIRST]
    file.truncate(sizes[4])
    append(log.host, RECORDS[4:5], 4)
    append(log.host, RECORDS[5:6], 5)
    append(log.host, RECORDS[4:5], 6)
    assert log.told == [NOBODY, FIRST, Election(1, 7, b"", frozenset())]


def test_a_file_in_the_place_of_another_one_is_read_anew() -> None:
    log = Remembered()
    assert log.told == [NOBODY, FIRST, SECOND]
    log.disk.remove(LOG)
    assert log.told == []
    for offset, record in enumerate((*RECORDS[:4], RECORDS[5], RECORDS[5], RECORDS[6])):
        append(log.host, [record], offset)
    assert log.told == [NOBODY, Election(1, 6, b"", frozenset())]


def test_what_is_lost_with_the_power_is_told_no_more() -> None:
    log = Remembered(records=[[each] for each in RECORDS[:4]], committed=100)
    log.disk.sync_file_system("/")
    for offset in (4, 5, 6):
        append(log.host, RECORDS[offset : offset + 1], offset)
    assert log.told == [NOBODY, FIRST, SECOND]
    log.disk.crash(rng(kept=1))
    assert log.told == [NOBODY, FIRST]


def test_a_damaged_log_tells_nothing_until_it_is_mended() -> None:
    log = Remembered()
    log.disk.sync_file_system("/")
    assert log.told == [NOBODY, FIRST, SECOND]
    # The number of the first batch's format.
    mend = log.disk.rot((LOG,), SimpleNamespace(below=lambda limit: min(MAGIC_OFFSET, limit - 1)))
    assert mend is not None
    assert log.told == []
    mend()
    assert log.told == [NOBODY, FIRST, SECOND]


def test_damage_behind_what_is_committed_does_not_matter() -> None:
    log = Remembered(committed=5)
    value = encode_metadata_record(RECORDS[6], 2)
    bad = build_batch([NewRecord(None, value[:-1])], base_offset=len(RECORDS), timestamp_ms=0)
    file = log.disk.open(LOG)
    file.append([bad])
    assert log.told == [NOBODY, FIRST]
    log.host.quorum.published.high_watermark = len(RECORDS)
    assert log.told == [NOBODY, FIRST, SECOND]
    log.host.quorum.published.high_watermark = len(RECORDS) + 1
    assert log.told == []


def snapshot(log: Remembered, end_offset: int, leader_epoch: int) -> str:
    """Write a snapshot with the partition and a broker."""
    records: list[Message] = [
        RegisterBrokerRecord(broker_id=1, incarnation_id=bytes([leader_epoch] * 16)),
        TopicRecord(name="t", topic_id=TOPIC_ID),
        PartitionRecord(
            topic_id=TOPIC_ID,
            partition_id=0,
            replicas=[1, 3],
            isr=[1, 3],
            leader=1,
            leader_epoch=leader_epoch,
        ),
    ]
    values = [encode_metadata_record(each, each.MIN_VERSION) for each in records]
    snapshot_id = SnapshotId(epoch=1, end_offset=end_offset)
    pieces = build_snapshot(
        iter(values),
        epoch=1,
        timestamp_ms=0,
        last_contained_log_timestamp=0,
        kraft_version=1,
        voters=None,
        max_batch_bytes=1000,
    )
    store = SnapshotStore(log.disk, LOG_DIRECTORY)
    writer = store.create(snapshot_id, lambda: bytes(16))
    writer.append(*pieces)
    writer.freeze()
    return store.path(snapshot_id)


def test_a_snapshot_is_read_until_it_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def image(store: SnapshotStore, snapshot_id: SnapshotId) -> ClusterImage:
        read.append(snapshot_id)
        return read_image(store, snapshot_id)

    monkeypatch.setattr(metadata_logs, "read_image", image)
    log = Remembered()
    path = snapshot(log, 6, 4)
    last = Election(1, 5, bytes([4] * 16), frozenset({3}))
    assert log.told == log.told == [last]
    assert len(read) == 1
    log.disk.remove(path)
    assert log.told == [NOBODY, FIRST, SECOND]
    snapshot(log, 6, 3)
    # The change to epoch 4 is told by nobody.
    assert log.told == []


def test_elections_between_a_snapshot_and_a_log_that_begins_behind_it_are_not_passed_over() -> None:
    log = Remembered(committed=100)
    log.disk.remove(LOG)
    for offset in (4, 5, 6):
        append(log.host, RECORDS[offset : offset + 1], offset)
    log.disk.rename(LOG, f"{LOG_DIRECTORY}/{4:020}.log")
    snapshot(log, 3, 4)
    # One may have been at offset 3.
    assert log.told == []
    snapshot(log, 4, 4)
    assert [(each.leader_epoch, each.others) for each in log.told] == [
        (5, frozenset({3})),
        (6, frozenset()),
    ]
