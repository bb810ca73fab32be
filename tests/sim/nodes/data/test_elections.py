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
)
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.metadata import encode_metadata_record
from tests.sim.disk import MemoryDisk
from tests.sim.nodes.data.elections import Election, elections
from tests.sim.nodes.disks import LOG_DIRECTORY

TOPIC_ID = b"t" * 16
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
    file = disk.open(f"{LOG_DIRECTORY}/{0:020}.log", create=True)
    for offset, batch in enumerate(records or [[each] for each in RECORDS]):
        values = [
            encode_metadata_record(
                each, 2 if isinstance(each, PartitionRecord | PartitionChangeRecord) else each.MAX_VERSION
            )
            for each in batch
        ]
        made = [NewRecord(None, value) for value in values]
        file.append([build_batch(made, base_offset=offset, timestamp_ms=0)])
    published = SimpleNamespace(image=SimpleNamespace(topic_ids={"t": TOPIC_ID}), high_watermark=committed)
    return SimpleNamespace(disk=disk, quorum=SimpleNamespace(published=published))


def found(*hosts: Any, topic: str = "t", after_epoch: int = 4) -> list[Election]:
    return elections(cast(Any, hosts), (topic, 0), after_epoch)


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
