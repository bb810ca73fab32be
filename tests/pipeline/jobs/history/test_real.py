"""The history of real clusters, after kills: what Apache Kafka's dump tool prints of the same log tells the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from compat.kafka.tools import run_tool
from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.jobs import history
from tests.pipeline.histories import History

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

_BATCH = re.compile(r"^baseOffset: (\d+) .*partitionLeaderEpoch: (\d+) .*CreateTime: (\d+) ")
_RECORD = re.compile(r"^\| offset: (\d+) CreateTime: (\d+) .*?(payload|LeaderChange): (\{.*\})$")


@dataclass(kw_only=True)
class Told:
    """Leaderships that the dump's lines tell of, and what is open in them."""

    leaderships: list[tuple[Any, ...]] = field(default_factory=list)
    now: dict[tuple[str, int], tuple[int, int, int, int]] = field(default_factory=dict)
    """By topic id and partition: leader, leader epoch, and the offset and time from which on."""
    tenures: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Epoch, leader, and the first offset and time of each epoch."""
    brokers: list[tuple[int, int, str]] = field(default_factory=list)
    """Broker, offset, and what it was from then on."""
    lives: dict[int, tuple[int, str]] = field(default_factory=dict)
    """By broker: its epoch, and what it is."""

    def leads(self, key: tuple[str, int], leader: int, epoch: int, offset: int, at_ms: int) -> None:
        self.ends(key, offset, at_ms)
        self.now[key] = (leader, epoch, offset, at_ms)

    def ends(self, key: tuple[str, int], offset: int | None, at_ms: int | None) -> None:
        if key in self.now:
            self.leaderships.append((*key, *self.now.pop(key), offset, at_ms))

    def take(self, offset: int, at_ms: int, kind: str, data: dict[str, Any]) -> None:
        if kind == "REMOVE_TOPIC_RECORD":
            for key in [key for key in self.now if key[0] == data["topicId"]]:
                self.ends(key, offset, at_ms)
        if kind in (
            "REGISTER_BROKER_RECORD",
            "BROKER_REGISTRATION_CHANGE_RECORD",
            "UNREGISTER_BROKER_RECORD",
        ):
            self.take_broker(offset, kind, data)
        if kind not in ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD"):
            return
        key = (data["topicId"], data["partitionId"])
        if kind == "PARTITION_RECORD":
            self.leads(key, data["leader"], data["leaderEpoch"], offset, at_ms)
        elif "leader" in data:
            self.leads(key, data["leader"], self.now[key][1] + 1, offset, at_ms)

    def take_broker(self, offset: int, kind: str, data: dict[str, Any]) -> None:
        """Brokers are fenced that are so already, and tell more of themselves under the epoch that they have."""
        epoch, was = self.lives.get(data["brokerId"], (-1, ""))
        if kind == "REGISTER_BROKER_RECORD":
            state = was if data["brokerEpoch"] == epoch else "registered"
        elif kind == "UNREGISTER_BROKER_RECORD":
            state = "unregistered"
        elif data.get("fenced") == 1:
            state = was if was == "registered" else "fenced"
        elif data.get("inControlledShutdown") == 1:
            state = was if was in ("registered", "fenced") else "controlled shutdown"
        else:
            state = "active" if data.get("fenced") == -1 else was
        if (data["brokerEpoch"], state) != (epoch, was):
            self.lives[data["brokerId"]] = (data["brokerEpoch"], state)
            self.brokers.append((data["brokerId"], offset, state))


def told(lines: list[str]) -> Told:
    """Read the dump of a log from its first record on; its transactions, the bootstrap's, all come to an end."""
    found = Told()
    for offset, at_ms, kind, data in _records(lines, found):
        assert kind != "ABORT_TRANSACTION_RECORD"
        found.take(offset, at_ms, kind, data)
    for key in list(found.now):
        found.ends(key, None, None)
    return found


def _records(lines: list[str], found: Told) -> Iterator[tuple[int, int, str, dict[str, Any]]]:
    epoch = 0
    for line in lines:
        batch, record = _BATCH.match(line), _RECORD.match(line)
        if batch:
            epoch = int(batch[2])
        if record and record[3] == "LeaderChange":
            found.tenures.append((epoch, json.loads(record[4])["leaderId"], int(record[1]), int(record[2])))
        elif record:
            payload = json.loads(record[4])
            yield int(record[1]), int(record[2]), payload["type"], payload["data"]


def rows(table: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    chosen = [
        F.unix_millis(name).alias(name) if kind == "timestamp" else F.col(name)
        for name, kind in table.select(*columns).dtypes
    ]
    return [tuple(row) for row in table.select(*chosen).collect()]


def load(spark: SparkSession, made: History) -> DataFrame:
    spark.dataSource.register(KraftDataSource)
    reader = spark.read.format("kraft").options(
        view="typed",
        replicas="one",
        recordTypes=",".join(history.JOB.record_types),
        **history.JOB.source_options,
    )
    return reader.load(",".join(made.paths)).persist()


@pytest.mark.parametrize("make", ["our_history", "stock_history"])
def test_history_is_what_the_stock_dump_tells(
    make: str, spark: SparkSession, request: pytest.FixtureRequest
) -> None:
    made: History = request.getfixturevalue(make)
    files = sorted(Path(made.paths[0], "__cluster_metadata-0").glob("*.log"))
    dump = run_tool("kafka-dump-log", "--cluster-metadata-decoder", "--files", ",".join(map(str, files)))
    expected = told(dump.stdout.splitlines())
    df = load(spark, made)
    columns = ("leader", "leaderEpoch", "fromOffset", "fromTimestamp", "toOffset", "toTimestamp")
    found = rows(history.leadership(df), "topicId", "partitionId", *columns)
    assert sorted(found, key=repr) == sorted(expected.leaderships, key=repr)
    assert len(found) > 20
    tenures = rows(history.quorum(df), "partitionLeaderEpoch", "leaderId", "fromOffset", "fromTimestamp")
    assert sorted(tenures) == expected.tenures
    # One controller was killed while it led, the broker was killed too, and shut down in the end.
    assert len(tenures) >= 2
    lives = rows(history.brokers(df), "brokerId", "fromOffset", "state")
    assert sorted(lives) == sorted(expected.brokers)
    life = [state for broker, _, state in sorted(lives) if broker == made.broker]
    # In between, a busy machine may have it fenced; without partitions to lead it has nothing to hand over in the end.
    assert [state for state in life if state == "registered"] == ["registered"] * 2
    assert life[-1] == "fenced"
    history.forget(df)
    df.unpersist()
