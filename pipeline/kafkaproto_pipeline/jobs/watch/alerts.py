"""``watch``: alerts as they happen, by structured streaming over the metadata log.

`alerts` turns the source's stream of records into a stream of alerts, for any sink. `start` runs it with the sinks
that the command line offers: the screen, files, a Kafka topic through Spark's own Kafka sink. The memory of the rules
(`rules`) is Spark's state. It is in the checkpoint, together with the stream's position, and is restored from there.
Topics are spread over `SHARDS` groups, so a batch needs only the state of the groups whose topics change in it.

Files are written once. Each batch has a folder named after its number, below a folder named after the watch. A batch
that is repeated after a crash writes the same folder again. Kafka's sink may repeat the alerts of a batch in that
case.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupStateTimeout

from kafkaproto_pipeline.inspection import TORN
from kafkaproto_pipeline.jobs.watch.rules import (
    DAMAGE,
    MIN_ISR_KEY,
    QUORUM,
    Alert,
    ClusterRules,
    Limits,
    LogRecord,
    TopicRules,
)
from kafkaproto_pipeline.views.latest import MARKERS
from kafkaproto_pipeline.views.schema import CORRUPT_COLUMN

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.state import GroupState

SHARDS = 8
"""Groups of topics. A checkpoint belongs to this number."""
COLUMNS = (
    "clusterId",
    "offset",
    "snapshotIndex",
    "partitionLeaderEpoch",
    "timestamp",
    "recordType",
    "payload",
    CORRUPT_COLUMN,
)
"""The columns of the view ``records`` that `alerts` uses."""
ALERT_COLUMNS = ("timestamp", "severity", "kind", "subject", "offset", "text", "cause", "clusterId")

_TOPIC_TYPES = ("TopicRecord", "RemoveTopicRecord", "PartitionRecord", "PartitionChangeRecord")
_RAISED = (
    "clusterId STRING, timeMs BIGINT, kind STRING, severity STRING, subject STRING, offset BIGINT, text STRING, "
    "cause STRING"
)
_RAISED_NAMES = ("clusterId", "timeMs", "kind", "severity", "subject", "offset", "text", "cause")
_MEMORY = "memory BINARY"
_EMPTY_BATCHES = "spark.sql.streaming.noDataMicroBatches.enabled"


def alerts(df: DataFrame, limits: Limits | None = None) -> DataFrame:
    """The alerts of a stream of the view ``records``, which needs no columns but `COLUMNS`.

    Rows of damage become alerts too. A torn end is none: the node may be writing it.
    """
    damage = F.col(CORRUPT_COLUMN)
    kept = df.filter(damage.isNull() | ~damage["reason"].startswith(TORN))
    text = F.format_string("%s, byte %d: %s", damage["file"], damage["position"], damage["reason"])
    rows = kept.select(
        F.coalesce("clusterId", F.lit("")).alias("clusterId"),
        F.coalesce("offset", damage["offset"], F.lit(-1)).alias("offset"),
        F.coalesce("snapshotIndex", F.lit(-1)).alias("index"),
        F.coalesce(F.unix_millis("timestamp"), F.lit(0)).alias("timeMs"),
        F.coalesce("partitionLeaderEpoch", F.lit(-1)).alias("epoch"),
        F.when(damage.isNull(), F.col("recordType")).otherwise(DAMAGE).alias("recordType"),
        F.when(damage.isNull(), F.col("payload"))
        .otherwise(F.to_json(F.struct(text.alias("reason"))))
        .alias("payload"),
    ).withColumn("shard", F.explode(_shards()))
    raised = rows.groupBy("clusterId", "shard").applyInPandasWithState(
        partial(_look, limits=limits or Limits()),
        _RAISED,
        _MEMORY,
        "append",
        GroupStateTimeout.ProcessingTimeTimeout,
    )
    return raised.withColumn("timestamp", F.timestamp_millis("timeMs")).select(*ALERT_COLUMNS)


def start(
    alerts: DataFrame,
    *,
    checkpoint: str,
    interval_s: float,
    once: bool,
    deliver: Callable[[DataFrame, int], None],
    failed: Callable[[Exception], None],
) -> StreamingQuery:
    """Start the stream. ``deliver`` is called with the alerts of each batch that has any, and its number.

    ``failed`` is called with the exception that ends the query; the query itself only says that there was one.
    """

    def hand_over(batch: DataFrame, number: int) -> None:
        kept = batch.persist()
        try:
            if not kept.isEmpty():
                deliver(kept, number)
        except Exception as error:
            failed(error)
            raise
        finally:
            kept.unpersist()

    writer = alerts.writeStream.outputMode("append").option("checkpointLocation", checkpoint)
    writer = (
        writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{interval_s} seconds")
    )
    writer = writer.foreachBatch(hand_over)
    if not once:
        return writer.start()
    # Silence is found out by batches without records, and asks for the next of them: such a query would never end.
    conf = alerts.sparkSession.conf
    before = conf.get(_EMPTY_BATCHES)
    conf.set(_EMPTY_BATCHES, "false")
    try:
        return writer.start()
    finally:
        conf.set(_EMPTY_BATCHES, str(before))


def write_files(batch: DataFrame, number: int, *, folder: Path) -> None:
    """Write the batch's alerts as JSON lines to a folder of its own, which is replaced if the batch is repeated."""
    batch.coalesce(1).write.mode("overwrite").json(str(folder / f"batch={number:09d}"))


