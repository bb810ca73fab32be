"""The same requests about records to a node under test and to Apache Kafka, whose answer is the right one.

Both nodes get the same topics and the same batches; `support/responses.py` says what is left out of the comparison.
Every version of every request goes over the wire. What we answer otherwise on purpose is in docs/differences.md, and
not asked for here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from compat.node import Node
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateTopicsRequest,
    DescribeLogDirsRequest,
    DescribeProducersRequest,
    FetchRequest,
    ListOffsetsRequest,
    OffsetForLeaderEpochRequest,
    ProduceRequest,
    WriteTxnMarkersRequest,
)
from kafkaproto.records.batch import NewRecord, build_batch
from tests.compat.support.nodes import CREATE_TIMEOUT_MS, SERVES_TIMEOUT_S, delete_topics, metadata
from tests.compat.support.responses import answer

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

TOPICS = RECORDS, EMPTY, PRODUCED, COMPACTED = "records", "empty", "produced", "compacted"
PARTITIONS = 2
UNKNOWN_ID = bytes(range(16))
CONFIGS = {"retention.ms": "-1", "max.message.bytes": "2000"}
TIMES_MS = ((100, 300), (200, 300, 250), (50,))
"""Of the records in partition 0 of the topic RECORDS, batch by batch."""
FIRST_WITH_IDS = 13

Ids = dict[str, bytes]
"""Topic ids of one node, by name."""
Make = Callable[[Ids, int], Message]
"""A request for a node with these topic ids, in a version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A request, and the versions that can say it."""

    name: str
    api_key: int
    make: Make
    from_version: int = 0

    def versions(self) -> range:
        api = api_by_key(self.api_key)
        assert api is not None
        return range(max(api.min_version, self.from_version), api.max_stable_version + 1)


def batch(*times_ms: int, key: bytes | None = b"k", **more: Any) -> bytes:
    """A batch with a record at each time."""
    records = [NewRecord(key=key, value=b"v", timestamp_ms=each) for each in times_ms or (100,)]
    return build_batch(records, base_offset=0, timestamp_ms=0, **more)


IDEMPOTENT: dict[str, Any] = {"producer_id": 4000, "producer_epoch": 3, "base_sequence": 0}


def produce(
    ids: Ids, version: int, records: bytes, *, topic: str = PRODUCED, index: int = 0, acks: int = -1
) -> ProduceRequest:
    partition = ProduceRequest.PartitionProduceData(index=index, records=records)
    return ProduceRequest(
        acks=acks,
        timeout_ms=5000,
        topic_data=[
            ProduceRequest.TopicProduceData(**_named(ids, topic, version), partition_data=[partition])
        ],
    )


def _named(ids: Ids, topic: str, version: int, field: str = "name") -> dict[str, Any]:
    return {"topic_id": ids.get(topic, UNKNOWN_ID)} if version >= FIRST_WITH_IDS else {field: topic}


@dataclass(frozen=True, slots=True)
class Server:
    """A node and its topics."""

    node: Node
    ids: Ids


@pytest.fixture(scope="module")
def pair(rival_node: Node, stock_node: Node) -> Iterator[tuple[Server, Server]]:
    """The node under test and the stock node, with the same topics and records."""
    yield prepared(rival_node), prepared(stock_node)
    for node in (rival_node, stock_node):
        delete_topics(node, TOPICS)


def prepared(node: Node) -> Server:
    """A node on which the topics are, with their records."""
    creatable, config = CreateTopicsRequest.CreatableTopic, CreateTopicsRequest.CreatableTopicConfig
    special = {COMPACTED: {"cleanup.policy": "compact"}}
    request = CreateTopicsRequest(
        topics=[
            creatable(
                name=name,
                num_partitions=PARTITIONS,
                replication_factor=1,
                configs=[
                    config(name=key, value=value)
                    for key, value in {**CONFIGS, **special.get(name, {})}.items()
                ],
            )
            for name in TOPICS
        ],
        timeout_ms=CREATE_TIMEOUT_MS,
    )
    with Probe(node.bootstrap_server) as probe:
        created: Any = probe.ask(request, 7)
        assert [topic.error_code for topic in created.topics] == [0] * len(TOPICS)
        wait_until(partial(_serves, node), SERVES_TIMEOUT_S, f"{node.kind} to lead all partitions")
        ids = {topic.name: topic.topic_id for topic in metadata(node).topics if topic.name is not None}
        batches = [batch(*times_ms) for times_ms in TIMES_MS]
        for records in [*batches, batch(400, 400, 400, **IDEMPOTENT)]:
            # A leader may still be opening its log.
            wait_until(partial(_is_written, probe, ids, records), SERVES_TIMEOUT_S, "a batch to be written")
        marker = WriteTxnMarkersRequest.WritableTxnMarker(
            producer_id=4001,
            producer_epoch=1,
            coordinator_epoch=7,
            topics=[WriteTxnMarkersRequest.WritableTxnMarkerTopic(name=RECORDS, partition_indexes=[1])],
        )
        marked: Any = probe.ask(WriteTxnMarkersRequest(markers=[marker]), 1)
        assert marked.markers[0].topics[0].partitions[0].error_code == 0
    return Server(node, ids)


def _is_written(probe: Probe, ids: Ids, records: bytes) -> bool:
    written: Any = probe.ask(produce(ids, 12, records, topic=RECORDS), 12)
    code: int = written.responses[0].partition_responses[0].error_code
    assert code in (ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    return code == ErrorCode.NONE


def _serves(node: Node) -> bool:
    # Other tests have topics on the same node.
    topics = [each for each in metadata(node).topics if each.name in TOPICS]
    return len(topics) == len(TOPICS) and all(
        each.leader_id == 1 for topic in topics for each in topic.partitions
    )


# --- the requests ---


def list_offsets_cases() -> Iterator[Case]:
    def ask(*parts: tuple[str, int, int], epoch: int = -1, **more: Any) -> Make:
        asked = ListOffsetsRequest(
            topics=[
                ListOffsetsRequest.ListOffsetsTopic(
                    name=name,
                    partitions=[
                        ListOffsetsRequest.ListOffsetsPartition(
                            partition_index=index, timestamp=timestamp, current_leader_epoch=epoch
                        )
                    ],
                )
                for name, index, timestamp in parts
            ],
            **{"replica_id": -1, **more},
        )
        return lambda ids, version: asked

    cases: dict[str, tuple[Make, int]] = {}
    for timestamp in (*range(-8, 1), 50, 100, 101, 250, 300, 301, 400, 401, 2**62):
        for replica_id in (-1, -2):
            for level in (0, 1):
                name = f"time {timestamp} for {replica_id} at isolation level {level}"
                asked = ask(
                    (RECORDS, 0, timestamp),
                    (EMPTY, 0, timestamp),
                    replica_id=replica_id,
                    isolation_level=level,
                )
                cases[name] = asked, 2 if level else 1
        cases[f"time {timestamp} where there is only a marker"] = ask((RECORDS, 1, timestamp)), 1
    for timeout_ms in (-1, 0, 1, 2**31 - 1):
        cases[f"within {timeout_ms} ms"] = ask((RECORDS, 0, -3), timeout_ms=timeout_ms), 10
    for epoch in (-5, 0, 1):
        cases[f"leader epoch {epoch}"] = ask((RECORDS, 0, -1), epoch=epoch), 4
    cases["unknown topic"] = ask(("unknown", 0, -1)), 1
    cases["unknown partition"] = ask((RECORDS, 9, -1)), 1
    cases["a partition twice"] = ask((RECORDS, 0, -1), (RECORDS, 0, -2)), 1
    for name, (make, from_version) in cases.items():
        yield Case(name=name, api_key=2, make=make, from_version=from_version)


def epoch_cases() -> Iterator[Case]:
    def ask(topic: str, index: int, epoch: int, current: int = -1, replica_id: int = -1) -> Make:
        partition = OffsetForLeaderEpochRequest.OffsetForLeaderPartition(
            partition=index, current_leader_epoch=current, leader_epoch=epoch
        )
        asked = OffsetForLeaderEpochRequest(
            replica_id=replica_id,
            topics=[OffsetForLeaderEpochRequest.OffsetForLeaderTopic(topic=topic, partitions=[partition])],
        )
        return lambda ids, version: asked

    for epoch in (-2, -1, 0, 1, 2**31 - 1):
        for topic in (RECORDS, EMPTY):
            yield Case(name=f"epoch {epoch} of {topic}", api_key=23, make=ask(topic, 0, epoch))
    for current in (-5, 0, 1):
        yield Case(name=f"current epoch {current}", api_key=23, make=ask(RECORDS, 0, 0, current))
    yield Case(name="unknown topic", api_key=23, make=ask("unknown", 0, 0))
    yield Case(name="unknown partition", api_key=23, make=ask(RECORDS, 9, 0))
    yield Case(name="a debugging consumer", api_key=23, make=ask(RECORDS, 0, 0, replica_id=-2))
    yield Case(name="a replica", api_key=23, make=ask(RECORDS, 0, 0, replica_id=5))


def producers_cases() -> Iterator[Case]:
    def ask(name: str, *indexes: int) -> Make:
        topic = DescribeProducersRequest.TopicRequest(name=name, partition_indexes=list(indexes))
        return lambda ids, version: DescribeProducersRequest(topics=[topic])

    yield Case(name="two partitions", api_key=61, make=ask(RECORDS, 0, 1))
    yield Case(name="none", api_key=61, make=ask(EMPTY, 0))
    yield Case(name="unknown topic", api_key=61, make=ask("unknown", 0))
    yield Case(name="unknown partition", api_key=61, make=ask(RECORDS, 9))
    yield Case(name="bad name", api_key=61, make=ask("a b", 0))


def log_dirs_cases() -> Iterator[Case]:
    def ask(*topics: tuple[str, list[int]]) -> Make:
        asked = [
            DescribeLogDirsRequest.DescribableLogDirTopic(topic=name, partitions=indexes)
            for name, indexes in topics
        ]
        return lambda ids, version: DescribeLogDirsRequest(topics=asked)

    yield Case(name="two", api_key=35, make=ask((RECORDS, [0, 1, 9]), (EMPTY, [1]), ("unknown", [0])))
    yield Case(name="none", api_key=35, make=ask())


def fetch_cases() -> Iterator[Case]:
    def ask(topic: str = RECORDS, index: int = 0, offset: int = 0, **more: Any) -> Make:
        of_partition: dict[str, Any] = {
            key: more.pop(key)
            for key in ("current_leader_epoch", "last_fetched_epoch", "partition_max_bytes")
            if key in more
        }

        def make(ids: Ids, version: int) -> Message:
            asked: dict[str, Any] = {"partition_max_bytes": 5000, **of_partition}
            partition = FetchRequest.FetchPartition(partition=index, fetch_offset=offset, **asked)
            fields = {"max_wait_ms": 0, "min_bytes": 1, "max_bytes": 5000, "replica_id": -1, **more}
            if version >= 15:
                fields["replica_state"] = FetchRequest.ReplicaState(
                    replica_id=fields.pop("replica_id"), replica_epoch=-1
                )
            return FetchRequest(
                topics=[
                    FetchRequest.FetchTopic(**_named(ids, topic, version, "topic"), partitions=[partition])
                ],
                **fields,
            )

        return make

    cases: dict[str, tuple[Make, int]] = {
        "all": (ask(), 4),
        "read committed": (ask(isolation_level=1), 4),
        "from the middle of a batch": (ask(offset=3), 4),
        "a byte": (ask(max_bytes=1), 4),
        "no bytes": (ask(max_bytes=0, partition_max_bytes=0), 4),
        "a byte of the partition": (ask(partition_max_bytes=1), 4),
        "the end": (ask(offset=9), 4),
        "beyond the end": (ask(offset=10), 4),
        "before the start": (ask(offset=-1), 4),
        "unknown topic": (ask("unknown"), 4),
        "unknown partition": (ask(index=9), 4),
        "present epoch": (ask(current_leader_epoch=0), 9),
        "later epoch": (ask(current_leader_epoch=1), 9),
        "last fetched epoch": (ask(offset=9, last_fetched_epoch=0), 12),
        "divergence": (ask(offset=20, last_fetched_epoch=0), 12),
        "unknown last fetched epoch": (ask(offset=1, last_fetched_epoch=5), 12),
        "a rack": (ask(rack_id="r"), 11),
        "unknown session": (ask(session_id=77, session_epoch=1), 7),
        "no session": (ask(session_id=77, session_epoch=-1), 7),
        "a follower that is none": (ask(replica_id=5), 4),
        "a debugging consumer": (ask(replica_id=-2), 4),
    }
    for name, (make, from_version) in cases.items():
        yield Case(name=name, api_key=1, make=make, from_version=from_version)


def produce_cases() -> Iterator[Case]:
    """None of them is written."""
    good = batch()
    wrong: dict[str, bytes] = {
        "empty records": b"",
        "a bad checksum": good[:17] + bytes(4) + good[21:],
        "magic 1": good[:16] + b"\x01" + good[17:],
        "magic 3": good[:16] + b"\x03" + good[17:],
        "cut off": good[:-1],
        "two batches": good + good,
        "a wrong length": good[:8] + struct.pack(">i", 3) + good[12:],
        "too large": batch(*range(1000)),
        "a sequence that does not follow": batch(1, **{**IDEMPOTENT, "base_sequence": 7}),
        "an older epoch": batch(1, **{**IDEMPOTENT, "producer_epoch": 2}),
        "a control batch": good[:22] + bytes([good[22] | 0x20]) + good[23:],
    }
    for name, records in wrong.items():
        yield Case(name=name, api_key=0, make=partial(produce, records=records, topic=RECORDS))
    yield Case(
        name="a repetition",
        api_key=0,
        make=partial(produce, records=batch(400, 400, 400, **IDEMPOTENT), topic=RECORDS),
    )
    yield Case(name="no key", api_key=0, make=partial(produce, records=batch(key=None), topic=COMPACTED))
    yield Case(name="unknown topic", api_key=0, make=partial(produce, records=good, topic="unknown"))
    yield Case(name="unknown partition", api_key=0, make=partial(produce, records=good, index=9))
    for acks in (-2, 2):
        yield Case(name=f"acks {acks}", api_key=0, make=partial(produce, records=good, acks=acks))


@pytest.mark.parametrize(
    "cases",
    [list_offsets_cases, epoch_cases, producers_cases, log_dirs_cases, fetch_cases, produce_cases],
    ids=lambda cases: cases.__name__,
)
def test_requests_about_records_are_answered_as_kafka_answers_them(
    pair: tuple[Server, Server], cases: Callable[[], Iterator[Case]]
) -> None:
    different = []
    for case in cases():
        for version in case.versions():
            told, right = (
                without_clocks(answer(each.node, "broker", case.make(each.ids, version), version))
                for each in pair
            )
            if told != right:
                # One version of a case says enough.
                different.append(f"{case.name}, version {version}:\n  here   {told}\n  Kafka  {right}")
                break
    assert not different, "\n".join(different)


OWN = {"totalBytes", "usableBytes", "logDir", "batchIndexErrorMessage"}
TIMES = {"timestamp", "lastTimestamp"}
NOW_MS = 1_700_000_000_000


def without_clocks(value: Any) -> Any:
    """An answer without what a node takes from its own clock, disk and directory."""
    if isinstance(value, list):
        return [without_clocks(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        # A directory's partitions are in the order of a hash table there.
        key: sorted(without_clocks(each), key=str)
        if key == "partitions"
        else "now"
        if key in TIMES and each >= NOW_MS
        else without_clocks(each)
        for key, each in value.items()
        if key not in OWN
    }
