"""Histories reduced to what the report draws: exact values on a small history, and nothing beyond the limits.

Tests: `kafkaproto_pipeline.jobs.report.job`.
"""

from __future__ import annotations

import base64

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafkaproto import uuids
from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    BrokerRegistrationChangeRecord,
    ConfigRecord,
    DelegationTokenRecord,
    LeaderChangeMessage,
    NoOpRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    TopicRecord,
    UserScramCredentialRecord,
)
from kafkaproto_pipeline.jobs.report import reduction
from kafkaproto_pipeline.jobs.report.data import BrokerSpan, DirectoryFailure, Report, Tenure, WorstPartition
from kafkaproto_pipeline.jobs.report.job import JOB, document
from kafkaproto_pipeline.jobs.report.reduction import reduced
from tests.pipeline.frames import CLUSTER_ID, frame

pytestmark = pytest.mark.jvm

START_MS = 1_795_000_000_000
TOPIC = b"t" * 16
ROOMS = [bytes([each]) * 16 for each in (7, 8)]
"""Ids of a broker's log directories."""


def elected(leader: int) -> Message:
    voters = [LeaderChangeMessage.Voter(voter_id=each) for each in (1, 2, 3)]
    return LeaderChangeMessage(leader_id=leader, voters=voters, granting_voters=voters[:2])


def history() -> list[tuple[int, int, Message, int]]:
    """Two minutes of three controllers and two brokers; times in seconds, the epoch last."""
    told: list[tuple[int, Message, int]] = [
        (0, elected(1), 1),
        (0, RegisterBrokerRecord(broker_id=11, broker_epoch=1, fenced=True, log_dirs=ROOMS), 1),
        (0, RegisterBrokerRecord(broker_id=12, broker_epoch=2, fenced=True, log_dirs=ROOMS), 1),
        (10, BrokerRegistrationChangeRecord(broker_id=11, broker_epoch=1, fenced=-1), 1),
        (10, BrokerRegistrationChangeRecord(broker_id=12, broker_epoch=2, fenced=-1), 1),
        (20, TopicRecord(name="orders", topic_id=TOPIC), 1),
        (20, partition(0, [11, 12], leader=11), 1),
        (20, partition(1, [12, 11], leader=12), 1),
        (40, PartitionChangeRecord(topic_id=TOPIC, partition_id=0, isr=[12], leader=12), 1),
        (40, BrokerRegistrationChangeRecord(broker_id=11, broker_epoch=1, fenced=1), 1),
        (60, elected(2), 3),
        (70, PartitionChangeRecord(topic_id=TOPIC, partition_id=0, leader=-1), 3),
        (75, PartitionChangeRecord(topic_id=TOPIC, partition_id=0, leader=12), 3),
        (80, BrokerRegistrationChangeRecord(broker_id=12, broker_epoch=2, log_dirs=ROOMS[:1]), 3),
        (100, PartitionChangeRecord(topic_id=TOPIC, partition_id=0, isr=[12, 11]), 3),
        (110, BeginTransactionRecord(name="never"), 3),
        (110, PartitionChangeRecord(topic_id=TOPIC, partition_id=1, leader=-1), 3),
        (110, AbortTransactionRecord(), 3),
        (120, NoOpRecord(), 3),
    ]
    return [(at, START_MS + 1000 * second, record, epoch) for at, (second, record, epoch) in enumerate(told)]


def partition(number: int, replicas: list[int], leader: int) -> PartitionRecord:
    return PartitionRecord(
        topic_id=TOPIC, partition_id=number, replicas=replicas, isr=replicas, leader=leader, leader_epoch=0
    )


@pytest.fixture(scope="module")
def records(spark: SparkSession) -> DataFrame:
    return frame(spark, history())


@pytest.fixture(scope="module")
def whole(records: DataFrame) -> Report:
    # Of the columns that the job asks the source for, and no others.
    return reduced(records.select(JOB.source_options["columns"].split(",")))


def test_header_counts_what_happened(whole: Report) -> None:
    header = whole.header
    assert header.cluster_ids == [CLUSTER_ID]
    assert (header.records, header.first_offset, header.last_offset) == (19, 0, 18)
    assert (header.start_ms, header.end_ms) == (START_MS, START_MS + 120_000)
    assert (header.topics, header.partitions) == (1, 2)
    assert (header.elections, header.fencings) == (2, 1)
    assert (header.leaderless_ms, header.under_replicated_ms) == (5_000, 60_000)
    assert header.notes == ["Records of 1 aborted metadata transaction left out."]
    assert (whole.bins.step_ms, whole.bins.count) == (2_000, 61)


