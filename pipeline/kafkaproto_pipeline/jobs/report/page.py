"""The report as one self-contained HTML page: it holds text, tables, figures and plotly's own script.

A content security policy in the page forbids the browser to load anything from anywhere.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

from kafkaproto_pipeline.jobs.report.data import Report, ReportHeader, WorstPartition, WorstPartitions
from kafkaproto_pipeline.jobs.report.plots import (
    MAX_LABEL,
    Key,
    Plot,
    balance_plot,
    broker_plot,
    isr_plot,
    quorum_plot,
    rates_plot,
)
from kafkaproto_pipeline.jobs.report.theme import DARK, LIGHT, counted, duration, short_utc

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
LETTER_PX = 6.7
"""A letter of a lane's label at 11 pixels, in the widest of the usual typefaces."""

HINT = (
    "All times are UTC. Point at anything for offsets and times. Drag across a plot to zoom into that time in all "
    "plots; a double click shows the whole range again."
)

Text = str
"""Text of the page: HTML that is safe to put in as it is."""


def page(report: Report, title: str | None = None) -> Text:
    """The whole file."""
    plots = {
        "quorum": quorum_plot(report.quorum, report.bins),
        "brokers": broker_plot(report.brokers, report.bins),
        "topic-isr": isr_plot(report.topic_isr, report.bins, "topic-isr", "topic"),
        "partition-isr": isr_plot(report.partition_isr, report.bins, "partition-isr", "partition"),
        "balance": balance_plot(report.balance, report.bins),
        "rates": rates_plot(report.rates, report.bins),
    }
    _align(plots.values())
    figures = {name: plot.figure for name, plot in plots.items() if plot.figure}
    clusters = ", ".join(report.header.cluster_ids) or "without a known id"
    name = title or f"Cluster {clusters}"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(name)}</title>",
        f"<style>{_beside('page.css')}</style></head><body><main>",
        _header(report.header, name, f"Cluster {clusters}: its" if title else "Its"),
        _sections(plots, report.worst),
        "</main>",
        f'<script type="application/json" id="figures">{_json(figures)}</script>',
        f"<script>{get_plotlyjs()}</script>",
        f"<script>{_beside('page.js')}</script>",
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _beside(name: str) -> str:
    return files("kafkaproto_pipeline.jobs.report").joinpath(name).read_text(encoding="utf-8")


