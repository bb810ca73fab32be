"""One small log, written by hand, and what each table of the history says of it.

Tests: `kafkaproto_pipeline.jobs.history.changes`, `kafkaproto_pipeline.jobs.history.rows`.
"""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafkaproto import uuids
from kafkaproto.messages import (
    AbortTransactionRecord,
    AccessControlEntryRecord,
    BeginTransactionRecord,
    BrokerRegistrationChangeRecord,
    ConfigRecord,
    KRaftVersionRecord,
    LeaderChangeMessage,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    RemoveAccessControlEntryRecord,
    RemoveTopicRecord,
    TopicRecord,
    UnregisterBrokerRecord,
    VotersRecord,
)
from kafkaproto_pipeline.jobs import history
from tests.pipeline.frames import frame

pytestmark = pytest.mark.jvm

TOPIC, INCARNATION = bytes(15) + b"\x11", bytes(15) + b"\x12"
A, B, C = (bytes(15) + bytes([each]) for each in (0xA1, 0xB1, 0xC1))


def elected(leader_id: int, *granting: int) -> LeaderChangeMessage:
    voter = LeaderChangeMessage.Voter
    return LeaderChangeMessage(
        leader_id=leader_id,
        voters=[voter(voter_id=each) for each in (1, 2, 3)],
        granting_voters=[voter(voter_id=each) for each in granting],
    )


def voters(*members: tuple[int, bytes, int]) -> VotersRecord:
    return VotersRecord(
        voters=[
            VotersRecord.Voter(
                voter_id=voter_id,
                voter_directory_id=directory,
                endpoints=[VotersRecord.Endpoint(name="CONTROLLER", host="h", port=port)],
            )
            for voter_id, directory, port in members
        ]
    )


def change(**fields: Any) -> PartitionChangeRecord:
    return PartitionChangeRecord(partition_id=0, topic_id=TOPIC, **fields)


def broker_change(**fields: Any) -> BrokerRegistrationChangeRecord:
    return BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=3, **fields)


@pytest.fixture(scope="module")
def log(spark: SparkSession) -> DataFrame:
    first = [
        elected(3, 2, 3),
        KRaftVersionRecord(kraft_version=1),
        voters((1, A, 9093), (2, B, 9093), (4, C, 9093)),
        RegisterBrokerRecord(broker_id=1, broker_epoch=3, incarnation_id=INCARNATION, log_dirs=[A, B]),
        broker_change(fenced=-1),
        TopicRecord(name="t", topic_id=TOPIC),
        ConfigRecord(resource_type=2, resource_name="t", name="min.insync.replicas", value="2"),
        PartitionRecord(
            partition_id=0,
            topic_id=TOPIC,
            replicas=[1, 2],
            isr=[1, 2],
            leader=1,
            leader_epoch=5,
            directories=[A, C],
        ),
        change(leader=2, isr=[2]),
        change(leader=2),
        change(leader=-1, directories=[B, C]),
        broker_change(in_controlled_shutdown=1),
        broker_change(fenced=1, log_dirs=[B]),
        # A transaction that comes to nothing.
        BeginTransactionRecord(),
        change(leader=1, isr=[1]),
        AbortTransactionRecord(),
    ]
    # The next leader's clock is behind.
    then = [
        elected(2, 1, 2),
        KRaftVersionRecord(kraft_version=1),
        voters((1, C, 9093), (2, B, 9094), (3, A, 9093), (4, C, 9093)),
        change(leader=1, isr=[1]),
        ConfigRecord(resource_type=4, resource_name="", name="a", value=None),
        RemoveTopicRecord(topic_id=TOPIC),
        UnregisterBrokerRecord(broker_id=1, broker_epoch=3),
    ]
    rows = [(offset, 1_000 * offset, record, 1) for offset, record in enumerate(first)]
    rows += [(offset, 1_000 * offset - 12_500, record, 4) for offset, record in enumerate(then, len(first))]
    return frame(spark, rows, record_types=history.JOB.record_types).cache()


def rows(df: DataFrame, name: str, *columns: str) -> list[tuple[Any, ...]]:
    """What a table says, in the log's order; structs and lists as tuples."""
    table = history.JOB.tables[name](df)
    order = "fromOffset" if "fromOffset" in table.columns else "offset"
    chosen = [
        F.unix_millis(each) if kind == "timestamp" else F.col(each)
        for each, kind in table.select(*columns).dtypes
    ]
    return [_plain(row) for row in table.orderBy(order).select(*chosen).collect()]


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def test_leadership(log: DataFrame) -> None:
    columns = (
        "topicName",
        "partitionId",
        "leader",
        "leaderEpoch",
        "fromOffset",
        "toOffset",
        "durationMs",
        "endedBy",
    )
    assert rows(log, "leadership", *columns) == [
        ("t", 0, 1, 5, 7, 8, 1_000, "another leader"),
        ("t", 0, 2, 6, 8, 9, 1_000, "same leader"),
        ("t", 0, 2, 7, 9, 10, 1_000, "leaderless"),
        ("t", 0, -1, 8, 10, 19, 0, "another leader"),
        ("t", 0, 1, 9, 19, 21, 2_000, "topic deleted"),
    ]