def test_leaders_of_the_quorum_have_lanes_and_so_have_voters_that_never_led(whole: Report) -> None:
    assert whole.quorum.controllers == [1, 2, 3]
    first = Tenure(
        leader_id=1,
        first_epoch=1,
        last_epoch=1,
        start_ms=START_MS,
        end_ms=START_MS + 60_000,
        start_offset=0,
    )
    second = Tenure(
        leader_id=2,
        first_epoch=3,
        last_epoch=3,
        start_ms=START_MS + 60_000,
        end_ms=START_MS + 120_000,
        start_offset=10,
        skipped_epochs=1,
    )
    assert whole.quorum.tenures == [first, second]


def test_brokers_lanes_hold_their_states_and_failures(whole: Report) -> None:
    told = [(11, "registered", 0, 10, 1), (11, "active", 10, 40, 3), (11, "fenced", 40, 120, 9)]
    told += [(12, "registered", 0, 10, 2), (12, "active", 10, 120, 4)]
    assert whole.brokers.spans == [
        BrokerSpan(
            broker_id=broker,
            state=state,
            start_ms=START_MS + 1000 * start,
            end_ms=START_MS + 1000 * end,
            start_offset=offset,
        )
        for broker, state, start, end, offset in told
    ]
    lost = f"Broker 12 lost log directory {uuids.to_text(ROOMS[1])}"
    assert whole.brokers.failures == [
        DirectoryFailure(broker_id=12, at_ms=START_MS + 80_000, offset=13, text=lost)
    ]


def test_isr_cells_cover_the_time_out_of_sync_and_no_more(whole: Report) -> None:
    for isr, name in ((whole.topic_isr, "orders"), (whole.partition_isr, "orders-0")):
        assert [row.name for row in isr.rows] == [name]
        cells = {cell.bin: cell for cell in isr.cells}
        assert sorted(cells) == list(range(20, 50))
        assert {cell.share for cell in cells.values()} == {0.5}
        assert sum(cell.out_of_sync_ms for cell in cells.values()) == 60_000
        assert {at: cell.leaderless_ms for at, cell in cells.items() if cell.leaderless_ms} == {
            35: 2_000,
            36: 2_000,
            37: 1_000,
        }
    assert (whole.topic_isr.left_out, whole.topic_isr.healthy) == (0, 0)
    assert (whole.partition_isr.left_out, whole.partition_isr.healthy) == (0, 1)


def test_balance_is_the_mean_of_each_bin(whole: Report) -> None:
    led = dict(zip(whole.balance.brokers, whole.balance.led, strict=True))
    assert led[11] == pytest.approx([0.0] * 10 + [1.0] * 10 + [0.0] * 41)
    assert led[12] == pytest.approx(
        [0.0] * 10 + [1.0] * 10 + [2.0] * 15 + [1.0, 1.0, 1.5] + [2.0] * 23, abs=1e-9
    )


def test_rates_count_every_record_of_the_log(whole: Report) -> None:
    counts = dict(zip(whole.rates.types, map(sum, whole.rates.counts), strict=True))
    assert counts["PartitionChangeRecord"] == 5
    assert counts["AbortTransactionRecord"] == 1
    assert sum(counts.values()) == 19
    assert list(counts.values()) == sorted(counts.values(), reverse=True)
    assert whole.rates.others == 0


def test_worst_partition_is_told_with_its_times(whole: Report) -> None:
    assert whole.worst.rows == [
        WorstPartition(
            topic="orders",
            partition=0,
            under_replicated_ms=60_000,
            under_min_isr_ms=0,
            leaderless_ms=5_000,
            leader_changes=2,
            isr_changes=2,
        )
    ]
    assert whole.worst.left_out == 0


def test_events_are_told_in_the_order_of_the_log(whole: Report) -> None:
    told = [(each.offset, each.kind, each.topic) for each in whole.events.rows]
    assert told == [
        (0, "leader elected", None),
        (1, "broker registered", None),
        (2, "broker registered", None),
        (3, "broker unfenced", None),
        (4, "broker unfenced", None),
        (5, "topic created", "orders"),
        (9, "broker fenced", None),
        (10, "leader elected", None),
        (11, "leader lost", "orders"),
        (12, "leader regained", "orders"),
        (13, "directory failed", None),
    ]
    assert {each.at_ms for each in whole.events.rows if each.offset in (5, 9)} == {
        START_MS + 20_000,
        START_MS + 40_000,
    }
    assert sum(whole.events.counts.values()) == len(told)
    (mark,) = whole.marks
    assert (mark.count, mark.changes) == (1, [whole.events.rows[5]])


