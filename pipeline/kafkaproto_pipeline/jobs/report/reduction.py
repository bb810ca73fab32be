"""Reduces the histories to what the report draws: counts, bins of time, the worst few.

The limits of `data` bound everything that is brought to the driver here, however long the log is and however many
partitions the cluster has. What is left out is counted. Each history is made once and kept for several queries. The
values of a lane or a row come as one list, so that one query is enough to choose the lanes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs import history
from kafkaproto_pipeline.jobs.report.data import (
    EMPTY,
    MAX_LANES,
    MAX_ROWS,
    MAX_SPANS,
    MAX_TABLE_ROWS,
    MAX_TYPES,
    SHOWN_FIRST,
    Balance,
    Bins,
    BrokerLanes,
    BrokerSpan,
    DirectoryFailure,
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
from kafkaproto_pipeline.views.latest import MARKERS

PARTITION = ("topicId", "partition")
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
    df = df.persist()
    try:
        return _reduced(df)
    finally:
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
    quorum, elections = _quorum(df, span)
    brokers, fencings = _brokers(df, span)
    in_sync = _clipped(history.isr(df), span).persist()
    leaders = _clipped(history.leadership(df), span).persist()
    partitions = _partitions(in_sync, leaders).persist()
    try:
        sums = _row(_sums(partitions))
        topic_isr, partition_isr = _isr(in_sync, partitions, span, sums)
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
            quorum=quorum,
            brokers=brokers,
            topic_isr=topic_isr,
            partition_isr=partition_isr,
            balance=_balance(leaders, span, brokers.brokers),
            rates=_rates(df, span, overview["types"]),
            worst=_worst(partitions, sums["troubled"]),
        )
    finally:
        for each in (partitions, leaders, in_sync):
            each.unpersist()


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


def _lanes(lanes: DataFrame, order: Column, lane: str, *sums: Column) -> tuple[list[Row], Row]:
    """The first lanes by ``order``, and one row about all: how many there are (``lanes``), and these sums."""
    lanes = lanes.persist()
    try:
        shown = lanes.orderBy(order, lane).limit(MAX_LANES).collect()
        return shown, _row(lanes.agg(F.count("*").alias("lanes"), *sums))
    finally:
        lanes.unpersist()


def _quorum(df: DataFrame, span: TimeRange) -> tuple[QuorumTenures, int]:
    """The lanes of the controllers, and how many elections there were."""
    epochs = _clipped(history.quorum(df).filter(F.col("leaderId").isNotNull()), span)
    spans = _spans(
        epochs,
        "leaderId",
        span,
        F.min("epoch").alias("firstEpoch"),
        F.max("epoch").alias("lastEpoch"),
        F.max("skippedEpochs").alias("skipped"),
        F.array_distinct(F.flatten(F.collect_set("voters"))).alias("voters"),
    )
    lanes, total = _lanes(spans, F.desc("count"), "leaderId", F.sum("count").alias("elections"))
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
    """The lanes of the brokers, and how often a broker was fenced."""
    rank = F.array_position(F.array(*map(F.lit, SHOWN_FIRST)), F.col("state"))
    spans = _spans(
        _clipped(history.brokers(df), span),
        "brokerId",
        span,
        F.min_by("state", rank).alias("state"),
        F.count_if(F.col("state") == "fenced").alias("fenced"),
    )
    fenced = F.aggregate("spans.fenced", F.lit(0).cast("BIGINT"), lambda total, each: total + each)
    lanes, total = _lanes(spans, F.desc("count"), "brokerId", F.sum(fenced).alias("fencings"))
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
            failures=_failures(df, span, brokers),
            left_out=total["lanes"] - len(brokers),
        ),
        total["fencings"] or 0,
    )


def _failures(df: DataFrame, span: TimeRange, brokers: Sequence[int]) -> list[DirectoryFailure]:
    # Events of replicas are not needed: without their records, the table has no rows about them.
    told = df.filter(
        F.col("recordType").isin("RegisterBrokerRecord", "BrokerRegistrationChangeRecord", *MARKERS)
    )
    lost = history.directories(told).filter(F.col("event").isin("failed", "missing"))
    at_ms = F.unix_millis("timestamp")
    rows = (
        lost.filter(F.col("brokerId").isin(list(brokers)))
        .groupBy("brokerId", _bin(span.bins, at_ms).alias("bin"))
        .agg(
            F.min(at_ms).alias("atMs"),
            F.min("offset").alias("offset"),
            F.min_by("directoryId", "offset").alias("directory"),
            F.count("*").alias("count"),
        )
    )
    return [
        DirectoryFailure(
            broker_id=row["brokerId"],
            at_ms=row["atMs"],
            offset=row["offset"],
            directory=row["directory"],
            count=row["count"],
        )
        for row in rows.orderBy("brokerId", "atMs").collect()
    ]


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
            F.first("topic", ignorenulls=True).alias("topic"),
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
    """The heat maps of topics and of partitions: those that were leaderless or out of sync for longest."""
    bad = F.col("outOfSync")
    worst = (F.desc("leaderlessMs"), F.desc("missingMs"))
    by_topic = partitions.groupBy("topicId").agg(
        F.first("topic", ignorenulls=True).alias("topic"),
        F.lit(None).cast("INT").alias("partition"),
        F.min("startMs").alias("startMs"),
        F.max("endMs").alias("endMs"),
        F.sum("leaderlessMs").alias("leaderlessMs"),
        F.sum("missingMs").alias("missingMs"),
        F.bool_or("outOfSync").alias("outOfSync"),
    )
    topics = by_topic.filter(bad).orderBy(*worst, "topicId").limit(MAX_ROWS).collect()
    chosen = partitions.filter(bad).orderBy(*worst, *PARTITION).limit(MAX_ROWS).collect()
    cells = _isr_cells(in_sync, span.bins, topics, chosen)
    maps = []
    for rows, name in ((topics, "topics"), (chosen, "partitions")):
        number = {(row["topicId"], row["partition"]): at for at, row in enumerate(rows)}
        maps.append(
            IsrMap(
                rows=[IsrRow(name=_name(row), start_ms=row["startMs"], end_ms=row["endMs"]) for row in rows],
                cells=[
                    IsrCell(
                        row=number[cell["topicId"], cell["row"]],
                        bin=cell["bin"],
                        share=cell["share"],
                        out_of_sync_ms=cell["outMs"],
                        leaderless_ms=cell["leaderlessMs"],
                        partitions=cell["partitions"],
                    )
                    for cell in cells
                    if (cell["topicId"], cell["row"]) in number
                ],
                left_out=sums[f"{name}OutOfSync"] - len(rows),
                healthy=sums[name] - sums[f"{name}OutOfSync"],
            )
        )
    return maps[0], maps[1]


def _isr_cells(in_sync: DataFrame, bins: Bins, topics: Sequence[Row], partitions: Sequence[Row]) -> list[Row]:
    """One row for each bin of time in which a topic, or a partition (``row``), was not all in sync."""
    bad = in_sync.filter(F.col("underReplicated") | F.col("leaderless"))
    name = F.concat_ws(" ", *PARTITION)
    names = [f"{row['topicId']} {row['partition']}" for row in partitions]
    ids = [row["topicId"] for row in topics]
    nobody = F.lit(None).cast("INT")
    # An interval is drawn in its topic's row, in its own, or in both.
    drawn_in = F.array(
        F.when(F.col("topicId").isin(ids), F.struct(F.lit(True).alias("shown"), nobody.alias("row"))),
        F.when(name.isin(names), F.struct(F.lit(True).alias("shown"), F.col("partition").alias("row"))),
    )
    # The end is exclusive: an interval that ends where a bin begins is not in it.
    last_ms = F.greatest("startMs", F.col("endMs") - 1)
    touched = F.sequence(_bin(bins, F.col("startMs")), _bin(bins, last_ms))
    begin_ms = F.lit(bins.first_ms) + F.col("bin").cast("BIGINT") * bins.step_ms
    overlap_ms = F.least("endMs", begin_ms + bins.step_ms) - F.greatest("startMs", begin_ms)
    share = F.size("isr") / F.greatest(F.size("replicas"), F.lit(1))
    return (
        bad.withColumn("place", F.explode(F.array_compact(drawn_in)))
        .withColumn("row", F.col("place.row"))
        .withColumn("bin", F.explode(touched))
        .groupBy("topicId", "row", "bin")
        .agg(
            F.least(F.min(share), F.lit(1.0)).alias("share"),
            F.sum(overlap_ms * _missing()).alias("outMs"),
            F.sum(F.when(F.col("leaderless"), overlap_ms).otherwise(0)).alias("leaderlessMs"),
            F.count_distinct("partition").alias("partitions"),
        )
        .collect()
    )


def _name(row: Row) -> str:
    """The name of a topic's or a partition's row."""
    topic = row["topic"] or NO_NAME
    return topic if row["partition"] is None else f"{topic}-{row['partition']}"


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
    rows, total = _lanes(lanes, F.desc("led"), "leader")
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
    worst = partitions.filter("troubled").orderBy(*map(F.desc, order), *PARTITION).limit(MAX_TABLE_ROWS)
    rows = [
        WorstPartition(
            topic=row["topic"] or NO_NAME,
            partition=row["partition"],
            under_replicated_ms=row["underReplicatedMs"],
            under_min_isr_ms=row["underMinIsrMs"],
            leaderless_ms=row["leaderlessMs"],
            leader_changes=row["leaderChanges"],
            isr_changes=row["isrChanges"],
        )
        for row in worst.collect()
    ]
    return WorstPartitions(rows=rows, left_out=troubled - len(rows))
