"""The health of the cluster hour by hour, the worst hours first.

All of it is computed from the intervals of `history`. The duration of an interval is spread over the hours that it
touches; an interval that has not ended is taken to last until the log's last record. Hours begin at full hours of UTC.
Partition-seconds are seconds times partitions: an hour in which two partitions were leaderless for ten seconds has 20.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafkaproto_pipeline.jobs.health.hours import (
    HOUR,
    hour_begin,
    hour_of,
    hours,
    log_rows,
    seconds_by_hour,
    spread,
    with_ends,
)
from kafkaproto_pipeline.jobs.history import broker_intervals, partition_intervals
from kafkaproto_pipeline.jobs.history.rows import CLUSTER, all_rows, kept
from kafkaproto_pipeline.jobs.job import Job
from kafkaproto_pipeline.views.schema import RECORD_TYPES

PARTITION = (CLUSTER, "topicName", "topicId", "partitionId")
BROKER = (CLUSTER, "brokerId")
TROUBLES = {
    "underReplicatedSeconds": "underReplicated",
    "underMinIsrSeconds": "underMinIsr",
    "leaderlessSeconds": "leaderless",
}
WORST_FIRST = ("leaderlessSeconds", "underMinIsrSeconds", "underReplicatedSeconds", "leaderChanges")


def by_hour(df: DataFrame) -> DataFrame:
    """Each hour: partition-seconds of trouble, leader changes, brokers fenced and unfenced, records written."""
    pieces = spread(with_ends(kept(df, _troubled), df))
    troubles = seconds_by_hour(pieces, hours(df), TROUBLES)
    counts = {
        "leaderChanges": kept(df, _leader_changes),
        "brokerTransitions": _transitions(df),
        "records": log_rows(df).select(CLUSTER, hour_of("timestamp").alias(HOUR)),
    }
    for name, events in counts.items():
        counted = events.groupBy(CLUSTER, HOUR).agg(F.count("*").alias(name))
        troubles = troubles.unionByName(counted, allowMissingColumns=True)
    found = troubles.groupBy(CLUSTER, HOUR).agg(
        *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in (*TROUBLES, *counts))
    )
    return _worst_first(found, *WORST_FIRST, "brokerTransitions").withColumn(HOUR, hour_begin())


def worst_partitions(df: DataFrame) -> DataFrame:
    """Partitions that had trouble: seconds of each kind, leader changes, and the hour with most of those."""
    spans = with_ends(kept(df, _troubled), df)
    took = (F.col("endMs") - F.col("startMs")) / 1000
    troubles = spans.groupBy(*PARTITION).agg(
        *(F.sum(took * F.col(flag).cast("INT")).alias(name) for name, flag in TROUBLES.items())
    )
    changes = _most_in_an_hour(kept(df, _leader_changes), PARTITION, "leaderChanges", "mostInAnHour")
    both = troubles.unionByName(changes, allowMissingColumns=True).groupBy(*PARTITION)
    found = both.agg(
        *(
            F.coalesce(F.sum(name), F.lit(0)).alias(name)
            for name in (*TROUBLES, "leaderChanges", "mostInAnHour")
        ),
        F.max("worstHour").alias("worstHour"),
    )
    return _worst_first(found, *WORST_FIRST)


def worst_brokers(df: DataFrame) -> DataFrame:
    """Brokers: how long each was fenced, how often it was fenced or unfenced, and the hour with most of that."""
    lives = kept(df, broker_intervals.brokers)
    spans = with_ends(lives, df)
    took = (F.col("endMs") - F.col("startMs")) / 1000
    out = F.col("state").isin("fenced", "registered")
    lasting = spans.groupBy(*BROKER).agg(
        F.sum(took * out.cast("INT")).alias("fencedSeconds"),
        F.countDistinct("brokerEpoch").alias("registrations"),
    )
    transitions = _most_in_an_hour(_transitions(df), BROKER, "brokerTransitions", "mostInAnHour")
    names = ("fencedSeconds", "registrations", "brokerTransitions", "mostInAnHour")
    found = lasting.unionByName(transitions, allowMissingColumns=True).groupBy(*BROKER)
    return _worst_first(
        found.agg(
            *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in names),
            F.max("worstHour").alias("worstHour"),
        ),
        "mostInAnHour",
        "fencedSeconds",
    )


def flapping_partitions(df: DataFrame) -> DataFrame:
    """Leader changes of each partition in each hour that had any."""
    found = kept(df, _leader_changes).groupBy(*PARTITION, HOUR).agg(F.count("*").alias("leaderChanges"))
    return _worst_first(found, "leaderChanges").withColumn(HOUR, hour_begin())


def flapping_brokers(df: DataFrame) -> DataFrame:
    """How often each broker was fenced and unfenced in each hour that had such a thing."""
    found = (
        _transitions(df)
        .groupBy(*BROKER, HOUR)
        .agg(
            F.count("*").alias("brokerTransitions"),
            F.count_if(F.col("state") == "fenced").alias("timesFenced"),
            F.count_if(F.col("state") == "active").alias("timesUnfenced"),
        )
    )
    return _worst_first(found, "brokerTransitions").withColumn(HOUR, hour_begin())


def leadership_skew(df: DataFrame) -> DataFrame:
    """How leadership was spread over brokers at the end of each hour; for the last hour, at the end of the log.

    ``skew`` is the number of partitions of the broker that led most (``mostLed`` by ``mostLedBy``), divided by the
    mean of the ``brokerCount`` brokers that were active or led anything. ``drift`` is the share of all partitions
    (``partitionCount``) that their first replica did not lead, leaderless ones included.
    """
    led = _edges(partition_intervals.preferred_leadership(df)).select(
        CLUSTER,
        HOUR,
        F.col("leader").alias("brokerId"),
        F.when(F.col("leader") >= 0, F.col("edge")).otherwise(0).alias("led"),
        F.col("edge").alias("partitionCount"),
        F.when(F.col("ledByPreferred"), 0).otherwise(F.col("edge")).alias("strayed"),
    )
    alive = _edges(kept(df, broker_intervals.brokers).filter("state = 'active'")).select(
        *BROKER, HOUR, F.col("edge").alias("active")
    )
    names = ("led", "partitionCount", "strayed", "active")
    edges = led.unionByName(alive, allowMissingColumns=True)
    edges = edges.groupBy(*BROKER, HOUR).agg(
        *(F.coalesce(F.sum(each), F.lit(0)).alias(each) for each in names)
    )
    seen = edges.select(*BROKER).distinct()
    axis = hours(df)
    every = axis.join(seen, axis[CLUSTER].eqNullSafe(seen[CLUSTER])).select(axis[CLUSTER], "brokerId", HOUR)
    # A state from a snapshot began before the log's first record, so it counts in the first hour as well.
    until_now = (
        Window.partitionBy(*BROKER).orderBy(HOUR).rangeBetween(Window.unboundedPreceding, Window.currentRow)
    )
    counts = edges.unionByName(every.withColumn("shown", F.lit(True)), allowMissingColumns=True)
    counts = counts.withColumns({each: F.sum(each).over(until_now) for each in names}).filter("shown")
    some = (F.col("active") > 0) | (F.col("led") > 0)
    sums = counts.groupBy(CLUSTER, HOUR).agg(
        F.count_if(some).cast("INT").alias("brokerCount"),
        F.coalesce(F.sum("partitionCount"), F.lit(0)).cast("INT").alias("partitionCount"),
        *(F.coalesce(F.sum(each), F.lit(0)).alias(each) for each in ("led", "strayed")),
        F.coalesce(F.max("led"), F.lit(0)).alias("mostLed"),
        F.max(F.struct("led", (-F.col("brokerId")).alias("_first"))).alias("most"),
    )
    found = sums.withColumns(
        {
            "mostLedBy": F.when(F.col("mostLed") > 0, -F.col("most._first")),
            "skew": F.try_divide(F.col("mostLed") * F.col("brokerCount"), "led"),
            "drift": F.try_divide("strayed", "partitionCount"),
        }
    ).drop("most", "strayed")
    return _worst_first(found, "skew", "drift").withColumn(HOUR, hour_begin())


def record_growth(df: DataFrame) -> DataFrame:
    """Records of each type in each hour that had any, and their number up to then."""
    found = (
        log_rows(df)
        .groupBy(CLUSTER, "recordType", hour_of("timestamp").alias(HOUR))
        .agg(F.count("*").alias("records"))
    )
    until_now = Window.partitionBy(CLUSTER, "recordType").orderBy(HOUR)
    found = found.withColumn("recordsUntilThen", F.sum("records").over(until_now))
    return _worst_first(found, "records").withColumn(HOUR, hour_begin())


def snapshot_lag(df: DataFrame) -> DataFrame:
    """How far the last record of each hour was ahead of the newest snapshot that ends at or before it.

    Only snapshots that still exist are known, so hours long past look worse than they were. ``recordsBehind``
    is null if there is no such snapshot. ``behindMs`` is the time between the last records of both.
    """
    written = (
        log_rows(df)
        .groupBy(CLUSTER, hour_of("timestamp").alias(HOUR))
        .agg(F.max(F.struct("offset", "timestamp")).alias("last"))
    )
    snapshots = (
        all_rows(df)
        .filter("source = 'snapshot' AND recordType = 'SnapshotHeaderRecord'")
        .select(CLUSTER, F.struct("offset", "timestamp").alias("snapshot"))
    )
    position = F.coalesce("last.offset", "snapshot.offset")
    both = written.unionByName(snapshots, allowMissingColumns=True).withColumn("position", position)
    up_to_now = (
        Window.partitionBy(CLUSTER)
        .orderBy("position")
        .rangeBetween(Window.unboundedPreceding, Window.currentRow)
    )
    both = both.withColumn("newest", F.max("snapshot").over(up_to_now)).filter("last IS NOT NULL")
    found = both.select(
        CLUSTER,
        HOUR,
        F.col("last.offset").alias("lastOffset"),
        F.col("newest.offset").alias("snapshotOffset"),
        (F.col("last.offset") - F.col("newest.offset")).alias("recordsBehind"),
        F.greatest(
            F.unix_millis("last.timestamp") - F.unix_millis("newest.timestamp"),
            F.when(F.col("newest").isNotNull(), 0),
        ).alias("behindMs"),
    )
    return found.orderBy(F.desc_nulls_first("recordsBehind"), HOUR).withColumn(HOUR, hour_begin())


def _troubled(df: DataFrame) -> DataFrame:
    """Intervals of partitions with any trouble."""
    spans = partition_intervals.isr(df).filter("underReplicated OR underMinIsr OR leaderless")
    return spans.select(*PARTITION, "fromTimestamp", "toTimestamp", *TROUBLES.values())


def _leader_changes(df: DataFrame) -> DataFrame:
    """One row for each time that a partition got another leader, or none, with its hour."""
    changed = partition_intervals.leadership(df).filter("endedBy IN ('another leader', 'leaderless')")
    return changed.select(*PARTITION, hour_of("toTimestamp").alias(HOUR))


def _transitions(df: DataFrame) -> DataFrame:
    """One row for each time that a broker became active or fenced, with its hour; its first state does not count."""
    before = F.lag("state").over(Window.partitionBy(*BROKER).orderBy("fromOffset"))
    lives = kept(df, broker_intervals.brokers).withColumn("before", before)
    moved = lives.filter("before IS NOT NULL AND state IN ('active', 'fenced')")
    return moved.select(*BROKER, "state", hour_of("fromTimestamp").alias(HOUR))


def _edges(spans: DataFrame) -> DataFrame:
    """Intervals as two rows: ``edge`` is 1 in the hour in which the interval begins, -1 in the hour in which it has
    ended.
    """
    begins = F.struct(hour_of("fromTimestamp").alias(HOUR), F.lit(1).alias("edge"))
    end = F.when(F.col("toTimestamp") < F.col("fromTimestamp"), F.col("fromTimestamp")).otherwise(
        F.col("toTimestamp")
    )
    ends = F.struct(hour_of(end).alias(HOUR), F.lit(-1).alias("edge"))
    ended = F.array(begins, ends)
    return spans.select(
        "*", F.inline(F.when(F.col("toTimestamp").isNotNull(), ended).otherwise(F.array(begins)))
    )


def _most_in_an_hour(events: DataFrame, key: tuple[str, ...], total: str, most: str) -> DataFrame:
    """How many events each key had, how many in its worst hour, and which hour that was (the first, if there are
    several).
    """
    counted = events.groupBy(*key, HOUR).agg(F.count("*").alias("_count"))
    worst = F.max(F.struct("_count", (-F.col(HOUR)).alias("_hour")))
    return (
        counted.groupBy(*key)
        .agg(F.sum("_count").alias(total), worst.alias("_worst"))
        .select(
            *key,
            total,
            F.col("_worst._count").alias(most),
            hour_begin(-F.col("_worst._hour")).alias("worstHour"),
        )
    )


def _worst_first(table: DataFrame, *measures: str) -> DataFrame:
    """Sorted by these columns, the largest first; then by the columns that identify a row."""
    rest = [
        each
        for each in table.columns
        if each in (CLUSTER, HOUR, "topicName", "partitionId", "brokerId", "recordType")
    ]
    order: list[Column] = [F.desc(each) for each in measures]
    return table.orderBy(*order, *rest)


JOB = Job(
    name="health",
    view="typed",
    record_types=RECORD_TYPES,
    tables={
        "by_hour": by_hour,
        "worst_partitions": worst_partitions,
        "worst_brokers": worst_brokers,
        "flapping_partitions": flapping_partitions,
        "flapping_brokers": flapping_brokers,
        "leadership_skew": leadership_skew,
        "record_growth": record_growth,
        "snapshot_lag": snapshot_lag,
    },
    source_options={"includeSnapshots": "true"},
)
