"""The report's drawing part: valid figures of bounded size, colours to be told apart, a page that loads nothing."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

import numpy as np
import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

from kafkaproto_pipeline.jobs.report.data import (
    BROKER_STATES,
    DAY_MS,
    MAX_BINS,
    MAX_LANES,
    MAX_ROWS,
    MAX_SPANS,
    ROUND_STEPS_MS,
    SHOWN_FIRST,
    YEAR_MS,
    DirectoryFailure,
    Event,
    Events,
    IsrCell,
    IsrMap,
    IsrRow,
    Mark,
    Report,
    bins_of,
)
from kafkaproto_pipeline.jobs.report.page import page
from kafkaproto_pipeline.jobs.report.plots import (
    STATE_HEIGHTS,
    Plot,
    balance_plot,
    broker_plot,
    isr_plot,
    quorum_plot,
    rates_plot,
)
from kafkaproto_pipeline.jobs.report.theme import DARK, LIGHT, duration, style, utc
from tests.pipeline import report_samples as samples

THEMES = {"light": LIGHT, "dark": DARK}
REPORTS = {"small": samples.small, "large": samples.large, "empty": samples.empty}


def plots(report: Report) -> Iterator[Plot]:
    yield quorum_plot(report.quorum, report.bins)
    yield broker_plot(report.brokers, report.bins)
    yield isr_plot(report.topic_isr, report.bins, "topic-isr", "topic")
    yield isr_plot(report.partition_isr, report.bins, "partition-isr", "partition")
    yield balance_plot(report.balance, report.bins)
    yield rates_plot(report.rates, report.bins)


def painted(value: Any, theme: Mapping[str, Any]) -> Any:
    """A figure with the colours of a theme in the place of their roles, as the page's script puts them."""
    if isinstance(value, dict):
        return {name: painted(each, theme) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [painted(each, theme) for each in value]
    return theme[value] if isinstance(value, str) and value.startswith("@") else value


@given(st.integers(0, 2**31 - 1), st.integers(0, 10_000))
def test_epochs_are_counted_in_whole_numbers(first: int, more: int) -> None:
    quorum = samples.small().quorum
    tenure = dataclasses.replace(quorum.tenures[0], first_epoch=first, last_epoch=first + more)
    axis = (quorum_plot(dataclasses.replace(quorum, tenures=[tenure]), samples.small().bins).figure or {})[
        "layout"
    ]["yaxis2"]
    low, high = axis["range"]
    assert isinstance(axis["dtick"], int)
    assert axis["dtick"] >= 1
    assert low < first <= first + more < high
    assert 1 <= high // axis["dtick"] - (low - 1) // axis["dtick"] <= 6


@given(st.integers(0, 2**50), st.integers(0, 2**45), st.integers(2, 500))
def test_bins_cover_the_range_with_few_round_steps(start_ms: int, length_ms: int, most: int) -> None:
    bins = bins_of(start_ms, start_ms + length_ms, most)
    assert 1 <= bins.count <= most
    assert bins.first_ms <= start_ms < bins.first_ms + bins.step_ms
    assert bins.end_ms - bins.step_ms <= start_ms + length_ms < bins.end_ms
    assert bins.step_ms in ROUND_STEPS_MS or bins.step_ms % YEAR_MS == 0


@given(st.integers(0, 300 * DAY_MS))
def test_bins_are_no_wider_than_needed(length_ms: int) -> None:
    bins = bins_of(samples.START_MS, samples.START_MS + length_ms)
    finer = [each for each in ROUND_STEPS_MS if each < bins.step_ms]
    if finer:
        first, last = samples.START_MS // finer[-1], (samples.START_MS + length_ms) // finer[-1]
        assert last - first + 1 > MAX_BINS


@pytest.mark.parametrize(
    ("length_ms", "text"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (4_210, "4.2 s"),
        (60_000, "1 min"),
        (3_600_000 * 3 + 60_000 * 12 + 59_000, "3 h 12 min"),
        (DAY_MS * 1_234, "1,234 d"),
    ],
)
def test_durations_are_told_in_the_units_that_matter(length_ms: int, text: str) -> None:
    assert duration(length_ms) == text


@given(st.integers(-(2**63), 2**63 - 1))
def test_any_timestamp_of_a_log_has_a_text(at_ms: int) -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", utc(at_ms))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", REPORTS)
def test_plotly_takes_every_figure_in_both_themes(name: str, theme: str) -> None:
    for plot in plots(REPORTS[name]()):
        assert bool(plot.figure) != bool(plot.empty)
        if plot.figure:
            go.Figure(painted(plot.figure, THEMES[theme]))
        for key in plot.legend:
            assert not key.colour.startswith("@") or key.colour in THEMES[theme]


