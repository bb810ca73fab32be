"""Reduces the histories to what the report draws: counts, bins of time, the worst few.

The limits of `data` bound everything that is brought to the driver here, however long the log is and however many
partitions the cluster has. What is left out is counted. Each history is made once and kept for several queries. The
values of a lane or a row come as one list, so that one query is enough to choose the lanes.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs import history
from kafkaproto_pipeline.jobs.history.rows import kept
from kafkaproto_pipeline.jobs.job import Transform
from kafkaproto_pipeline.jobs.local_frames import hold, local_frame
from kafkaproto_pipeline.jobs.report import event_rows
from kafkaproto_pipeline.jobs.report.data import (
    EMPTY,
    MAX_CELLS,
    MAX_LANES,
    MAX_PARTITIONS,
    MAX_SPANS,
    MAX_TOPICS,
    MAX_TYPES,
    MAX_WORST,
    SHOWN_FIRST,
    Balance,
    Bins,
    BrokerLanes,
    BrokerSpan,
    IsrCell,
    IsrMap,
    IsrRow,
    QuorumTenures,
    Rates,
    Report,
    ReportHeader,
    Tenure,
    WorstPartition,
    WorstPartitions,
    bins_of,
)
from kafkaproto_pipeline.jobs.report.theme import counted

_AT_ONCE = 2
"""Queries at once, beside those of the main thread: most of a small one is its plan, which takes one core."""
_PARTS_OF_EVENTS: tuple[tuple[Transform, ...], ...] = (
    (history.quorum, history.brokers),
    (history.topic_changes, history.reassignments),
)
"""Histories that the events are made of, beside the leaderships: what is made at once."""
PARTITION = ("topicId", "partitionId")
UNREADABLE = "_corrupt_record"
NO_NAME = "unknown topic"
"""A topic that the log mentions without its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """The time that the report is about, and how it is cut."""

    start_ms: int
    end_ms: int
    bins: Bins


def reduced(df: DataFrame) -> Report:
    """The report's contents from the source's ``typed`` view. Raises ValueError if the rows are of two clusters."""
    is_local = df.isLocal()
    if not is_local:
        df = df.persist()
    try:
        return _reduced(df)
    finally:
        history.forget(df)
        if not is_local:
            df.unpersist()


def _reduced(df: DataFrame) -> Report:
    overview = _row(_overview(df))
    clusters = [each for each in overview["clusters"] if each is not None]
    if len(clusters) > 1:
        raise ValueError(
            f"a report is about one cluster, but these records are of {' and '.join(clusters)}: choose one by its path"
        )
    if overview["startMs"] is None:
        return EMPTY
    start_ms, end_ms = overview["startMs"], overview["endMs"]
    span = TimeRange(start_ms=start_ms, end_ms=end_ms, bins=bins_of(start_ms, end_ms))
    in_sync = _clipped(history.isr(df), span)
    held: list[DataFrame] = []
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            # The events are made of these. They take as long as all of the rest, so they begin first.
            parts = [pool.submit(_keep, df, *makes) for makes in _PARTS_OF_EVENTS]
            leaders = _clipped(kept(df, history.leadership), span)
            for part in parts:
                part.result()
            told = pool.submit(event_rows.told, df)
            quorum = pool.submit(_quorum, df, span)
            brokers = pool.submit(_brokers, df, span)
            rates = pool.submit(_rates, df, span, overview["types"])
            held.append(in_sync := hold(in_sync, df))
            held.append(partitions := hold(_partitions(in_sync, leaders), df))
            sums = _row(_sums(partitions))
            worst = pool.submit(_worst, partitions, sums["troubled"])
            topic_isr, partition_isr = _isr(in_sync, partitions, span, sums)
            lanes, fencings = brokers.result()
            tenures, elections = quorum.result()
            balance = _balance(leaders, span, lanes.brokers)
            held.append(happened := told.result())
            marks = pool.submit(event_rows.marks, happened, start_ms, end_ms)
            failures = pool.submit(event_rows.failures, happened, lanes.brokers, span.bins)
            events = event_rows.events(happened)
            return Report(
                header=ReportHeader(
                    cluster_ids=clusters,
                    records=overview["records"],
                    first_offset=overview["firstOffset"],
                    last_offset=overview["lastOffset"],
                    start_ms=start_ms,
                    end_ms=end_ms,
                    topics=sums["topicsAtEnd"],
                    partitions=sums["partitionsAtEnd"],
                    elections=elections,
                    fencings=fencings,
                    leaderless_ms=sums["leaderlessMs"] or 0,
                    under_replicated_ms=sums["underReplicatedMs"] or 0,
                    notes=_notes(overview),
                ),
                bins=span.bins,
                quorum=tenures,
                brokers=dataclasses.replace(lanes, failures=failures.result()),
                topic_isr=topic_isr,
                partition_isr=partition_isr,
                balance=balance,
                rates=rates.result(),
                worst=worst.result(),
                events=events,
                marks=marks.result(),
            )
    finally:
        for each in held:
            each.unpersist()


