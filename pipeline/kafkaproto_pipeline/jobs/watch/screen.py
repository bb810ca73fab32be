"""The alerts of a batch as lines for a person: a broker that failed is one alert, with its partitions in a line below.

Alerts of partitions with the same cause, kind and severity become one line. The line stands below the alert of the
broker that is the cause, if that alert is in the batch and was raised within `SAME_CAUSE_MS`. The sinks for programs
get every alert on its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kafkaproto_pipeline.jobs.watch.rules import BROKER_KINDS, OVER, PARTITION_KINDS, Alert

SAME_CAUSE_MS = 60_000
"""A broker that dies leaves the ISRs and is fenced within this time: replica.lag.time.max.ms is 30 s, a session 9 s."""
SHOWN_SUBJECTS = 5
"""Partitions that a line names, unless all are asked for."""

_INDENT = "  "


class Line(NamedTuple):
    """One line of the screen."""

    time_ms: int
    severity: str
    kind: str
    """Indented if the line belongs to the one above it."""
    text: str
    alerts: int
    """Number of alerts that it tells of."""


def lines(alerts: Iterable[Alert], *, is_wide: bool) -> list[Line]:
    """The lines of a batch's alerts, brokers and the quorum first. ``is_wide`` says that lines name all partitions."""
    ordered = sorted(alerts, key=lambda alert: (alert.time_ms, alert.offset, alert.subject))
    heads = [alert for alert in ordered if alert.kind not in PARTITION_KINDS]
    below: dict[Alert, list[Alert]] = {}
    alone: list[Alert] = []
    for alert in ordered:
        if alert.kind in PARTITION_KINDS:
            head = _head(alert, heads)
            (alone if head is None else below.setdefault(head, [])).append(alert)
    found = []
    for head in heads:
        found += [_line([head], is_wide), *_groups(below.get(head, ()), is_wide, _INDENT)]
    return found + list(_groups(alone, is_wide))


def _head(alert: Alert, heads: Sequence[Alert]) -> Alert | None:
    """The alert of the broker that is the cause of a partition's alert; None if the batch has none of that time."""
    near = [
        head
        for head in heads
        if head.subject == alert.cause
        and head.kind in BROKER_KINDS
        and head.text.startswith(OVER) == alert.text.startswith(OVER)
        and abs(head.time_ms - alert.time_ms) <= SAME_CAUSE_MS
    ]
    return min(near, key=lambda head: (abs(head.time_ms - alert.time_ms), head.offset), default=None)


def _groups(alerts: Iterable[Alert], is_wide: bool, indent: str = "") -> Iterator[Line]:
    groups: dict[tuple[object, ...], list[Alert]] = {}
    for alert in alerts:
        # Alerts without a known cause have nothing in common.
        own = alert if alert.cause is None else None
        groups.setdefault((alert.cause, alert.kind, alert.severity, own), []).append(alert)
    for group in groups.values():
        yield _line(group, is_wide, indent)


def _line(group: Sequence[Alert], is_wide: bool, indent: str = "") -> Line:
    first = group[0]
    text = f"{first.subject}: {first.text} (offset {first.offset})"
    if len(group) > 1:
        subjects = list(dict.fromkeys(alert.subject for alert in group))
        shown = ", ".join(subjects if is_wide else subjects[:SHOWN_SUBJECTS])
        is_cut = not is_wide and len(subjects) > SHOWN_SUBJECTS
        over = OVER if first.text.startswith(OVER) else ""
        count = "1 partition" if len(subjects) == 1 else f"{len(subjects):,} partitions"
        offsets = sorted(alert.offset for alert in group)
        text = f"{first.cause}: {over}{count}: {shown}{', ... (--wide names all; ' if is_cut else ' ('}"
        text += f"offsets {offsets[0]} to {offsets[-1]})"
    return Line(first.time_ms, first.severity, indent + first.kind, text, len(group))
