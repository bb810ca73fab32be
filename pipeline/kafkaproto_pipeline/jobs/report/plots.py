"""The report's plots as plotly figures: plain dicts, made of the plain values of `data`.

This module knows nothing of Spark or HTML pages. All plots share one time axis, so that things which stand above one
another happened at the same time. Colours are named by role (`theme`).
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kafkaproto_pipeline.jobs.report.data import (
    BROKER_STATES,
    SHOWN_FIRST,
    Balance,
    Bins,
    BrokerLanes,
    DirectoryFailure,
    IsrCell,
    IsrMap,
    IsrRow,
    QuorumTenures,
    Rates,
    Tenure,
)
from kafkaproto_pipeline.jobs.report.theme import DASHES, SERIES, counted, duration, utc

Figure = dict[str, Any]

LANE_PX = 20
CONTROLLER_PX = 26
PLOT_PX = 900
"""About how wide a plot is on a usual screen."""
FEW_ELECTIONS = 40
"""More than these are marked smaller."""
ROW_PX = 17
TOP_PX = 8
BOTTOM_PX = 42
MAX_LABEL = 34
"""Letters that a lane's label has at most."""
STATE_HEIGHTS = {
    "active": 0.62,
    "fenced": 0.78,
    "controlled shutdown": 0.62,
    "registered": 0.34,
    "unregistered": 0.1,
}
STATE_TEXTS = {"registered": "registered, not yet active"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One entry of a legend."""

    text: str
    colour: str
    """A role, a colour, or a scale's role: a gradient from its first to its last colour."""
    shape: str = "box"
    """box, line, mark or scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """All rows of a heat map, in a form that is small as JSON."""

    noun: str
    """What a row is: topic or partition."""
    texts: Sequence[str]
    """What is said of cells: most are said the same of."""
    rows: Sequence[tuple[str, int | None, int, int, Sequence[Run]]]
    """The topic, the partition, the first bin in which it was there, the bin after its last, and its cells."""


Run = tuple[int, int, float, int, int]
"""Cells that are equal and follow each other: the first bin, how many they are, the share in sync, the number of
their text, and 1 if there was no leader at times, else 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One plot and what is said beside it."""

    name: str
    legend: Sequence[Key] = ()
    figure: Figure | None = None
    rows: Rows | None = None
    """Of a plot that shows some of its rows: all of them. The page puts those that are looked for into the figure."""
    empty: str = ""
    """The text that replaces the plot if there is nothing to draw."""
    caption: str = ""

    @property
    def lanes(self) -> Sequence[str]:
        """The labels of all its lanes or rows."""
        if self.rows:
            return [topic if at is None else f"{topic}-{at}" for topic, at, *_ in self.rows.rows]
        values = self.figure["layout"]["yaxis"].get("tickvals", ()) if self.figure else ()
        return [html.unescape(each) for each in values]


def quorum_plot(quorum: QuorumTenures, bins: Bins) -> Plot:
    """Who led the quorum: a lane a controller, a mark an election, the epoch as a line below."""
    if not quorum.tenures:
        return Plot(name="quorum", empty="No election is in the log: nobody led the quorum in this range.")
    lanes = [f"controller {each}" for each in quorum.controllers]
    spans = [(f"controller {each.leader_id}", each.start_ms, each.end_ms) for each in quorum.tenures]
    texts = [_tenure_text(each) for each in quorum.tenures]
    data = [
        _spans(spans, "@leads", 0.62, texts)
        | {
            "text": [_epoch_label(each, bins) for each in quorum.tenures],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "constraintext": "none",
            "textangle": 0,
            "insidetextfont": {"size": 11, "color": "@on leads"},
        }
    ]
    few = len(quorum.tenures) <= FEW_ELECTIONS
    data.append(
        {
            "type": "scatter",
            "mode": "markers",
            "x": [utc(each.start_ms) for each in quorum.tenures],
            "y": [f"controller {each.leader_id}" for each in quorum.tenures],
            "marker": {
                "symbol": ["diamond" if each.skipped_epochs else "line-ns" for each in quorum.tenures],
                "size": 10 if few else 6,
                "color": "@election",
                "line": {"width": 2 if few else 1, "color": "@election"},
            },
            "hovertext": [_election_text(each) for each in quorum.tenures],
            "hoverinfo": "text",
        }
    )
    data.append(
        {
            "type": "scatter",
            "mode": "lines",
            "yaxis": "y2",
            "x": [utc(each.start_ms) for each in quorum.tenures] + [utc(quorum.tenures[-1].end_ms)],
            "y": [each.first_epoch for each in quorum.tenures] + [quorum.tenures[-1].last_epoch],
            "line": {"shape": "hv", "width": 1.5, "color": "@line"},
            "hovertemplate": "epoch %{y}<br>since %{x|%Y-%m-%d %H:%M:%S.%L}<extra></extra>",
        }
    )
    below_px = 84
    height_px = TOP_PX + CONTROLLER_PX * len(lanes) + below_px + BOTTOM_PX
    split = (below_px - 18) / (height_px - TOP_PX - BOTTOM_PX)
    top = below_px / (height_px - TOP_PX - BOTTOM_PX)
    layout = _layout(bins, height_px) | {
        "yaxis": _lane_axis(lanes) | {"domain": [top, 1]},
        "yaxis2": _number_axis("epoch") | _epoch_ticks(quorum.tenures) | {"domain": [0, split]},
        "hovermode": "closest",
    }
    return Plot(
        name="quorum",
        legend=(
            Key(text="leads, in the epoch written on it", colour="@leads"),
            Key(text="election", colour="@election", shape="line"),
            Key(text="election after epochs without a winner", colour="@election", shape="mark"),
        ),
        figure={"data": data, "layout": layout},
        caption=f"{counted(quorum.left_out, 'more controller')} left out." if quorum.left_out else "",
    )


def _epoch_ticks(tenures: Sequence[Tenure]) -> Figure:
    """About three ticks, at whole numbers: there is no epoch between two."""
    first = min(each.first_epoch for each in tenures)
    last = max(each.last_epoch for each in tenures)
    wanted = max(1, (last - first) / 3)
    power = 10 ** int(math.log10(wanted))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= wanted)
    # Room around them, as a line along the edge is hard to see.
    around = max(0.5, (last - first) / 10)
    return {"tick0": 0, "dtick": step, "range": [first - around, last + around], "autorange": False}


def _epoch_label(tenure: Tenure, bins: Bins) -> str:
    """The epoch, if the bar is wide enough for it."""
    label = str(tenure.last_epoch) if tenure.count == 1 else ""
    width_px = PLOT_PX * (tenure.end_ms - tenure.start_ms) / (bins.step_ms * bins.count)
    return label if width_px > 8 * len(label) + 10 else ""


def _tenure_text(tenure: Tenure) -> str:
    lines = [
        f"<b>controller {tenure.leader_id} led</b>",
        f"epoch {tenure.first_epoch}"
        if tenure.count == 1
        else f"{tenure.count:,} leaderships, epochs {tenure.first_epoch} to {tenure.last_epoch}",
        _range_text(tenure.start_ms, tenure.end_ms),
        f"from offset {tenure.start_offset:,}",
    ]
    return "<br>".join(lines)


def _election_text(tenure: Tenure) -> str:
    won = f"controller {tenure.leader_id} elected in epoch {tenure.first_epoch}"
    lines = [f"<b>{won}</b>", utc(tenure.start_ms), f"offset {tenure.start_offset:,}"]
    if tenure.skipped_epochs:
        lines.append(f"{counted(tenure.skipped_epochs, 'epoch')} before it had no winner")
    return "<br>".join(lines)


def broker_plot(lanes: BrokerLanes, bins: Bins) -> Plot:
    """Each broker's life: a lane a broker, its state in colour and height, failed directories as crosses."""
    if not lanes.brokers:
        return Plot(name="brokers", empty="No broker is registered in this range.")
    labels = [f"broker {each}" for each in lanes.brokers]
    data: list[Figure] = []
    for state in reversed(SHOWN_FIRST):
        chosen = [each for each in lanes.spans if each.state == state]
        texts = []
        for each in chosen:
            many = f"shortest spans drawn as one: {each.count:,}" if each.count > 1 else ""
            parts = [
                f"<b>broker {each.broker_id} {state}</b>",
                _range_text(each.start_ms, each.end_ms),
                f"from offset {each.start_offset:,}",
                many,
            ]
            texts.append("<br>".join(part for part in parts if part))
        spans = [(f"broker {each.broker_id}", each.start_ms, each.end_ms) for each in chosen]
        data.append(_spans(spans, f"@{state}", STATE_HEIGHTS[state], texts))
    data.append(
        {
            "type": "scatter",
            "mode": "markers",
            "x": [utc(each.at_ms) for each in lanes.failures],
            "y": [f"broker {each.broker_id}" for each in lanes.failures],
            "marker": {"symbol": "x", "size": 9, "color": "@ink", "line": {"width": 1, "color": "@page"}},
            "hovertext": [_failure_text(each) for each in lanes.failures],
            "hoverinfo": "text",
        }
    )
    height_px = TOP_PX + LANE_PX * len(labels) + BOTTOM_PX
    left_out = (
        f"{counted(lanes.left_out, 'more broker')} with fewer changes left out." if lanes.left_out else ""
    )
    return Plot(
        name="brokers",
        legend=(
            *(Key(text=STATE_TEXTS.get(state, state), colour=f"@{state}") for state in BROKER_STATES),
            Key(text="log directory failed", colour="@ink", shape="cross"),
        ),
        figure={
            "data": data,
            "layout": _layout(bins, height_px) | {"yaxis": _lane_axis(labels), "hovermode": "closest"},
        },
        caption=left_out,
    )


def _failure_text(failure: DirectoryFailure) -> str:
    lines = [
        f"<b>{html.escape(failure.text)}</b>",
        utc(failure.at_ms),
        f"offset {failure.offset:,}",
        f"and {failure.count - 1:,} more soon after" if failure.count > 1 else "",
    ]
    return "<br>".join(line for line in lines if line)


def isr_plot(isr: IsrMap, bins: Bins, name: str, noun: str) -> Plot:
    """The lowest in-sync share of each row in each bin of time. The page puts the rows into the figure."""
    if not isr.rows:
        nobody = f"All replicas of {counted(isr.healthy, noun)} were in sync all the time."
        return Plot(name=name, empty=nobody if isr.healthy else f"There is no {noun} in this range.")
    middle = [utc(bins.start_ms(at) + bins.step_ms // 2) for at in range(bins.count)]
    data: list[Figure] = [
        _map(middle, [], [], "@isr", (0, 1))
        | {
            "hovertemplate": "<b>%{customdata[0]}</b><br>lowest in-sync share %{z:.0%}<br>%{customdata[1]}"
            "<br>around %{x}<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": [],
            "y": [],
            "marker": {"symbol": "x-thin", "size": 6, "line": {"width": 2, "color": "@on isr"}},
            "hoverinfo": "skip",
        },
    ]
    said = [
        f"A cell is {duration(bins.step_ms)}.",
        f"{counted(isr.left_out, 'more ' + noun)} with replicas out of sync not on this page."
        if isr.left_out
        else "",
        f"{counted(isr.healthy, noun)} in sync all the time not shown." if isr.healthy else "",
    ]
    layout = _layout(bins, TOP_PX + BOTTOM_PX) | {"yaxis": _row_axis()}
    return Plot(
        name=name,
        legend=(
            Key(text="no replica in sync | all in sync", colour="@isr", shape="scale"),
            Key(text="leaderless", colour="@ink", shape="cross"),
        ),
        figure={"data": data, "layout": layout},
        rows=_rows(isr, bins, noun),
        caption=" ".join(each for each in said if each),
    )


def _rows(isr: IsrMap, bins: Bins, noun: str) -> Rows:
    texts: dict[str, int] = {}
    cells: list[list[IsrCell]] = [[] for _ in isr.rows]
    for cell in isr.cells:
        cells[cell.row].append(cell)
    rows = [
        (row.topic, row.partition, *_life(row, bins), _runs(of_row, texts))
        for row, of_row in zip(isr.rows, cells, strict=True)
    ]
    return Rows(noun=noun, texts=list(texts), rows=rows)


def _life(row: IsrRow, bins: Bins) -> tuple[int, int]:
    """The first bin in which a row was there, and the bin after its last."""
    first = max(0, (row.start_ms - bins.first_ms) // bins.step_ms)
    last = -((bins.first_ms - row.end_ms) // bins.step_ms)
    return first, max(first, min(last, bins.count))


def _runs(cells: Iterable[IsrCell], texts: dict[str, int]) -> list[Run]:
    """The cells of a row, where equal ones that follow each other are one; new texts are added to ``texts``."""
    runs: list[Run] = []
    for cell in sorted(cells, key=lambda each: each.bin):
        parts = [
            f"replicas out of sync for {duration(cell.out_of_sync_ms)}",
            f"leaderless for {duration(cell.leaderless_ms)}" if cell.leaderless_ms else "",
            f"{counted(cell.partitions, 'partition')} under-replicated" if cell.partitions > 1 else "",
        ]
        text = texts.setdefault("<br>".join(part for part in parts if part), len(texts))
        same = (round(cell.share, 4), text, int(cell.leaderless_ms > 0))
        if runs and runs[-1][0] + runs[-1][1] == cell.bin and runs[-1][2:] == same:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1, *same)
        else:
            runs.append((cell.bin, 1, *same))
    return runs


def balance_plot(balance: Balance, bins: Bins) -> Plot:
    """Partitions led: one line for each broker if they are few, else a heat map of how far each is from the mean."""
    if not balance.brokers:
        return Plot(name="balance", empty="No partition had a leader in this range.")
    left_out = f"{counted(balance.left_out, 'more broker')} left out." if balance.left_out else ""
    labels = [f"broker {each}" for each in balance.brokers]
    if len(labels) <= len(SERIES):
        edges = [utc(bins.start_ms(at)) for at in range(bins.count + 1)]
        lines = [
            {
                "type": "scatter",
                "mode": "lines",
                "x": edges,
                "y": [*led, led[-1]],
                "line": {"shape": "hv", "width": 2, "color": SERIES[at], "dash": DASHES[at]},
                "hovertemplate": f"<b>{label}</b> leads %{{y:,.4~g}} partitions<br>%{{x}}<extra></extra>",
            }
            for at, (label, led) in enumerate(zip(labels, balance.led, strict=True))
        ]
        keys = tuple(
            Key(text=label, colour=SERIES[at], shape="line " + DASHES[at]) for at, label in enumerate(labels)
        )
        layout = _layout(bins, 260) | {"yaxis": _number_axis("partitions led")}
        return Plot(name="balance", legend=keys, figure={"data": lines, "layout": layout}, caption=left_out)
    middle = [utc(bins.start_ms(at) + bins.step_ms // 2) for at in range(bins.count)]
    means = [sum(counts) / len(labels) for counts in zip(*balance.led, strict=True)]
    shares = [
        [count / mean if mean else None for count, mean in zip(led, means, strict=True)]
        for led in balance.led
    ]
    data = [
        _map(middle, labels, shares, "@balance", (0, 2))
        | {
            "customdata": [
                [[count, mean] for count, mean in zip(led, means, strict=True)] for led in balance.led
            ],
            "hovertemplate": "<b>%{y}</b> leads %{customdata[0]:,.4~g} partitions<br>"
            "%{z:.2~f} times the mean of %{customdata[1]:,.4~g}<br>around %{x}<extra></extra>",
        }
    ]
    height_px = TOP_PX + ROW_PX * len(labels) + BOTTOM_PX
    scale = Key(text="leads none | twice the mean or more", colour="@balance", shape="scale")
    return Plot(
        name="balance",
        legend=(scale,),
        figure={"data": data, "layout": _layout(bins, height_px) | {"yaxis": _lane_axis(labels)}},
        caption=left_out,
    )


def rates_plot(rates: Rates, bins: Bins) -> Plot:
    """Records a second: all of them as bars, and below a row a type whose colour is on a logarithmic scale."""
    if not rates.types:
        return Plot(name="rates", empty="There are no records in this range.")
    seconds = bins.step_ms / 1000
    totals = [sum(row[at] for row in rates.counts) / seconds for at in range(bins.count)]
    middle = [utc(bins.start_ms(at) + bins.step_ms // 2) for at in range(bins.count)]
    names = [
        name if not rates.others or at < len(rates.types) - 1 else f"{rates.others} other types"
        for at, name in enumerate(rates.types)
    ]
    labels = [html.escape(each) for each in names]
    logs = [[math.log10(1 + each) if each else None for each in row] for row in rates.counts]
    most = max(max(row) for row in rates.counts)
    data: list[Figure] = [
        {
            "type": "bar",
            "x": middle,
            "y": totals,
            "yaxis": "y2",
            "marker": {"color": "@line", "line": {"width": 0}},
            "hovertemplate": "%{y:,.3~g} records/s<br>around %{x}<extra></extra>",
        },
        _map(middle, labels, logs, "@amount", (0, math.log10(1 + max(most, 1))))
        | {
            "customdata": [[[each, each / seconds] for each in row] for row in rates.counts],
            "hovertemplate": "<b>%{y}</b><br>%{customdata[0]:,} records, %{customdata[1]:,.3~g}/s"
            "<br>around %{x}<extra></extra>",
        },
    ]
    above_px = 96
    height_px = TOP_PX + above_px + ROW_PX * len(labels) + BOTTOM_PX
    inner_px = height_px - TOP_PX - BOTTOM_PX
    layout = _layout(bins, height_px) | {
        "yaxis": _lane_axis(labels) | {"domain": [0, 1 - above_px / inner_px]},
        "yaxis2": _number_axis("records/s") | {"domain": [1 - (above_px - 16) / inner_px, 1], "nticks": 4},
        "bargap": 0.08,
        "meta": {"lanes": names},
    }
    return Plot(
        name="rates",
        legend=(
            Key(text="records of all types a second", colour="@line"),
            Key(text=f"1 | {most:,} records of a type in a cell", colour="@amount", shape="scale"),
        ),
        figure={"data": data, "layout": layout},
        caption=f"A cell is {duration(bins.step_ms)}; its colour is on a logarithmic scale.",
    )


def _spans(spans: Sequence[tuple[str, int, int]], colour: str, height: float, texts: Sequence[str]) -> Figure:
    """Bars that lie in lanes from a time to a time; however short, each can be seen."""
    return {
        "type": "bar",
        "orientation": "h",
        "y": [lane for lane, _, _ in spans],
        "base": [utc(start_ms) for _, start_ms, _ in spans],
        "x": [end_ms - start_ms for _, start_ms, end_ms in spans],
        "width": height,
        "marker": {"color": colour, "line": {"width": 1, "color": colour}},
        "hovertext": list(texts),
        "hoverinfo": "text",
    }


def _map(x: Sequence[str], y: Sequence[str], z: Any, scale: str, ends: tuple[float, float]) -> Figure:
    return {
        "type": "heatmap",
        "x": x,
        "y": y,
        "z": z,
        "zmin": ends[0],
        "zmax": ends[1],
        "colorscale": scale,
        "showscale": False,
        "xgap": 0,
        "ygap": 2,
        "hoverongaps": False,
    }


def _range_text(start_ms: int, end_ms: int) -> str:
    return f"{utc(start_ms)} to {utc(end_ms)}<br>{duration(end_ms - start_ms)}"


def _layout(bins: Bins, height_px: int) -> Figure:
    return {
        "height": height_px,
        "margin": {"t": TOP_PX, "b": BOTTOM_PX, "r": 28, "l": 60},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": "@quiet"},
        "showlegend": False,
        "barmode": "overlay",
        "hoverlabel": {
            "align": "left",
            "bgcolor": "@page",
            "bordercolor": "@quiet",
            "font": {"color": "@ink", "size": 12},
        },
        "dragmode": "zoom",
        "xaxis": {
            "type": "date",
            "range": [utc(bins.first_ms), utc(bins.end_ms)],
            "gridcolor": "@grid",
            "linecolor": "@grid",
            "zeroline": False,
            "tickcolor": "@grid",
            "anchor": "free",
            "position": 0,
            "hoverformat": "%Y-%m-%d %H:%M:%S",
        },
        # On the level of the times, to the left of them, where no date can be.
        "annotations": [
            {
                "text": "UTC",
                "xref": "paper",
                "yref": "paper",
                "x": 0,
                "y": 0,
                "xanchor": "right",
                "yanchor": "top",
                "xshift": -40,
                "yshift": -5,
                "showarrow": False,
                "font": {"size": 12, "color": "@quiet"},
            }
        ],
    }


def _lane_axis(labels: Sequence[str]) -> Figure:
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(labels),
        "range": [len(labels) - 0.5, -0.5],
        "tickmode": "array",
        "tickvals": list(labels),
        "tickfont": {"size": 11, "color": "@ink"},
        "ticklabelstandoff": 6,
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _row_axis() -> Figure:
    """The axis of a heat map whose rows the page puts in: by number, from the top."""
    axis = _lane_axis([])
    return {name: axis[name] for name in axis if not name.startswith("category")} | {"type": "linear"}


def _number_axis(title: str) -> Figure:
    return {
        "title": {"text": title, "font": {"size": 11}, "standoff": 8},
        "gridcolor": "@grid",
        "zeroline": False,
        "rangemode": "tozero",
        "tickformat": ",~g",
        "tickfont": {"size": 11},
        "fixedrange": True,
    }