def test_isr(log: DataFrame) -> None:
    columns = ("isr", "minIsr", "underReplicated", "underMinIsr", "leaderless", "fromOffset", "toOffset")
    assert rows(log, "isr", *columns) == [
        ((1, 2), 2, False, False, False, 7, 8),
        ((2,), 2, True, True, False, 8, 10),
        ((2,), 2, True, True, True, 10, 19),
        ((1,), 2, True, True, False, 19, 21),
    ]


def test_brokers(log: DataFrame) -> None:
    columns = ("brokerId", "brokerEpoch", "state", "fromOffset", "toOffset", "durationMs")
    assert rows(log, "brokers", *columns) == [
        (1, 3, "registered", 3, 4, 1_000),
        (1, 3, "active", 4, 11, 7_000),
        (1, 3, "controlled shutdown", 11, 12, 1_000),
        (1, 3, "fenced", 12, 22, 0),
        (1, 3, "unregistered", 22, None, None),
    ]


def test_quorum(log: DataFrame) -> None:
    columns = (
        "partitionLeaderEpoch",
        "leaderId",
        "voterIds",
        "grantingVoterIds",
        "fromOffset",
        "toOffset",
        "durationMs",
    )
    assert rows(log, "quorum", *columns, "records", "skippedEpochs") == [
        (1, 3, (1, 2, 3), (2, 3), 0, 16, 3_500, 16, 0),
        (4, 2, (1, 2, 3), (1, 2), 16, None, None, None, 2),
    ]


@pytest.mark.parametrize("name", ["quorum", "topics", "features"])
def test_rows_of_damage_are_left_out(name: str, log: DataFrame) -> None:
    """One has nothing but its damage; the other is of a record that ends too early."""
    kept = {"clusterId", "directory", "file", "source"}
    damage = F.struct(
        F.lit("a.log").alias("file"),
        *(F.lit(3).cast("BIGINT").alias(each) for each in ("position", "offset")),
        F.lit("the crc is wrong").alias("reason"),
    )
    first = log.filter("offset = 5")
    lost = first.select(
        *(
            F.col(each) if each in kept else F.lit(None).cast(field.dataType).alias(each)
            for each, field in zip(first.columns, first.schema.fields, strict=True)
        )
    ).withColumn("_corrupt_record", damage)
    cut = first.withColumns(
        {"_corrupt_record": damage, "TopicRecord": F.lit(None).cast(first.schema["TopicRecord"].dataType)}
    )
    whole = history.JOB.tables[name](log).collect()
    damaged = history.JOB.tables[name](log.unionByName(lost).unionByName(cut)).collect()
    assert sorted(map(repr, damaged)) == sorted(map(repr, whole))


def test_an_epoch_that_began_before_the_log_has_no_leader(log: DataFrame) -> None:
    found = rows(
        log.filter("offset > 2"), "quorum", "partitionLeaderEpoch", "leaderId", "voterIds", "records"
    )
    assert found == [(1, None, None, 13), (4, 2, (1, 2, 3), None)]


def test_voters(log: DataFrame) -> None:
    a, b, c = (uuids.to_text(each) for each in (A, B, C))
    columns = ("offset", "partitionLeaderEpoch", "kRaftVersion", "added", "removed", "updated")
    assert rows(log, "voters", *columns) == [
        (1, 1, 1, (), (), ()),
        (2, 1, 1, ((1, a), (2, b), (4, c)), (), ()),
        (18, 4, 1, ((1, c), (3, a)), ((1, a),), ((2, b),)),
    ]


def test_directories(log: DataFrame) -> None:
    a, b = (uuids.to_text(each) for each in (A, B))
    columns = ("offset", "brokerId", "change", "directoryId", "fromDirectoryId", "topicName", "partitionId")
    found = rows(log, "directories", *columns)
    assert sorted(found, key=repr) == [
        (10, 1, "moved", b, a, "t", 0),
        (12, 1, "failed", a, None, None, None),
        (3, 1, "online", a, None, None, None),
        (3, 1, "online", b, None, None, None),
    ]


def test_config_changes(log: DataFrame) -> None:
    columns = (
        "offset",
        "resourceType",
        "resourceName",
        "configName",
        "oldConfigValue",
        "newConfigValue",
        "deleted",
        "topicDeleted",
    )
    assert rows(log, "config_changes", *columns) == [
        (6, "TOPIC", "t", "min.insync.replicas", None, "2", False, False),
        (20, "BROKER", "", "a", None, None, True, False),
        (21, "TOPIC", "t", "min.insync.replicas", "2", None, True, True),
    ]


def test_acl_as_a_text(spark: SparkSession) -> None:
    acl = AccessControlEntryRecord(
        id=A,
        resource_type=2,
        resource_name="t",
        pattern_type=4,
        principal="User:alice",
        host="*",
        operation=3,
        permission_type=3,
    )
    log = frame(
        spark,
        [
            (0, 0, acl),
            (5, 0, RemoveAccessControlEntryRecord(id=A)),
            (6, 0, RemoveAccessControlEntryRecord(id=B)),
        ],
    )
    text = "ALLOW User:alice READ on TOPIC (PREFIXED) t from host *"
    assert rows(log, "acl_changes", "offset", "change", "text") == [
        (0, "created", text),
        (5, "removed", text),
    ]