def test_the_page_has_no_secrets(spark: SparkSession) -> None:
    def config(resource: int, name: str, key: str, value: str) -> Message:
        return ConfigRecord(resource_type=resource, resource_name=name, name=key, value=value)

    rows = [
        LeaderChangeMessage(leader_id=1),
        config(4, "11", "ssl.keystore.password", "hunter2-a"),
        config(4, "11", "ssl.keystore.password", "hunter2-b"),
        config(4, "", "listener.name.outside.sasl.jaas.config", "hunter2-c"),
        config(2, "orders", "nobody.knows", "hunter2-d"),
        config(2, "orders", "retention.ms", "60000"),
        UserScramCredentialRecord(
            name="bob",
            mechanism=1,
            salt=b"hunter2-salt",
            stored_key=b"hunter2-stored",
            server_key=b"hunter2-server",
            iterations=4096,
        ),
        DelegationTokenRecord(owner="User:bob", requester="User:bob", token_id="hunter2-token"),
    ]
    text = document(frame(spark, [(at, START_MS + at, each) for at, each in enumerate(rows)]))
    secrets = [b"hunter2", b"hunter2-salt", b"hunter2-stored", b"hunter2-server", b"hunter2-token"]
    for secret in secrets:
        for form in (secret.decode(), base64.b64encode(secret).decode(), secret.hex()):
            assert form not in text, form
    for shown in (
        "ssl.keystore.password of broker 11 was set to [redacted] (it was [redacted])",
        "nobody.knows of topic orders was set to [redacted]",
        "retention.ms of topic orders was set to 60000",
        "SCRAM-SHA-256 credential of bob was created",
        "A delegation token of User:bob was created",
    ):
        assert f">{shown}<" in text
    # The changes are marked as well.
    assert "set to [redacted] (it was [redacted]) (offset 2)" in text


def test_rows_of_snapshots_are_no_records_of_the_log(records: DataFrame, whole: Report) -> None:
    stated = [(18, START_MS + 120_000, TopicRecord(name="orders", topic_id=TOPIC))]
    more = frame(records.sparkSession, stated, snapshot=True)
    report = reduced(records.unionByName(more))
    assert report.header.records == whole.header.records == 19
    assert report.rates == whole.rates
    assert report.events == whole.events


def test_what_is_beyond_the_limits_is_counted_or_drawn_as_one(
    records: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {"MAX_LANES": 1, "MAX_PARTITIONS": 1, "MAX_TYPES": 3, "MAX_WORST": 1}
    for name, limit in limits.items():
        monkeypatch.setattr(reduction, name, limit)
    # Two bins of 60 seconds or more: the first states of a broker are shorter than that.
    monkeypatch.setattr(reduction, "MAX_SPANS", 6)
    # Another partition is in trouble too.
    hurt = PartitionChangeRecord(topic_id=TOPIC, partition_id=1, isr=[12])
    more = frame(records.sparkSession, [(19, START_MS + 110_000, hurt, 3)])
    report = reduced(records.unionByName(more))
    assert (report.quorum.controllers, report.quorum.left_out) == ([1], 2)
    assert (report.brokers.brokers, report.brokers.left_out) == ([11], 1)
    assert [(each.state, each.count) for each in report.brokers.spans] == [("registered", 2), ("fenced", 1)]
    assert report.header.fencings == 1
    assert (len(report.partition_isr.rows), report.partition_isr.left_out) == (1, 1)
    assert {cell.row for cell in report.partition_isr.cells} == {0}
    assert (report.balance.brokers, report.balance.left_out) == ([12], 1)
    assert report.rates.types[-1] == "other types"
    assert len(report.rates.types) == 3
    assert report.rates.others == 7
    assert sum(map(sum, report.rates.counts)) == 20
    assert (len(report.worst.rows), report.worst.left_out) == (1, 1)


def test_rows_of_a_heat_map_are_as_many_as_their_cells_fit(
    records: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The partitions have 30 and 5 cells.
    hurt = PartitionChangeRecord(topic_id=TOPIC, partition_id=1, isr=[12])
    more = frame(records.sparkSession, [(19, START_MS + 110_000, hurt, 3)])
    monkeypatch.setattr(reduction, "MAX_CELLS", 34)
    report = reduced(records.unionByName(more))
    assert [row.name for row in report.partition_isr.rows] == ["orders-0"]
    assert len(report.partition_isr.cells) == 30
    assert report.partition_isr.left_out == 1
    assert (report.topic_isr.rows, report.topic_isr.left_out) == ([], 1)


def test_a_log_without_records_makes_a_page_that_says_so(records: DataFrame) -> None:
    text = document(records.limit(0))
    assert text.count('class="empty"') == 8
    assert "without records" in text


def test_records_of_two_clusters_are_refused(records: DataFrame) -> None:
    other = records.limit(1).withColumn("clusterId", F.lit("another"))
    with pytest.raises(ValueError, match=f"of {CLUSTER_ID} and another: choose one"):
        document(records.unionByName(other))