def test_both_themes_have_the_same_roles() -> None:
    assert LIGHT.keys() == DARK.keys()
    for role in LIGHT:
        assert isinstance(LIGHT[role], str) == isinstance(DARK[role], str)
        if not isinstance(LIGHT[role], str):
            assert len(LIGHT[role]) == len(DARK[role])


def test_every_lane_is_labelled_and_has_room() -> None:
    report = samples.large()
    lanes = broker_plot(report.brokers, report.bins).figure
    assert lanes is not None
    axis = lanes["layout"]["yaxis"]
    assert len(axis["tickvals"]) == 50
    margin = lanes["layout"]["margin"]
    assert (lanes["layout"]["height"] - margin["t"] - margin["b"]) / 50 >= 1.4 * axis["tickfont"]["size"]


def test_few_brokers_are_lines_and_many_a_heat_map() -> None:
    assert {each["type"] for each in figure(balance_plot, samples.small(), "balance")["data"]} == {"scatter"}
    assert {each["type"] for each in figure(balance_plot, samples.large(), "balance")["data"]} == {"heatmap"}


def figure(draw: Any, report: Report, part: str) -> dict[str, Any]:
    drawn = draw(getattr(report, part), report.bins).figure
    assert drawn is not None
    return dict(drawn)


def test_a_row_has_cells_only_while_it_was_there() -> None:
    for start_ms, end_ms in ((20, 30), (21, 29), (25, 25), (20, 20), (0, 100), (-5, 105)):
        isr = IsrMap(rows=[IsrRow(topic="t", partition=0, start_ms=start_ms, end_ms=end_ms)], cells=())
        bins = bins_of(0, 99, 10)
        drawn = isr_plot(isr, bins, "isr", "partition").rows
        assert drawn is not None
        _, _, first, end, _ = drawn.rows[0]
        there = [at for at in range(10) if bins.start_ms(at) < end_ms and start_ms < bins.start_ms(at + 1)]
        assert list(range(first, end)) == there, (start_ms, end_ms)


def test_equal_cells_that_follow_each_other_are_one() -> None:
    def cell(at: int, share: float, leaderless_ms: int = 0) -> IsrCell:
        return IsrCell(
            row=0, bin=at, share=share, out_of_sync_ms=2, leaderless_ms=leaderless_ms, partitions=1
        )

    cells = [cell(7, 0.5), cell(3, 0.5), cell(4, 0.5), cell(5, 0.25), cell(6, 0.25, 1)]
    isr = IsrMap(rows=[IsrRow(topic="t", partition=0, start_ms=0, end_ms=10)], cells=cells)
    rows = isr_plot(isr, bins_of(0, 9), "isr", "partition").rows
    assert rows is not None
    out, leaderless = "replicas out of sync for 2 ms", "replicas out of sync for 2 ms<br>leaderless for 1 ms"
    found = [(at, count, share, rows.texts[text], cross) for at, count, share, text, cross in rows.rows[0][4]]
    assert found == [
        (3, 2, 0.5, out, 0),
        (5, 1, 0.25, out, 0),
        (6, 1, 0.25, leaderless, 1),
        (7, 1, 0.5, out, 0),
    ]


def test_what_is_left_out_is_said() -> None:
    report = samples.large()
    lanes = dataclasses.replace(report.brokers, left_out=7)
    assert "7 more brokers" in broker_plot(lanes, report.bins).caption
    assert "4,700 more partitions" in isr_plot(report.partition_isr, report.bins, "isr", "partition").caption
    assert "17 more partitions" in page(report)


def test_empty_parts_say_so() -> None:
    text = page(samples.empty())
    assert text.count('class="empty"') == 8
    assert 'class="plot"' not in text
    healthy = IsrMap(rows=(), cells=(), healthy=5_000)
    assert (
        "All replicas of 5,000 partitions were in sync"
        in isr_plot(healthy, bins_of(0, 1), "isr", "partition").empty
    )


def test_figures_stay_small_at_the_limits() -> None:
    text = page(samples.large())
    island = re.search(r'<script type="application/json" id="figures">(.*?)</script>', text, re.S)
    assert island is not None
    assert len(island[1]) < 1_500_000
    assert len(text) < len(get_plotlyjs()) + 1_600_000
    assert MAX_BINS * max(MAX_ROWS, MAX_LANES) <= 8_000
    assert MAX_SPANS <= 8_000


