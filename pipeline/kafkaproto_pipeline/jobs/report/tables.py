"""The report's tables as HTML: events, and the worst partitions.

They hold more rows than are shown: the page's script shows those that the reader looks for.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from kafkaproto_pipeline.jobs.report.data import (
    EVENT_GROUPS,
    MAX_EVENTS,
    MAX_TABLE_ROWS,
    Event,
    Events,
    WorstPartition,
    WorstPartitions,
)
from kafkaproto_pipeline.jobs.report.theme import counted, duration, utc

Text = str
"""Text of the page: HTML that is safe to put in as it is."""

OTHER_KINDS = "others"
_GROUP_OF = {kind: group for group, kinds in EVENT_GROUPS.items() for kind in kinds}


def events_table(events: Events) -> Text:
    """What happened, in order, and a choice of kinds."""
    if not events.rows:
        return '<p class="empty">Nothing happened in this range that is an event.</p>'
    columns = ("Time (UTC)", "Kind", "Subject", "What happened", "Offset")
    rows = "".join(map(_event_row, events.rows))
    left_out = sum(events.counts.values()) - len(events.rows)
    said = (
        f"{counted(left_out, 'more event')} not on this page, of each kind the oldest; "
        "<code>metadata-pipeline history --table events</code> has all."
    )
    return (
        f'<p class="choice"><label>Kind <select id="kind">{_kinds(events)}</select></label></p>'
        f'<div class="scroll events"><table id="events" data-most="{MAX_EVENTS}" data-noun="event">'
        f"<thead><tr>{_head(columns)}</tr></thead><tbody>{rows}</tbody></table></div>"
        f'<p class="caption"><span id="events-shown"></span> {said if left_out else ""}</p>'
    )


def _kinds(events: Events) -> Text:
    """The kinds that there are, by what they are about; with how many events there are of each."""
    groups: dict[str, list[str]] = {group: [] for group in (*EVENT_GROUPS, OTHER_KINDS)}
    for kind in sorted(events.counts):
        groups[_GROUP_OF.get(kind, OTHER_KINDS)].append(kind)
    options = [_option("", "all", sum(events.counts.values()))]
    for group, kinds in groups.items():
        if not kinds:
            continue
        inside = [_option(f"kind {kind}", kind, events.counts[kind]) for kind in kinds]
        if len(kinds) > 1:
            total = sum(events.counts[kind] for kind in kinds)
            inside.insert(0, _option(f"group {group}", f"all of {group}", total))
        options.append(f'<optgroup label="{html.escape(group)}">{"".join(inside)}</optgroup>')
    return "".join(options)


def _option(value: str, text: str, count: int) -> Text:
    return f'<option value="{html.escape(value)}">{html.escape(text)} ({count:,})</option>'


def _event_row(event: Event) -> Text:
    group = _GROUP_OF.get(event.kind, OTHER_KINDS)
    cells = (
        (event.at_ms, utc(event.at_ms)),
        (event.kind, event.kind),
        (event.subject, event.subject),
        (event.text, event.text),
        (event.offset, f"{event.offset:,}"),
    )
    shown = "".join(
        f'<td data-value="{html.escape(str(value))}">{html.escape(text)}</td>' for value, text in cells
    )
    what = f'data-topic="{html.escape(event.topic or "")}" data-kind="{html.escape(event.kind)}"'
    return f'<tr {what} data-group="{html.escape(group)}">{shown}</tr>'


def worst_table(worst: WorstPartitions) -> Text:
    """The partitions that were in trouble for longest."""
    if not worst.rows:
        return (
            '<p class="empty">No partition was under-replicated, without a leader, or changed its leader.</p>'
        )
    columns = (
        "Partition",
        "Under-replicated",
        "Below min.insync.replicas",
        "Leaderless",
        "Leader changes",
        "ISR changes",
    )
    most = [max(_numbers(row)[at] for row in worst.rows) for at in range(5)]
    rows = "".join(_worst_row(row, most) for row in worst.rows)
    left_out = counted(worst.left_out, "more partition") + " with trouble not on this page."
    return (
        f'<div class="scroll"><table id="worst" data-most="{MAX_TABLE_ROWS}" data-noun="partition">'
        f"<thead><tr>{_head(columns)}</tr></thead><tbody>{rows}</tbody></table></div>"
        f'<p class="caption"><span id="worst-shown"></span> {left_out if worst.left_out else ""}</p>'
    )


def _head(columns: Sequence[str]) -> Text:
    return "".join(f'<th scope="col"><button type="button">{each}</button></th>' for each in columns)


def _numbers(row: WorstPartition) -> tuple[int, int, int, int, int]:
    return (
        row.under_replicated_ms,
        row.under_min_isr_ms,
        row.leaderless_ms,
        row.leader_changes,
        row.isr_changes,
    )


def _worst_row(row: WorstPartition, most: Sequence[int]) -> Text:
    name = html.escape(f"{row.topic}-{row.partition}")
    cells = [f'<td data-value="{name}" title="{name}">{name}</td>']
    for at, value in enumerate(_numbers(row)):
        shown = f"{value:,}" if at > 2 else duration(value)
        share = round(100 * value / most[at]) if most[at] else 0
        cells.append(
            f'<td data-value="{value}" data-share style="--share:{share}">{shown if value else "-"}</td>'
        )
    topic = html.escape(row.topic)
    return f'<tr data-topic="{topic}" data-partition="{row.partition}">{"".join(cells)}</tr>'
