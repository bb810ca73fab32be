"""What a node tells its clients of a partition: every byte of its log, transactions, producers, and offsets by time.

If a log changes hands, the next node has to tell the same. All is asked over a raw connection; only what a consumer
with read_committed gets comes from librdkafka, which leaves out the aborted records by itself.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

from compat.node import Node
from compat.process import wait_until
from compat.quorum import connect
from kafkaproto.client import Client
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.messages import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    FetchRequest,
    FetchResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
)
from kafkaproto.records.batch import iterate_batches

Place = tuple[str, int]
"""Topic and partition."""
Checksums = dict[int, int]
"""CRC-32 of a record's value, by the record's offset."""

TIMEOUT_MS = 30_000
CONSUME_S = 60.0
LAST_WITH_NAMES = 12
"""The version of Fetch; later ones name topics by their ids."""
LATEST, EARLIEST, MAX_TIMESTAMP = -1, -2, -3
READ_UNCOMMITTED, READ_COMMITTED = 0, 1
MAX_FETCHES = 1_000


class StateError(Exception):
    """A node answers with an error, or tells something else than was told before; the text says what."""


class NotLeaderError(StateError):
    """A node does not lead the partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionState:
    """All that a node tells of a partition."""

    log: bytes
    """The batches from the log start to the high watermark."""
    log_start_offset: int
    high_watermark: int
    last_stable_offset: int
    aborted: frozenset[tuple[int, int]]
    """Producer id and first offset of each transaction that a consumer with read_committed is told to leave out."""
    producers: frozenset[tuple[int, ...]]
    """Those that DescribeProducers knows: id, epoch, last sequence and timestamp, coordinator epoch, first offset of
    the open transaction."""
    epochs: Mapping[int, tuple[int, int]]
    """What OffsetForLeaderEpoch says of each leader epoch that batches have."""
    offsets: Mapping[tuple[int, int], tuple[int, ...]]
    """Offset and timestamp, and leader epoch if it is that of a record, by timestamp and isolation level asked for."""

    def differences(self, other: PartitionState) -> list[str]:
        """A line for each field that is not the same in both."""
        return [
            f"{each.name}: {_shown(getattr(self, each.name))}, then {_shown(getattr(other, each.name))}"
            for each in fields(self)
            if getattr(self, each.name) != getattr(other, each.name)
        ]


def _shown(value: object) -> str:
    return f"{len(value):,} bytes, CRC-32 {zlib.crc32(value):08x}" if isinstance(value, bytes) else str(value)


def wait_until_led(node: Node, places: Collection[Place]) -> None:
    """Until a node that has just started leads these partitions, which its metadata show a moment before.

    Raises StateError and WaitedTooLongError.
    """

    def is_led(place: Place) -> bool:
        try:
            offset_at(node, place, EARLIEST)
        except NotLeaderError:
            return False
        return True

    for place in places:
        wait_until(partial(is_led, place), TIMEOUT_MS / 1000, f"{node.kind} to lead {place}")


def partition_state(node: Node, place: Place, times_ms: Sequence[int]) -> PartitionState:
    """All that a node tells of a partition, with the offsets at these times.

    Raises StateError, and OSError if the node does not answer.
    """
    with connect(node.bootstrap_server, timeout_ms=TIMEOUT_MS) as client:
        uncommitted = list(_fetches(client, place, READ_UNCOMMITTED))
        committed = list(_fetches(client, place, READ_COMMITTED))
        last = uncommitted[-1]
        levels = (READ_UNCOMMITTED, READ_COMMITTED)
        asked = [(each, level) for each in (LATEST, EARLIEST, MAX_TIMESTAMP, *times_ms) for level in levels]
        log = b"".join(map(_batches, uncommitted))
        return PartitionState(
            log=log,
            log_start_offset=last.log_start_offset,
            high_watermark=last.high_watermark,
            last_stable_offset=last.last_stable_offset,
            aborted=frozenset(
                (one.producer_id, one.first_offset)
                for each in committed
                for one in each.aborted_transactions or ()
            ),
            producers=_producers(client, place),
            epochs={
                epoch: _epoch_end(client, place, epoch)
                for epoch in {batch.partition_leader_epoch for batch in iterate_batches(log)}
            },
            offsets={(each, level): _offset_at(client, place, each, level) for each, level in asked},
        )


def _fetches(client: Client, place: Place, level: int) -> Iterator[FetchResponse.PartitionData]:
    """The responses from the log start on, of which only the last one has no records."""
    offset = _offset_at(client, place, EARLIEST, level)[0]
    for _ in range(MAX_FETCHES):
        partition = FetchRequest.FetchPartition(
            partition=place[1], fetch_offset=offset, partition_max_bytes=1 << 20
        )
        request = FetchRequest(
            replica_id=-1,
            max_wait_ms=0,
            min_bytes=0,
            isolation_level=level,
            max_bytes=1 << 24,
            topics=[FetchRequest.FetchTopic(topic=place[0], partitions=[partition])],
        )
        response = client.send(request, LAST_WITH_NAMES)
        assert isinstance(response, FetchResponse)
        found = response.responses[0].partitions[0]
        _check_code(place, "Fetch", response.error_code or found.error_code)
        yield found
        ends = [each.next_offset for each in iterate_batches(_batches(found))]
        if not ends:
            return
        offset = ends[-1]
    raise StateError(f"{place}: more than {MAX_FETCHES} responses to Fetch")


