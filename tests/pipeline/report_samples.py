"""Inputs of the report's plots, made by hand or drawn from a seed: no Spark, no log."""

from __future__ import annotations

import random
from collections.abc import Sequence

from kafkaproto_pipeline.jobs.report.data import (
    BROKER_STATES,
    EMPTY,
    MARKED_KINDS,
    MAX_MARK_BINS,
    MAX_MARK_CHANGES,
    Balance,
    Bins,
    BrokerLanes,
    BrokerSpan,
    DirectoryFailure,
    Event,
    Events,
    IsrCell,
    IsrMap,
    IsrRow,
    Mark,
    QuorumTenures,
    Rates,
    Report,
    ReportHeader,
    Tenure,
    WorstPartition,
    WorstPartitions,
    bins_of,
)

START_MS = 1_795_000_000_000
TOPICS = 12
SEARCHED_ROWS = 300
"""More than are shown at once."""


def empty() -> Report:
    """A log without records."""
    return EMPTY


def drawn(
    *, seed: int, controllers: int, brokers: int, partitions: int, length_ms: int, elections: int
) -> Report:
    """A cluster's report, drawn from a seed."""
    rng = random.Random(seed)
    end_ms = START_MS + length_ms
    bins = bins_of(START_MS, end_ms)
    rows = min(partitions, SEARCHED_ROWS)
    happened = events(rng, 500 if partitions > SEARCHED_ROWS else 60, end_ms)
    return Report(
        header=ReportHeader(
            cluster_ids=("3Db5QLSqSZieL3rJBUUegA",),
            records=length_ms // 500,
            first_offset=0,
            last_offset=length_ms // 500 - 1,
            start_ms=START_MS,
            end_ms=end_ms,
            topics=max(1, partitions // 60),
            partitions=partitions,
            elections=elections,
            fencings=2 * brokers,
            leaderless_ms=41_000,
            under_replicated_ms=length_ms // 3,
            notes=("Records of 2 aborted metadata transactions are left out.",),
        ),
        bins=bins,
        quorum=quorum(rng, controllers, elections, bins, end_ms),
        brokers=broker_lanes(rng, brokers, end_ms),
        topic_isr=isr_map(rng, [(topic(each), None) for each in range(min(TOPICS, rows))], bins, end_ms),
        partition_isr=isr_map(
            rng, [(topic(each), each) for each in range(rows)], bins, end_ms, left_out=partitions - rows
        ),
        balance=balance(rng, brokers, partitions, bins),
        rates=rates(rng, bins),
        worst=worst(rng, min(partitions, SEARCHED_ROWS)),
        events=happened,
        marks=marks(happened.rows, end_ms),
    )


def topic(number: int) -> str:
    """The topic of a row: orders, or one whose name is too long for a label."""
    kind = number % TOPICS
    return f"orders.region-{kind}.v2" if kind < 4 else f"Payments-of-a-long-named-department-{kind}"


def small() -> Report:
    """Three nodes for twelve minutes."""
    return drawn(seed=1, controllers=3, brokers=3, partitions=30, length_ms=12 * 60_000, elections=4)


def large() -> Report:
    """Fifty brokers and 5,000 partitions for two weeks, five controllers that were elected often."""
    return drawn(
        seed=2, controllers=5, brokers=50, partitions=5000, length_ms=14 * 24 * 3_600_000, elections=300
    )


def quorum(rng: random.Random, controllers: int, elections: int, bins: Bins, end_ms: int) -> QuorumTenures:
    starts = sorted(rng.randrange(START_MS, end_ms) for _ in range(elections - 1))
    epoch = 0
    tenures = []
    for start_ms, until_ms in zip([START_MS, *starts], [*starts, end_ms], strict=True):
        skipped = rng.choice((0, 0, 0, 2))
        epoch += 1 + skipped
        tenures.append(
            Tenure(
                leader_id=rng.randrange(controllers) + 1,
                first_epoch=epoch,
                last_epoch=epoch,
                start_ms=start_ms,
                end_ms=until_ms,
                start_offset=(start_ms - START_MS) // 500,
                skipped_epochs=skipped,
            )
        )
    return QuorumTenures(controllers=tuple(range(1, controllers + 1)), tenures=tenures)


def broker_lanes(rng: random.Random, brokers: int, end_ms: int) -> BrokerLanes:
    spans = []
    failures = []
    for broker in range(101, 101 + brokers):
        cuts = sorted(rng.randrange(START_MS, end_ms) for _ in range(rng.choice((2, 4, 12))))
        states = ["registered", "active"] + [rng.choice(BROKER_STATES) for _ in cuts]
        for state, start_ms, until_ms in zip(states, [START_MS, *cuts], [*cuts, end_ms], strict=False):
            offset = (start_ms - START_MS) // 500
            change_ms = until_ms
            if state in ("fenced", "registered", "controlled shutdown"):
                change_ms = min(until_ms, start_ms + (end_ms - START_MS) // 60)
            spans += [
                BrokerSpan(broker_id=broker, state=name, start_ms=from_ms, end_ms=to_ms, start_offset=offset)
                for name, from_ms, to_ms in ((state, start_ms, change_ms), ("active", change_ms, until_ms))
                if from_ms < to_ms
            ]
        if rng.random() < 0.2:
            failures.append(
                DirectoryFailure(
                    broker_id=broker,
                    at_ms=rng.randrange(START_MS, end_ms),
                    offset=77,
                    text=f"Broker {broker} lost log directory 5jLcLCzcQGO1Wq3VnWkEUQ",
                )
            )
    return BrokerLanes(brokers=tuple(range(101, 101 + brokers)), spans=spans, failures=failures)


def isr_map(
    rng: random.Random, names: list[tuple[str, int | None]], bins: Bins, end_ms: int, *, left_out: int = 0
) -> IsrMap:
    cells = []
    for row in range(len(names)):
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(bins.count)
            share = rng.choice((0.0, 1 / 3, 2 / 3, 2 / 3))
            for each in range(at, min(at + rng.randrange(1, 12), bins.count)):
                cells.append(
                    IsrCell(
                        row=row,
                        bin=each,
                        share=share,
                        out_of_sync_ms=bins.step_ms,
                        leaderless_ms=bins.step_ms // 9 if share == 0 else 0,
                        partitions=1,
                    )
                )
    rows = [
        IsrRow(topic=name, partition=partition, start_ms=START_MS + 7 * at, end_ms=end_ms)
        for at, (name, partition) in enumerate(names)
    ]
    return IsrMap(rows=rows, cells=cells, left_out=left_out)


def balance(rng: random.Random, brokers: int, partitions: int, bins: Bins) -> Balance:
    led = []
    for _ in range(brokers):
        now = partitions / brokers
        row = []
        for _ in range(bins.count):
            now = max(0.0, now * rng.choice((1, 1, 1, 1.02, 0.98, 0.7, 1.3)))
            row.append(now)
        led.append(row)
    return Balance(brokers=tuple(range(101, 101 + brokers)), led=led)


def rates(rng: random.Random, bins: Bins) -> Rates:
    weights = {"NoOpRecord": 120, "PartitionChangeRecord": 60, "PartitionRecord": 40, "ConfigRecord": 2}
    counts = [[int(rng.expovariate(1 / each)) for _ in range(bins.count)] for each in weights.values()]
    return Rates(types=tuple(weights), counts=counts)


def worst(rng: random.Random, rows: int) -> WorstPartitions:
    return WorstPartitions(
        rows=[
            WorstPartition(
                topic=topic(at),
                partition=at,
                under_replicated_ms=9_000_000 // (at + 1),
                under_min_isr_ms=3_000_000 // (at + 1),
                leaderless_ms=rng.choice((0, 0, 3_210)),
                leader_changes=rng.randrange(9),
                isr_changes=rng.randrange(20),
            )
            for at in range(rows)
        ],
        left_out=17,
    )


def events(rng: random.Random, count: int, end_ms: int) -> Events:
    rows = []
    for at in range(count):
        name = topic(rng.randrange(TOPICS))
        kind, subject, text = rng.choice(
            (
                ("config changed", f"config topic {name}", f"retention.ms of topic {name} was set to {at}"),
                ("topic created", f"topic {name}", f"Topic {name} was created with 3 partitions"),
                ("leader lost", f"topic {name}", f"2 partitions of {name} lost their leader"),
                ("broker fenced", "broker 101", "Broker 101 was fenced"),
                ("leader elected", "quorum", "Controller 2 became the leader of the quorum in epoch 7"),
            )
        )
        rows.append(
            Event(
                at_ms=START_MS + at * (end_ms - START_MS) // count,
                offset=7 * at,
                kind=kind,
                subject=subject,
                topic=name if name in subject else None,
                text=text,
            )
        )
    counts = dict.fromkeys((each.kind for each in rows), 0)
    for each in rows:
        counts[each.kind] += 1
    # More of one kind than are on the page.
    return Events(rows=rows, counts={**counts, "broker fenced": counts["broker fenced"] + 1_234})


def marks(rows: Sequence[Event], end_ms: int) -> list[Mark]:
    bins = bins_of(START_MS, end_ms, MAX_MARK_BINS)
    found: dict[int, list[Event]] = {}
    for each in rows:
        if each.kind in MARKED_KINDS:
            found.setdefault((each.at_ms - bins.first_ms) // bins.step_ms, []).append(each)
    return [Mark(count=len(group), changes=group[:MAX_MARK_CHANGES]) for group in found.values()]
