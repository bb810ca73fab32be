"""Alerts on the screen: one line for a broker that failed and one for each kind of trouble that followed from it."""

from __future__ import annotations

from kafkaproto_pipeline.jobs.watch import rules
from kafkaproto_pipeline.jobs.watch.rules import Alert
from kafkaproto_pipeline.jobs.watch.screen import SAME_CAUSE_MS, lines

FENCED = Alert(9_000, rules.BROKER_FENCED, rules.CRITICAL, "broker 2", 50, "it fell silent")
BACK = Alert(60_000, rules.BROKER_FENCED, rules.INFO, "broker 2", 80, "over: it is unfenced")


def partition(number: int, kind: str = rules.BELOW_MIN_ISR, *, cause: str | None = "broker 2") -> Alert:
    return Alert(9_000, kind, rules.CRITICAL, f"orders-{number}", 30 + number, "1 in sync", cause)


def over(number: int) -> Alert:
    return Alert(
        60_001,
        rules.BELOW_MIN_ISR,
        rules.INFO,
        f"orders-{number}",
        81 + number,
        "over: 2 in sync",
        "broker 2",
    )


def shown(*alerts: Alert, is_wide: bool = False) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in lines(alerts, is_wide=is_wide)]


def test_a_broker_that_failed_is_one_alert_with_its_partitions_below() -> None:
    other = Alert(100, rules.NEW_LEADER, rules.WARNING, rules.QUORUM, 3, "2 leads in epoch 5; it was 1")
    low = [partition(number) for number in range(14)]
    leaderless = [partition(number, rules.LEADERLESS) for number in (14, 15)]
    back = [over(number) for number in range(2)]
    assert shown(*back, *leaderless, *low[::-1], BACK, FENCED, other) == [
        ("new quorum leader", "quorum: 2 leads in epoch 5; it was 1 (offset 3)"),
        ("broker fenced", "broker 2: it fell silent (offset 50)"),
        (
            "  ISR below minimum",
            "broker 2: 14 partitions: orders-0, orders-1, orders-2, orders-3, orders-4, ... "
            "(--wide names all; offsets 30 to 43)",
        ),
        ("  leaderless partition", "broker 2: 2 partitions: orders-14, orders-15 (offsets 44 to 45)"),
        ("broker fenced", "broker 2: over: it is unfenced (offset 80)"),
        ("  ISR below minimum", "broker 2: over: 2 partitions: orders-0, orders-1 (offsets 81 to 82)"),
    ]
    (_, wide) = shown(*low, FENCED, is_wide=True)
    assert wide[1].count("orders-") == 14
    assert sum(line.alerts for line in lines([*low, *leaderless, FENCED], is_wide=False)) == 17


def test_a_cause_without_an_alert_of_its_time_still_makes_one_line() -> None:
    late = FENCED._replace(time_ms=9_001 + SAME_CAUSE_MS)
    group = ("ISR below minimum", "broker 2: 2 partitions: orders-0, orders-1 (offsets 30 to 31)")
    assert shown(partition(0), partition(1)) == [group]
    assert shown(partition(0), partition(1), late)[-1] == group
    died = FENCED._replace(kind=rules.BROKER_FLAPS)
    assert shown(partition(0), partition(1), died)[-1] == group


def test_trouble_stands_below_the_brokers_end_and_recovery_below_its_return() -> None:
    back = BACK._replace(time_ms=9_500)
    late = partition(1)._replace(time_ms=9_501)
    assert shown(partition(0), late, over(2)._replace(time_ms=9_400), FENCED, back) == [
        ("broker fenced", "broker 2: it fell silent (offset 50)"),
        ("  ISR below minimum", "broker 2: 2 partitions: orders-0, orders-1 (offsets 30 to 31)"),
        ("broker fenced", "broker 2: over: it is unfenced (offset 80)"),
        ("  ISR below minimum", "orders-2: over: 2 in sync (offset 83)"),
    ]


def test_alerts_without_a_known_cause_stay_apart() -> None:
    assert shown(partition(0, cause=None), partition(1, cause=None), partition(2)) == [
        ("ISR below minimum", f"orders-{number}: 1 in sync (offset {30 + number})") for number in range(3)
    ]


def test_a_partition_that_suffers_twice_is_named_once() -> None:
    twice = [partition(0), partition(0)._replace(offset=90)]
    assert shown(*twice) == [("ISR below minimum", "broker 2: 1 partition: orders-0 (offsets 30 to 90)")]