def _keep(df: DataFrame, *makes: Transform) -> None:
    for make in makes:
        kept(df, make)


def _row(df: DataFrame) -> Row:
    """The one row of an aggregation over everything."""
    row = df.first()
    assert row is not None
    return row


def _overview(df: DataFrame) -> DataFrame:
    """One row about all rows. Times and offsets are the log's if there is one, else those of the snapshots."""
    in_log = F.col("source") == "log"
    logged = {
        "offset": F.when(in_log, F.col("offset")),
        "ms": F.when(in_log, F.unix_millis("timestamp")),
    }
    stated = {"offset": F.col("offset"), "ms": F.unix_millis("timestamp")}
    unreadable = F.col(UNREADABLE).isNotNull() if UNREADABLE in df.columns else F.lit(False)
    counts = {
        "records": in_log & ~unreadable,
        "fromSnapshots": ~in_log,
        "uncommitted": in_log & ~F.col("committed"),
        "unreadable": unreadable,
        "aborted": F.col("recordType") == "AbortTransactionRecord",
    }
    return df.agg(
        F.slice(F.sort_array(F.collect_set("clusterId")), 1, 5).alias("clusters"),
        F.coalesce(F.min(logged["offset"]), F.min(stated["offset"])).alias("firstOffset"),
        F.coalesce(F.max(logged["offset"]), F.max(stated["offset"])).alias("lastOffset"),
        F.coalesce(F.min(logged["ms"]), F.min(stated["ms"])).alias("startMs"),
        F.coalesce(F.max(logged["ms"]), F.max(stated["ms"])).alias("endMs"),
        F.count_distinct(F.when(in_log, F.col("recordType"))).alias("types"),
        *(F.count_if(condition).alias(name) for name, condition in counts.items()),
    )


def _notes(overview: Row) -> list[str]:
    notes = []
    if overview["records"] and overview["firstOffset"] > 0:
        known = "is known from snapshots only" if overview["fromSnapshots"] else "is not known"
        notes.append(
            f"The log at hand begins at offset {overview['firstOffset']:,}: what was before {known}."
        )
    if overview["unreadable"]:
        notes.append(f"{counted(overview['unreadable'], 'place')} that could not be read left out.")
    if overview["aborted"]:
        notes.append(f"Records of {counted(overview['aborted'], 'aborted metadata transaction')} left out.")
    if overview["uncommitted"]:
        notes.append(
            f"Of {counted(overview['uncommitted'], 'record')} it is not known whether they were committed."
        )
    return notes


def _clipped(spans: DataFrame, span: TimeRange) -> DataFrame:
    """Intervals within the range, with ``startMs`` and ``endMs``; one that lasts ends with the range."""
    start_ms = F.greatest(F.unix_millis("fromTimestamp"), F.lit(span.start_ms))
    end_ms = F.least(F.coalesce(F.unix_millis("toTimestamp"), F.lit(span.end_ms)), F.lit(span.end_ms))
    spans = spans.withColumns({"startMs": start_ms, "endMs": end_ms})
    return spans.withColumn("endMs", F.greatest("startMs", "endMs"))


def _bin(bins: Bins, at_ms: Column) -> Column:
    """The number of the bin in which a time lies."""
    number = F.floor((at_ms - F.lit(bins.first_ms)) / F.lit(bins.step_ms)).cast("INT")
    return F.least(F.greatest(number, F.lit(0)), F.lit(bins.count - 1))