def write_topic(batch: DataFrame, number: int, *, topic: str, bootstrap_servers: str) -> None:
    """The batch's alerts as JSON into a Kafka topic, keyed by what they are about."""
    rows = batch.select(F.col("subject").alias("key"), F.to_json(F.struct(*ALERT_COLUMNS)).alias("value"))
    options = {"kafka.bootstrap.servers": bootstrap_servers, "topic": topic}
    rows.write.format("kafka").options(**options).save()


def _shards() -> Column:
    """The groups that need a record: all groups need transactions, those of topics need their configs, one needs
    everything.
    """
    topics = [F.lit(f"topics-{number}") for number in range(SHARDS)]
    topic = F.pmod(F.xxhash64(F.get_json_object("payload", "$.topicId")), F.lit(SHARDS))
    kind = F.col("recordType")
    is_minimum = (kind == "ConfigRecord") & F.col("payload").contains(MIN_ISR_KEY)
    return (
        F.when(kind.isin(*MARKERS) | is_minimum, F.array(F.lit(QUORUM), *topics))
        .when(kind.isin(*_TOPIC_TYPES), F.array(F.lit(QUORUM), F.concat(F.lit("topics-"), topic)))
        .otherwise(F.array(F.lit(QUORUM)))
    )


def _look(
    key: tuple[str, str], frames: Iterable[pd.DataFrame], state: GroupState, limits: Limits
) -> Iterator[pd.DataFrame]:
    """One group's part of a batch: its alerts, and its new memory."""
    cluster_id, shard = key
    memory = json.loads(zlib.decompress(bytes(state.get[0]))) if state.exists else None
    is_quorum = shard == QUORUM
    rules = ClusterRules(limits, memory) if is_quorum else TopicRules(limits, memory)
    if state.hasTimedOut:
        assert isinstance(rules, ClusterRules)
        raised = list(rules.silent(state.getCurrentProcessingTimeMs()))
    else:
        raised = [alert for record in _in_order(frames, rules) for alert in rules.take(record)]
    state.update((zlib.compress(json.dumps(rules.memory, separators=(",", ":")).encode(), 1),))
    if is_quorum and not state.hasTimedOut:
        state.setTimeoutDuration(limits.silence_ms)
    yield _frame(cluster_id, raised)


def _in_order(frames: Iterable[pd.DataFrame], rules: ClusterRules | TopicRules) -> list[LogRecord]:
    """The records of a batch as the log has them; only those that some rule reads are taken apart."""
    wanted = {*rules.rules(), DAMAGE}
    names = ("offset", "index", "timeMs", "epoch", "recordType", "payload")
    rows: list[tuple[Any, ...]] = []
    for frame in frames:
        rows += zip(*(frame[name].tolist() for name in names), strict=True)
    rows.sort(key=lambda row: row[:2])
    # Damage has no time. If nothing came before it, that of what comes next is the nearest.
    next_ms = next((int(row[2]) for row in rows if row[4] != DAMAGE), 0)
    return [
        LogRecord(
            offset=int(offset),
            time_ms=int(time_ms) if kind != DAMAGE else next_ms,
            epoch=int(epoch),
            type=kind,
            payload=json.loads(payload) if kind in wanted else {},
        )
        for offset, _, time_ms, epoch, kind, payload in rows
    ]


def _frame(cluster_id: str, raised: list[Alert]) -> pd.DataFrame:
    rows = [(cluster_id, *alert) for alert in raised]
    columns = {name: [row[index] for row in rows] for index, name in enumerate(_RAISED_NAMES)}
    kinds = {name: "int64" if name in ("timeMs", "offset") else "object" for name in _RAISED_NAMES}
    return pd.DataFrame(columns).astype(kinds)