def _json(figures: Mapping[str, Any]) -> str:
    """Figures and colours as JSON that no text in them can end early."""
    text = json.dumps({"figures": figures, "themes": {"light": LIGHT, "dark": DARK}}, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _align(plots: Iterable[Plot]) -> None:
    """Gives all plots one left margin, wide enough for their longest label, so that their times are in line."""
    drawn = [plot.figure["layout"] for plot in plots if plot.figure]
    labels = [label for layout in drawn for label in layout["yaxis"].get("categoryarray", ())]
    longest = max((min(len(html.unescape(label)), MAX_LABEL) for label in labels), default=0)
    for layout in drawn:
        layout["margin"]["l"] = max(76, round(longest * LETTER_PX) + 14)


def _header(header: ReportHeader, name: str, about: str) -> Text:
    if header.records:
        about = (
            f"{about} metadata log, offsets {header.first_offset:,} to {header.last_offset:,}, "
            f"{short_utc(header.start_ms)} to {short_utc(header.end_ms)} UTC "
            f"({duration(header.end_ms - header.start_ms)})"
        )
    else:
        about = f"{about} metadata log without records in this range"
    tiles = (
        ("Records", f"{header.records:,}"),
        ("Quorum elections", f"{header.elections:,}"),
        ("Topics", f"{header.topics:,}"),
        ("Partitions", f"{header.partitions:,}"),
        ("Brokers fenced", counted(header.fencings, "time")),
        ("Leaderless, sum over partitions", duration(header.leaderless_ms)),
        ("Under-replicated, sum over partitions", duration(header.under_replicated_ms)),
    )
    figures = "".join(f"<div><dt>{term}</dt><dd>{value}</dd></div>" for term, value in tiles)
    notes = "".join(f"<li>{html.escape(each)}</li>" for each in header.notes)
    return (
        f"<header><h1>{html.escape(name)}</h1>"
        f'<p class="about">{html.escape(about)}.</p>'
        f'<dl class="tiles">{figures}</dl>'
        + (f'<ul class="notes">{notes}</ul>' if notes else "")
        + (f'<p class="hint">{HINT}</p>' if header.records else "")
        + "</header>"
    )


def _sections(plots: Mapping[str, Plot], worst: WorstPartitions) -> Text:
    isr = "".join(
        f"<h3>{title}</h3>{_plot(plots[name])}"
        for name, title in (("topic-isr", "Topics"), ("partition-isr", "Partitions"))
    )
    return "\n".join(
        (
            _section(
                "Quorum leaders",
                "Which controller led the metadata quorum, and in which epoch: every change is an election.",
                _plot(plots["quorum"]),
            ),
            _section(
                "Brokers",
                "What the controllers knew of each broker: only an active broker leads partitions and serves clients.",
                _plot(plots["brokers"]),
            ),
            _section(
                "Replicas in sync",
                "The lowest share of its replicas that a topic's or partition's ISR held, the worst first: "
                "strong colours are data at risk.",
                isr,
            ),
            _section(
                "Leadership balance",
                "How many partitions each broker led: in a balanced cluster all brokers lead about equally many.",
                _plot(plots["balance"]),
            ),
            _section(
                "Records by type",
                "What was written to the metadata log, and how fast.",
                _plot(plots["rates"]),
            ),
            _section(
                "Worst partitions",
                "Partitions that were longest without a leader or without all their replicas; "
                "a click on a column's name sorts by it.",
                _table(worst),
            ),
        )
    )


def _section(title: str, sentence: str, body: Text) -> Text:
    return f"<section><h2>{title}</h2><p>{sentence}</p>{body}</section>"


def _plot(plot: Plot) -> Text:
    if not plot.figure:
        return f'<p class="empty">{html.escape(plot.empty)}</p>'
    height_px = plot.figure["layout"]["height"]
    caption = f'<p class="caption">{html.escape(plot.caption)}</p>' if plot.caption else ""
    return (
        f'<ul class="legend">{"".join(_key(each, plot.name) for each in plot.legend)}</ul>'
        f'<div class="plot" id="{plot.name}" style="height:{height_px}px"></div>{caption}'
    )


def _key(key: Key, plot: str) -> Text:
    """A legend's entry: a small drawing in the current colour, and what it means."""
    shape, _, dash = key.shape.partition(" ")
    colour = f'data-colour="{html.escape(key.colour)}"'
    text = html.escape(key.text)
    if shape == "scale":
        low, _, high = text.partition(" | ")
        stops = "<stop/>" * len(LIGHT[key.colour])
        gradient = f'<linearGradient id="{plot}-scale">{stops}</linearGradient>'
        box = f'<rect width="90" height="11" rx="2" fill="url(#{plot}-scale)"/>'
        return f'<li>{low}<svg width="90" height="11" {colour}>{gradient}{box}</svg>{high}</li>'
    if shape == "line" and dash:
        dashes = {"solid": "none", "dash": "7 4", "dot": "2 3", "dashdot": "7 3 2 3", "longdash": "11 4"}
        lines = dashes.get(dash, "11 3 2 3")
        drawing = f'<path d="M0 6H26" stroke="currentColor" stroke-width="2.5" stroke-dasharray="{lines}"/>'
        width = 26
    else:
        drawing = {
            "box": '<rect y="1" width="13" height="10" rx="2" fill="currentColor"/>',
            "line": '<path d="M6 0V12" stroke="currentColor" stroke-width="2.5"/>',
            "mark": '<path d="M6 0L12 6L6 12L0 6Z" fill="currentColor"/>',
            "cross": '<path d="M2 2L10 10M10 2L2 10" stroke="currentColor" stroke-width="3"/>',
        }[shape]
        width = 13
    return f'<li><svg width="{width}" height="12" {colour}>{drawing}</svg>{text}</li>'


def _table(worst: WorstPartitions) -> Text:
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
    head = "".join(f'<th scope="col"><button type="button">{each}</button></th>' for each in columns)
    most = [max(_numbers(row)[at] for row in worst.rows) for at in range(5)]
    rows = "".join(_row(row, most) for row in worst.rows)
    left_out = counted(worst.left_out, "more partition") + " with trouble left out."
    caption = f'<p class="caption">{left_out}</p>' if worst.left_out else ""
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{caption}'


def _numbers(row: WorstPartition) -> tuple[int, int, int, int, int]:
    return (
        row.under_replicated_ms,
        row.under_min_isr_ms,
        row.leaderless_ms,
        row.leader_changes,
        row.isr_changes,
    )


def _row(row: WorstPartition, most: Sequence[int]) -> Text:
    name = html.escape(f"{row.topic}-{row.partition}")
    cells = [f'<td data-value="{name}" title="{name}">{name}</td>']
    for at, value in enumerate(_numbers(row)):
        shown = f"{value:,}" if at > 2 else duration(value)
        share = round(100 * value / most[at]) if most[at] else 0
        cells.append(
            f'<td data-value="{value}" data-share style="--share:{share}">{shown if value else "-"}</td>'
        )
    return f"<tr>{''.join(cells)}</tr>"