def _span_bin(span: TimeRange) -> Column:
    """Which spans of a lane are drawn as one: those shorter than a bin that begin in the same bin; others have none.

    So a lane has at most two spans a bin, and all lanes together at most `MAX_SPANS`.
    """
    bins = bins_of(span.start_ms, span.end_ms, MAX_SPANS // MAX_LANES // 2)
    short = F.col("endMs") - F.col("startMs") < F.lit(bins.step_ms)
    return F.when(short, _bin(bins, F.col("startMs")))


def _spans(intervals: DataFrame, lane: str, span: TimeRange, *aggregates: Column) -> DataFrame:
    """A lane's spans, few enough to be drawn: columns of the lane, ``count`` and ``spans``."""
    apart = F.when(F.col("bin").isNull(), F.col("fromOffset")).alias("apart")
    drawn = (
        intervals.withColumn("bin", _span_bin(span))
        .groupBy(lane, "bin", apart)
        .agg(
            F.min("startMs").alias("startMs"),
            F.max("endMs").alias("endMs"),
            F.min("fromOffset").alias("offset"),
            F.count("*").alias("count"),
            *aggregates,
        )
    )
    struct = F.struct(*(each for each in drawn.columns if each not in (lane, "bin", "apart")))
    return drawn.groupBy(lane).agg(F.sum("count").alias("count"), F.collect_list(struct).alias("spans"))


def _lanes(
    source: DataFrame, lanes: DataFrame, order: Column, lane: str, *sums: Column
) -> tuple[list[Row], Row]:
    """The first lanes by ``order``, and one row about all: how many there are (``lanes``), and these sums."""
    lanes = hold(lanes, source)
    try:
        shown = lanes.orderBy(order, lane).limit(MAX_LANES).collect()
        return shown, _row(lanes.agg(F.count("*").alias("lanes"), *sums))
    finally:
        lanes.unpersist()


def _quorum(df: DataFrame, span: TimeRange) -> tuple[QuorumTenures, int]:
    """The lanes of the controllers, and how many elections there were."""
    epochs = _clipped(kept(df, history.quorum).filter(F.col("leaderId").isNotNull()), span)
    spans = _spans(
        epochs,
        "leaderId",
        span,
        F.min("partitionLeaderEpoch").alias("firstEpoch"),
        F.max("partitionLeaderEpoch").alias("lastEpoch"),
        F.max("skippedEpochs").alias("skipped"),
        F.array_distinct(F.flatten(F.collect_set("voterIds"))).alias("voters"),
    )
    lanes, total = _lanes(df, spans, F.desc("count"), "leaderId", F.sum("count").alias("elections"))
    tenures = [
        Tenure(
            leader_id=lane["leaderId"],
            first_epoch=each["firstEpoch"],
            last_epoch=each["lastEpoch"],
            start_ms=each["startMs"],
            end_ms=each["endMs"],
            start_offset=each["offset"],
            count=each["count"],
            skipped_epochs=each["skipped"],
        )
        for lane in lanes
        for each in lane["spans"]
    ]
    leaders = [lane["leaderId"] for lane in lanes]
    voters = {voter for lane in lanes for each in lane["spans"] for voter in each["voters"] or ()}
    controllers = [*leaders, *sorted(voters - set(leaders))]
    shown = sorted(controllers[:MAX_LANES])
    known = max(total["lanes"], len(controllers))
    tenures.sort(key=lambda each: each.first_epoch)
    return QuorumTenures(controllers=shown, tenures=tenures, left_out=known - len(shown)), total[
        "elections"
    ] or 0


def _brokers(df: DataFrame, span: TimeRange) -> tuple[BrokerLanes, int]:
    """The lanes of the brokers without failures, and how often a broker was fenced."""
    rank = F.array_position(F.array(*map(F.lit, SHOWN_FIRST)), F.col("state"))
    spans = _spans(
        _clipped(kept(df, history.brokers), span),
        "brokerId",
        span,
        F.min_by("state", rank).alias("state"),
        F.count_if(F.col("state") == "fenced").alias("fenced"),
    )
    fenced = F.aggregate("spans.fenced", F.lit(0).cast("BIGINT"), lambda total, each: total + each)
    lanes, total = _lanes(df, spans, F.desc("count"), "brokerId", F.sum(fenced).alias("fencings"))
    brokers = sorted(lane["brokerId"] for lane in lanes)
    drawn = [
        BrokerSpan(
            broker_id=lane["brokerId"],
            state=each["state"],
            start_ms=each["startMs"],
            end_ms=each["endMs"],
            start_offset=each["offset"],
            count=each["count"],
        )
        for lane in lanes
        for each in lane["spans"]
    ]
    return (
        BrokerLanes(
            brokers=brokers,
            spans=sorted(drawn, key=lambda each: (each.broker_id, each.start_ms)),
            failures=(),
            left_out=total["lanes"] - len(brokers),
        ),
        total["fencings"] or 0,
    )


def _partitions(in_sync: DataFrame, leaders: DataFrame) -> DataFrame:
    """One row a partition: when it was, and how long it was in trouble."""
    length_ms = F.col("endMs") - F.col("startMs")

    def during(condition: str) -> Column:
        return F.sum(F.when(F.col(condition), length_ms).otherwise(0)).alias(f"{condition}Ms")

    in_order = Window.partitionBy(*PARTITION).orderBy("fromOffset")
    changed = F.lag("isr").over(in_order) != F.col("isr")
    states = (
        in_sync.withColumn("isrChanged", changed)
        .groupBy(*PARTITION)
        .agg(
            F.first("topicName", ignorenulls=True).alias("topicName"),
            F.min("startMs").alias("startMs"),
            F.max("endMs").alias("endMs"),
            F.bool_or(F.col("toOffset").isNull()).alias("lasts"),
            during("leaderless"),
            during("underMinIsr"),
            during("underReplicated"),
            F.sum(F.when(F.col("underReplicated"), length_ms * _missing()).otherwise(0)).alias("missingMs"),
            F.bool_or(F.col("underReplicated") | F.col("leaderless")).alias("outOfSync"),
            F.count_if("isrChanged").alias("isrChanges"),
        )
    )
    ended = (F.col("leader") >= 0) & F.col("endedBy").isin("another leader", "leaderless")
    changes = leaders.groupBy(*PARTITION).agg(F.count_if(ended).alias("leaderChanges"))
    partitions = states.join(changes, list(PARTITION), "left").fillna(0, ["leaderChanges"])
    return partitions.withColumn("troubled", F.col("outOfSync") | (F.col("leaderChanges") > 0))


def _missing() -> Column:
    """Replicas that are not in sync."""
    return F.greatest(F.size("replicas") - F.size("isr"), F.lit(0))


def _sums(partitions: DataFrame) -> DataFrame:
    """What is said of all partitions; those that are there at the end, and all that ever were."""
    topic = F.col("topicId")
    return partitions.agg(
        F.count_distinct(F.when(F.col("lasts"), topic)).alias("topicsAtEnd"),
        F.count_if("lasts").alias("partitionsAtEnd"),
        F.count_distinct(topic).alias("topics"),
        F.count("*").alias("partitions"),
        F.count_distinct(F.when(F.col("outOfSync"), topic)).alias("topicsOutOfSync"),
        F.count_if("outOfSync").alias("partitionsOutOfSync"),
        F.count_if("troubled").alias("troubled"),
        F.sum("leaderlessMs").alias("leaderlessMs"),
        F.sum("underReplicatedMs").alias("underReplicatedMs"),
    )


def _isr(in_sync: DataFrame, partitions: DataFrame, span: TimeRange, sums: Row) -> tuple[IsrMap, IsrMap]:
    """The heat maps of topics and of partitions that were leaderless or out of sync, those for longest first."""
    bad = F.col("outOfSync")
    worst = (F.desc("leaderlessMs"), F.desc("missingMs"))
    by_topic = partitions.groupBy("topicId").agg(
        F.first("topicName", ignorenulls=True).alias("topicName"),
        F.lit(None).cast("INT").alias("partitionId"),
        F.min("startMs").alias("startMs"),
        F.max("endMs").alias("endMs"),
        F.sum("leaderlessMs").alias("leaderlessMs"),
        F.sum("missingMs").alias("missingMs"),
        F.bool_or("outOfSync").alias("outOfSync"),
    )
    topics = by_topic.filter(bad).orderBy(*worst, "topicId").limit(MAX_TOPICS)
    chosen = partitions.filter(bad).orderBy(*worst, *PARTITION).limit(MAX_PARTITIONS)
    drawn = [each.select(*PARTITION, "topicName", "startMs", "endMs").collect() for each in (topics, chosen)]
    cells = _isr_cells(in_sync, span.bins, [row for rows in drawn for row in rows])
    maps = []
    for rows, name in zip(drawn, ("topics", "partitions"), strict=True):
        kept = _fitting([len(each) for each in cells[: len(rows)]])
        maps.append(
            IsrMap(
                rows=[
                    IsrRow(
                        topic=row["topicName"] or NO_NAME,
                        partition=row["partitionId"],
                        start_ms=row["startMs"],
                        end_ms=row["endMs"],
                    )
                    for row in rows[:kept]
                ],
                cells=[
                    IsrCell(
                        row=number,
                        bin=cell["bin"],
                        share=cell["share"],
                        out_of_sync_ms=cell["outMs"],
                        leaderless_ms=cell["leaderlessMs"],
                        partitions=cell["partitions"],
                    )
                    for number, of_row in enumerate(cells[:kept])
                    for cell in of_row
                ],
                left_out=sums[f"{name}OutOfSync"] - kept,
                healthy=sums[name] - sums[f"{name}OutOfSync"],
            )
        )
        del cells[: len(rows)]
    return maps[0], maps[1]


def _fitting(counts: Sequence[int]) -> int:
    """How many rows, from the first, have at most `MAX_CELLS` cells together."""
    return sum(total <= MAX_CELLS for total in itertools.accumulate(counts))


def _isr_cells(in_sync: DataFrame, bins: Bins, rows: Sequence[Row]) -> list[list[dict[str, Any]]]:
    """For each row, a topic's or a partition's, the bins of time in which it was not all in sync."""
    cells: list[list[dict[str, Any]]] = [[] for _ in rows]
    if not rows:
        return cells
    # An interval is drawn in its topic's row, in its own, in both, or in none.
    drawn = pa.table(
        {
            "drawnTopicId": pa.array([row["topicId"] for row in rows], pa.string()),
            "drawnPartition": pa.array([row["partitionId"] for row in rows], pa.int32()),
            "row": pa.array(range(len(rows)), pa.int32()),
        }
    )
    places = F.broadcast(local_frame(in_sync.sparkSession, drawn))
    is_drawn = (F.col("topicId") == F.col("drawnTopicId")) & (
        F.col("drawnPartition").isNull() | (F.col("drawnPartition") == F.col("partitionId"))
    )
    # The end is exclusive: an interval that ends where a bin begins is not in it.
    last_ms = F.greatest("startMs", F.col("endMs") - 1)
    touched = F.sequence(_bin(bins, F.col("startMs")), _bin(bins, last_ms))
    begin_ms = F.lit(bins.first_ms) + F.col("bin").cast("BIGINT") * bins.step_ms
    overlap_ms = F.least("endMs", begin_ms + bins.step_ms) - F.greatest("startMs", begin_ms)
    share = F.size("isr") / F.greatest(F.size("replicas"), F.lit(1))
    found = (
        in_sync.filter(F.col("underReplicated") | F.col("leaderless"))
        .join(places, is_drawn)
        .withColumn("bin", F.explode(touched))
        .groupBy("row", "bin")
        .agg(
            F.least(F.min(share), F.lit(1.0)).alias("share"),
            F.sum(overlap_ms * _missing()).alias("outMs"),
            F.sum(F.when(F.col("leaderless"), overlap_ms).otherwise(0)).alias("leaderlessMs"),
            F.count_distinct("partitionId").alias("partitions"),
        )
    )
    for cell in found.toArrow().to_pylist():
        cells[cell["row"]].append(cell)
    return cells


def _balance(leaders: DataFrame, span: TimeRange, registered: Iterable[int]) -> Balance:
    """Partitions led by each broker, from what each leadership adds when it begins and takes when it ends.

    A broker's count changes only where a leadership begins or ends; so it is summed up a bin, weighted by the part of
    the bin that was left, and carried on from bin to bin.
    """
    bins = span.bins
    begun = F.struct(F.lit(1).alias("change"), F.col("startMs").alias("atMs"))
    ended = F.struct(F.lit(-1).alias("change"), F.col("endMs").alias("atMs"))
    ends = F.when(F.col("toOffset").isNotNull(), ended)
    number = _bin(bins, F.col("atMs"))
    rest_ms = F.lit(bins.first_ms) + (number.cast("BIGINT") + 1) * bins.step_ms - F.col("atMs")
    changes = (
        leaders.filter(F.col("leader") >= 0)
        .select("leader", F.inline(F.array_compact(F.array(begun, ends))))
        .groupBy("leader", number.alias("bin"))
        .agg(F.sum("change").alias("change"), F.sum(F.col("change") * rest_ms / bins.step_ms).alias("mean"))
    )
    # The mean over the range, but for the bins that follow a change: good enough to order by.
    following = F.sum(F.col("mean") + F.col("change") * (F.lit(bins.count - 1) - F.col("bin")))
    lanes = changes.groupBy("leader").agg(
        following.alias("led"), F.collect_list(F.struct("bin", "change", "mean")).alias("changes")
    )
    rows, total = _lanes(leaders, lanes, F.desc("led"), "leader")
    led = {row["leader"]: _carried_on(row["changes"], bins) for row in rows}
    idle = [each for each in registered if each not in led][: MAX_LANES - len(led)]
    if led:
        led |= {each: [0.0] * bins.count for each in idle}
    brokers = sorted(led)
    return Balance(brokers=brokers, led=[led[each] for each in brokers], left_out=total["lanes"] - len(rows))


def _carried_on(changes: Iterable[Row], bins: Bins) -> list[float]:
    """The mean count in each bin, from the changes in some."""
    by_bin = {row["bin"]: row for row in changes}
    count = 0
    means = []
    for at in range(bins.count):
        row = by_bin.get(at)
        means.append(count + row["mean"] if row else float(count))
        count += row["change"] if row else 0
    return means


def _rates(df: DataFrame, span: TimeRange, types: int) -> Rates:
    """Records by type and bin; the rarest types are drawn as one."""
    own = types if types <= MAX_TYPES else MAX_TYPES - 1
    number = _bin(span.bins, F.unix_millis("timestamp"))
    counts = (
        df.filter((F.col("source") == "log") & F.col("recordType").isNotNull())
        .groupBy("recordType", number.alias("bin"))
        .agg(F.count("*").alias("count"))
        .groupBy("recordType")
        .agg(F.sum("count").alias("total"), F.collect_list(F.struct("bin", "count")).alias("bins"))
        .orderBy(F.desc("total"), "recordType")
    )
    rows = counts.limit(own).collect()
    names = [row["recordType"] for row in rows]
    cells = [{each["bin"]: each["count"] for each in row["bins"]} for row in rows]
    if types > own:
        rest = counts.filter(~F.col("recordType").isin(names)).select(F.inline("bins"))
        summed = rest.groupBy("bin").agg(F.sum("count").alias("count")).collect()
        names.append("other types")
        cells.append({row["bin"]: row["count"] for row in summed})
    return Rates(
        types=names,
        counts=[[each.get(at, 0) for at in range(span.bins.count)] for each in cells],
        others=types - own,
    )


def _worst(partitions: DataFrame, troubled: int) -> WorstPartitions:
    """The partitions that were longest without a leader, then below their minimum, then under-replicated."""
    order = ("leaderlessMs", "underMinIsrMs", "underReplicatedMs", "leaderChanges")
    worst = partitions.filter("troubled").orderBy(*map(F.desc, order), *PARTITION).limit(MAX_WORST)
    rows = [
        WorstPartition(
            topic=row["topicName"] or NO_NAME,
            partition=row["partitionId"],
            under_replicated_ms=row["underReplicatedMs"],
            under_min_isr_ms=row["underMinIsrMs"],
            leaderless_ms=row["leaderlessMs"],
            leader_changes=row["leaderChanges"],
            isr_changes=row["isrChanges"],
        )
        for row in worst.collect()
    ]
    return WorstPartitions(rows=rows, left_out=troubled - len(rows))