# Colours: how people see them who lack one kind of cones, by the matrices of Machado, Oliveira and Fernandes (2009).
VISION = {
    "all cones": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def linear(colour: str) -> Any:
    value = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(value: Any) -> Any:
    scaled = TO_XYZ @ np.clip(value, 0, 1) / WHITE
    root = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("theme", THEMES)
def test_states_of_a_lane_can_be_told_apart(theme: str, vision: str) -> None:
    seen = {
        each: lab(VISION[vision] @ linear(str(THEMES[theme][f"@{each}"])))
        for each in (*BROKER_STATES, "page")
    }
    for one, other in itertools.combinations(seen, 2):
        distance = float(np.linalg.norm(seen[one] - seen[other]))
        # A colour difference of 10 is seen at a glance; states of the same height have to differ twice as much.
        same_height = STATE_HEIGHTS.get(one, 1) > 0.5 and STATE_HEIGHTS.get(other, 1) > 0.5
        assert distance > (20 if same_height else 10), (one, other, distance)


def test_the_page_has_the_colours_of_both_themes() -> None:
    for role in ("@page", "@ink", "@quiet"):
        assert f"--{role[1:]}: light-dark({LIGHT[role]}, {DARK[role]});" in style()


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable(theme: str) -> None:
    def luminance(role: str) -> float:
        return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(str(THEMES[theme][role])))

    for text, ground, least in (
        ("@ink", "@page", 7),
        ("@quiet", "@page", 4.5),
        ("@on leads", "@leads", 4.5),
        ("@quiet", "@tile", 4.5),
        ("@on mark", "@mark", 4.5),
        ("@mark", "@page", 3),
    ):
        light, dark = sorted((luminance(text), luminance(ground)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= least, (text, ground)


def test_states_that_are_drawn_as_one_have_an_order() -> None:
    assert sorted(SHOWN_FIRST) == sorted(BROKER_STATES)
    assert set(STATE_HEIGHTS) == set(BROKER_STATES)


class Addresses(HTMLParser):
    """Collects what a browser would load, and the page's own scripts and styles."""

    LOADING = ("src", "href", "srcset", "data", "action", "poster", "background", "formaction", "ping")

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[tuple[str, str, str | None]] = []
        self.inline: list[str] = []
        self.policies: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [(tag, name, value) for name, value in attrs if name in self.LOADING]
        self.inline += [value or "" for name, value in attrs if name == "style" or name.startswith("on")]
        given = dict(attrs)
        if (given.get("http-equiv") or "").lower() == "content-security-policy":
            self.policies.append(given["content"] or "")
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            self.inline.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


@pytest.mark.parametrize("name", REPORTS)
def test_page_names_nothing_that_a_browser_would_load(name: str) -> None:
    text = page(REPORTS[name]())
    found = Addresses()
    found.feed(text)
    assert found.loaded == []
    own = [each for each in found.inline if each.strip() != get_plotlyjs().strip()]
    assert len(own) == len(found.inline) - 1
    for each in own:
        assert not re.search(
            r"https?:|//[a-z]+\.|@import|url\((?!#)|fetch\(|XMLHttpRequest|import\(|Worker", each
        )
    assert found.policies == [
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
    ]


def test_no_name_can_break_out_of_the_page() -> None:
    evil = '</script><img src="x" onerror="alert(1)"><b>&amp;'
    report = samples.small()
    header = dataclasses.replace(report.header, cluster_ids=[evil], notes=[evil])
    rows = [dataclasses.replace(each, topic=evil) for each in report.worst.rows]
    event = Event(at_ms=samples.START_MS, offset=1, kind=evil, subject=evil, topic=evil, text=evil)
    isr_rows = [dataclasses.replace(each, topic=evil) for each in report.topic_isr.rows]
    failures = [dataclasses.replace(each, text=evil) for each in report.brokers.failures] or [
        DirectoryFailure(broker_id=101, at_ms=samples.START_MS, offset=1, text=evil)
    ]
    report = dataclasses.replace(
        report,
        header=header,
        worst=dataclasses.replace(report.worst, rows=rows),
        topic_isr=dataclasses.replace(report.topic_isr, rows=isr_rows),
        brokers=dataclasses.replace(report.brokers, failures=failures),
        rates=dataclasses.replace(report.rates, types=[evil, *report.rates.types[1:]]),
        events=Events(rows=[event], counts={evil: 1}),
        marks=[Mark(count=1, changes=[event])],
    )
    text = page(report, title=evil)
    found = Addresses()
    found.feed(text)
    assert found.loaded == []
    island = re.search(r'<script type="application/json" id="figures">(.*?)</script>', text, re.S)
    assert island is not None
    assert "<" not in island[1]
    # Plotly understands some HTML in its texts: that of names is not to be understood. A test in a browser looks at
    # what the page's script puts in.
    for figure in json.loads(island[1])["figures"].values():
        assert "<img" not in json.dumps(figure["data"])
    assert "&lt;img" in json.dumps(json.loads(island[1])["figures"])


def test_title_heads_the_page() -> None:
    report = samples.small()
    assert "<title>Cluster 3Db5QLSqSZieL3rJBUUegA</title>" in page(report)
    titled = page(report, title="Payments & orders")
    assert "<h1>Payments &amp; orders</h1>" in titled
    assert "3Db5QLSqSZieL3rJBUUegA" in titled