def _batches(found: FetchResponse.PartitionData) -> bytes:
    records = found.records or b""
    assert not isinstance(records, list), "only a response to be sent is in parts"
    return bytes(records)


def _producers(client: Client, place: Place) -> frozenset[tuple[int, ...]]:
    topic = DescribeProducersRequest.TopicRequest(name=place[0], partition_indexes=[place[1]])
    response = client.send(DescribeProducersRequest(topics=[topic]))
    assert isinstance(response, DescribeProducersResponse)
    found = response.topics[0].partitions[0]
    _check_code(place, "DescribeProducers", found.error_code)
    return frozenset(
        (
            each.producer_id,
            each.producer_epoch,
            each.last_sequence,
            each.last_timestamp,
            each.coordinator_epoch,
            each.current_txn_start_offset,
        )
        for each in found.active_producers
    )


def _epoch_end(client: Client, place: Place, epoch: int) -> tuple[int, int]:
    partition = OffsetForLeaderEpochRequest.OffsetForLeaderPartition(
        partition=place[1], current_leader_epoch=-1, leader_epoch=epoch
    )
    topic = OffsetForLeaderEpochRequest.OffsetForLeaderTopic(topic=place[0], partitions=[partition])
    response = client.send(OffsetForLeaderEpochRequest(replica_id=-1, topics=[topic]))
    assert isinstance(response, OffsetForLeaderEpochResponse)
    found = response.topics[0].partitions[0]
    _check_code(place, "OffsetForLeaderEpoch", found.error_code)
    return found.leader_epoch, found.end_offset


def offset_at(node: Node, place: Place, time_ms: int) -> int:
    """The offset of the first record at that time or later, or what a negative number stands for; raises StateError."""
    with connect(node.bootstrap_server, timeout_ms=TIMEOUT_MS) as client:
        return _offset_at(client, place, time_ms, READ_UNCOMMITTED)[0]


def _offset_at(client: Client, place: Place, time_ms: int, level: int) -> tuple[int, ...]:
    partition = ListOffsetsRequest.ListOffsetsPartition(
        partition_index=place[1], current_leader_epoch=-1, timestamp=time_ms
    )
    topic = ListOffsetsRequest.ListOffsetsTopic(name=place[0], partitions=[partition])
    response = client.send(ListOffsetsRequest(replica_id=-1, isolation_level=level, topics=[topic]))
    assert isinstance(response, ListOffsetsResponse)
    found = response.topics[0].partitions[0]
    _check_code(place, f"ListOffsets at {time_ms}", found.error_code)
    # The ends of the log have the epoch of the leader, which is another one after each start.
    return (found.offset, found.timestamp, *((found.leader_epoch,) if time_ms >= 0 else ()))


def _check_code(place: Place, api: str, code: int) -> None:
    if code:
        error = NotLeaderError if code == ErrorCode.NOT_LEADER_OR_FOLLOWER else StateError
        raise error(f"{place}: {api} says {describe(code).name}")


def records_of(log: bytes) -> dict[int, tuple[bytes | None, bytes | None]]:
    """Key and value by offset, of all batches but those of markers."""
    return {
        record.offset: (record.key, record.value)
        for batch in iterate_batches(log)
        if not batch.is_control
        for record in batch.records()
    }


def read_committed(node: Node, places: Collection[Place]) -> dict[Place, tuple[Checksums, int]]:
    """What a consumer with read_committed gets of each partition, and the offset at which it is told of the end.

    Raises StateError.
    """
    consumer = Consumer(
        {
            "bootstrap.servers": node.bootstrap_server,
            "group.id": "unused",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
            "check.crcs": True,
            "fetch.wait.max.ms": 10,
            "log_level": 0,
        }
    )
    found: dict[Place, Checksums] = {place: {} for place in places}
    ends: dict[Place, int] = {}
    try:
        consumer.assign([TopicPartition(*place, OFFSET_BEGINNING) for place in places])
        deadline = time.monotonic() + CONSUME_S
        while len(ends) < len(found) and time.monotonic() < deadline:
            message = consumer.poll(0.2)
            if message is None:
                continue
            topic, index, offset, error = (
                message.topic(),
                message.partition(),
                message.offset(),
                message.error(),
            )
            if error is not None and error.code() != KafkaError._PARTITION_EOF:
                raise StateError(f"{node.kind}: a consumer is told {error}")
            assert topic is not None
            assert index is not None
            assert offset is not None
            if error is not None:
                ends[topic, index] = offset
            else:
                value = message.value()
                assert isinstance(value, bytes)
                found[topic, index][offset] = zlib.crc32(value)
    finally:
        consumer.close()
    if missing := found.keys() - ends.keys():
        raise StateError(f"{sorted(missing)}: a consumer came to no end within {CONSUME_S} s")
    return {place: (found[place], ends[place]) for place in found}
