"""The report as one self-contained HTML page: it holds text, tables, figures and plotly's own script.

A content security policy in the page forbids the browser to load anything from anywhere.
"""

from __future__ import annotations

import dataclasses
import html
import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

from kafkaproto_pipeline.jobs.report.data import (
    DAY_MS,
    MAX_ROWS,
    Mark,
    Report,
    ReportHeader,
)
from kafkaproto_pipeline.jobs.report.plots import (
    MAX_LABEL,
    ROW_PX,
    Key,
    Plot,
    balance_plot,
    broker_plot,
    isr_plot,
    quorum_plot,
    rates_plot,
)
from kafkaproto_pipeline.jobs.report.tables import Text, events_table, worst_table
from kafkaproto_pipeline.jobs.report.theme import DARK, LIGHT, counted, duration, short_utc, style

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
LETTER_PX = 6.7
"""A letter of a lane's label at 11 pixels, in the widest of the usual typefaces."""
FEW_LETTERS = 16
"""Letters that a lane's label has at most on a narrow screen."""

HINT = (
    "All times are UTC. Point at anything for offsets and times. Drag across a plot to zoom into that time in all "
    "plots; a double click shows the whole range again. Changes of topics, replicas, configs, quotas, ACLs, "
    "credentials, features and voters are marked above each plot."
)


def page(report: Report, title: str | None = None) -> Text:
    plots = {
        "quorum": quorum_plot(report.quorum, report.bins),
        "brokers": broker_plot(report.brokers, report.bins),
        "topic-isr": isr_plot(report.topic_isr, report.bins, "topic-isr", "topic"),
        "partition-isr": isr_plot(report.partition_isr, report.bins, "partition-isr", "partition"),
        "balance": balance_plot(report.balance, report.bins),
        "rates": rates_plot(report.rates, report.bins),
    }
    _align(plots.values())
    clusters = ", ".join(report.header.cluster_ids) or "without a known id"
    name = title or f"Cluster {clusters}"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(name)}</title>",
        f"<style>{style()}{_beside('page.css')}</style></head><body><main>",
        _header(report.header, name, f"Cluster {clusters}: its" if title else "Its"),
        _controls(report),
        _sections(plots, report),
        "</main>",
        f'<script type="application/json" id="figures">{_json(plots, report)}</script>',
        f"<script>{get_plotlyjs()}</script>",
        f"<script>{_beside('page.js')}</script>",
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _beside(name: str) -> str:
    return files("kafkaproto_pipeline.jobs.report").joinpath(name).read_text(encoding="utf-8")


def _json(plots: Mapping[str, Plot], report: Report) -> str:
    """What the page's script needs, as JSON that no text in it can end early."""
    found: dict[str, Any] = {
        "figures": {name: plot.figure for name, plot in plots.items() if plot.figure},
        "maps": {name: dataclasses.asdict(plot.rows) for name, plot in plots.items() if plot.rows},
        "marks": [_mark(each, report.header) for each in report.marks],
        "themes": {"light": LIGHT, "dark": DARK},
        "limits": {
            "rows": MAX_ROWS,
            "rowPx": ROW_PX,
            "letters": MAX_LABEL,
            "fewLetters": FEW_LETTERS,
            "narrowMarginPx": _margin_px(FEW_LETTERS),
            "bandPx": 24,
            "headPx": 18,
            "markPx": 26,
            "markTexts": 10,
            "markLetters": 120,
        },
    }
    return json.dumps(found, separators=(",", ":")).replace("<", "\\u003c")


def _mark(mark: Mark, header: ReportHeader) -> tuple[int, int, list[str]]:
    """The time of the first change, how many there are, and the first few told, with their day if it matters."""
    begins = len("2026-") if header.end_ms - header.start_ms >= DAY_MS else len("2026-11-18 ")
    told = [f"{short_utc(each.at_ms)[begins:]} {each.text} (offset {each.offset:,})" for each in mark.changes]
    return mark.changes[0].at_ms, mark.count, told


def _align(plots: Iterable[Plot]) -> None:
    """Gives all plots one left margin, wide enough for their longest label, so that their times are in line."""
    names = [name for plot in plots for name in plot.lanes]
    longest = max((min(len(name), MAX_LABEL) for name in names), default=0)
    for plot in plots:
        if plot.figure:
            plot.figure["layout"]["margin"]["l"] = _margin_px(longest)


def _margin_px(letters: int) -> int:
    return max(76, round(letters * LETTER_PX) + 14)


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
        ("Log records", f"{header.records:,}"),
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


def _controls(report: Report) -> Text:
    """What the reader chooses by; it stays in view."""
    search = (
        '<label>Topic <input type="search" id="search" placeholder="part of its name" autocomplete="off" '
        'spellcheck="false"></label>'
    )
    marks = (
        '<label><input type="checkbox" id="marks" checked> <svg width="10" height="9">'
        '<path d="M0 0H10L5 9Z" fill="currentColor"/></svg>Changes</label>'
    )
    return (
        f'<div class="controls">{search if report.header.records else ""}<output id="found"></output>'
        f"{marks if report.marks else ''}"
        '<button type="button" id="theme">Dark</button></div>'
    )


def _sections(plots: Mapping[str, Plot], report: Report) -> Text:
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
                "Events",
                "What happened, in the log's order; a click on a column's name sorts by it.",
                events_table(report.events),
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
                worst_table(report.worst),
            ),
        )
    )


def _section(title: str, sentence: str, body: Text) -> Text:
    return f"<section><h2>{title}</h2><p>{sentence}</p>{body}</section>"


def _plot(plot: Plot) -> Text:
    if not plot.figure:
        return f'<p class="empty">{html.escape(plot.empty)}</p>'
    height_px = plot.figure["layout"]["height"]
    shown = f'<span id="{plot.name}-shown"></span> ' if plot.rows else ""
    said = shown + html.escape(plot.caption)
    caption = f'<p class="caption">{said}</p>' if said else ""
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
