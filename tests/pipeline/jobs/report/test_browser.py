"""The report in a real browser with the network off: all is drawn, nothing is complained of, nothing is asked for.

Tests: `kafkaproto_pipeline.jobs.report.data`, `kafkaproto_pipeline.jobs.report.page`,
`kafkaproto_pipeline.jobs.report.tables`, `kafkaproto_pipeline.jobs.report.theme`.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path

import pytest

from kafkaproto_pipeline.jobs.report.data import MARKED_KINDS, MAX_ROWS, MAX_TABLE_ROWS, Event, Events, Mark
from kafkaproto_pipeline.jobs.report.page import page
from kafkaproto_pipeline.jobs.report.theme import DARK, LIGHT, utc
from tests.pipeline import report_samples as samples
from tests.pipeline.browser import open_page

pytestmark = pytest.mark.clients

PHONE_PX = 400
REPORTS = {"small": samples.small, "large": samples.large, "empty": samples.empty}
SECTIONS = (
    "Quorum leaders",
    "Brokers",
    "Events",
    "Replicas in sync",
    "Leadership balance",
    "Records by type",
    "Worst partitions",
)

# A plot is drawn when plotly has put its layers and the marks of every trace into it.
WHEN_DRAWN = """
const plots = [...document.querySelectorAll(".plot")];
const layers = ".barlayer path, .scatterlayer path, .heatmaplayer image";
const marks = (plot) => plot.querySelectorAll(layers).length;
const whenDrawn = (then) => {
  if (plots.every((plot) => plot.querySelector(".xtick") && marks(plot))) then();
  else setTimeout(() => whenDrawn(then), 20);
};
"""
LOOK = (
    WHEN_DRAWN
    + """
const look = () => report({
  sections: [...document.querySelectorAll("section")].map((section) => ({
    title: section.querySelector("h2").textContent,
    sentence: section.querySelector("p").textContent,
    plots: [...section.querySelectorAll(".plot")].map(marks),
    rows: section.querySelectorAll("tbody tr").length,
    empty: section.querySelectorAll(".empty").length,
  })),
  overlaps: plots.flatMap((plot) => ["xtick", "ytick", "y2tick"].flatMap((kind) => {
    const boxes = [...plot.querySelectorAll(`.${kind} text`)].map((label) => label.getBoundingClientRect());
    return boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) =>
      one.left < other.right && other.left < one.right && one.top + 1 < other.bottom && other.top + 1 < one.bottom
    ).map(() => plot.id + " " + kind));
  })),
  cut: plots.flatMap((plot) => {
    const frame = plot.getBoundingClientRect();
    return [...plot.querySelectorAll("text")].filter((label) => {
      const box = label.getBoundingClientRect();
      return box.width && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1);
    }).map((label) => plot.id + " " + label.textContent);
  }),
  wide: document.documentElement.scrollWidth > window.innerWidth,
});
whenDrawn(look);
"""
)


@pytest.mark.parametrize("width_px", [PHONE_PX, 1240, 1920])
@pytest.mark.parametrize("name", REPORTS)
def test_every_section_is_drawn_without_a_network(name: str, width_px: int, tmp_path: Path) -> None:
    opened = open_page(page(REPORTS[name]()), LOOK, tmp_path, dark=width_px == 1240, width_px=width_px)
    assert list(opened.console) == []
    assert list(opened.requests) == []
    assert tuple(each["title"] for each in opened.result["sections"]) == SECTIONS
    for each in opened.result["sections"]:
        assert each["sentence"].count(".") == 1
        drawn = all(each["plots"]) and bool(each["plots"] or each["rows"])
        assert drawn if name != "empty" else each["empty"], each
    assert opened.result["overlaps"] == []
    assert opened.result["cut"] == []
    assert not opened.result["wide"]
    assert opened.screenshot.startswith(b"\x89PNG")
    assert len(opened.screenshot) > 10_000


def test_a_zoom_moves_all_plots_and_a_reset_brings_them_back(tmp_path: Path) -> None:
    script = """
    const ranges = () => plots.map((plot) => plot.layout.xaxis.range.map((each) => String(each).slice(0, 19)));
    whenDrawn(async () => {
      const before = ranges();
      await Plotly.relayout(plots[1], { "xaxis.range": ["2026-11-18 11:10:00", "2026-11-18 11:12:00"] });
      setTimeout(async () => {
        const zoomed = ranges();
        await Plotly.relayout(plots[2], { "xaxis.autorange": true });
        setTimeout(() => report({ before, zoomed, after: ranges() }), 500);
      }, 500);
    });
    """
    found = open_page(page(samples.small()), WHEN_DRAWN + script, tmp_path).result
    assert len(found["before"]) == 6
    assert all(each == found["before"][0] for each in found["before"])
    assert found["zoomed"] == [["2026-11-18 11:10:00", "2026-11-18 11:12:00"]] * 6
    assert found["after"] == found["before"]


def test_a_click_on_a_column_sorts_the_table(tmp_path: Path) -> None:
    script = """
    const column = (at) => [...document.querySelectorAll("#worst tbody tr")]
      .map((row) => Number(row.cells[at].dataset.value));
    const button = document.querySelectorAll("#worst th button")[4];
    button.click();
    const down = column(4);
    button.click();
    report({ down, up: column(4), state: button.parentElement.getAttribute("aria-sort") });
    """
    found = open_page(page(samples.small()), script, tmp_path).result
    changes = [row.leader_changes for row in samples.small().worst.rows]
    assert found["down"] == sorted(changes, reverse=True)
    assert found["up"] == sorted(changes)
    assert found["state"] == "ascending"


THEME = """
const look = () => ({
  page: getComputedStyle(document.body).backgroundColor,
  ticks: plots.map((plot) => getComputedStyle(plot.querySelector(".ytick text, .y2tick text")).fill),
  legend: document.querySelector(".legend [data-colour]").style.color,
  button: document.getElementById("theme").textContent,
});
const later = () => new Promise((then) => setTimeout(then, 1000));
whenDrawn(async () => {
  const found = [look()];
  for (let time = 0; time < 2; time++) {
    document.getElementById("theme").click();
    await later();
    found.push(look());
  }
  report(found);
});
"""


def rgb(colour: object) -> str:
    text = str(colour)
    return f"rgb({', '.join(str(int(text[at : at + 2], 16)) for at in (1, 3, 5))})"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_reader_can_choose_the_other_colours(dark: bool, tmp_path: Path) -> None:
    found = open_page(page(samples.small()), WHEN_DRAWN + THEME, tmp_path, dark=dark).result
    order = (DARK, LIGHT, DARK) if dark else (LIGHT, DARK, LIGHT)
    for each, theme in zip(found, order, strict=True):
        assert each["page"] == rgb(theme["@page"])
        assert set(each["ticks"]) <= {rgb(theme["@ink"]), rgb(theme["@quiet"])}
        assert each["legend"] == rgb(theme["@leads"])
        assert each["button"] == ("Light" if theme is DARK else "Dark")


SHOWN_EVENTS = """
const shownEvents = () => [...document.querySelectorAll("#events tbody tr")]
  .filter((row) => row.checkVisibility()).map((row) => Number(row.lastChild.dataset.value));
"""
SEARCH = (
    SHOWN_EVENTS
    + """
const rowsOf = (id) => {
  const plot = document.getElementById(id);
  if (plot.hidden) return [];
  const labels = [...plot.querySelectorAll(".ytick text")].map((each) => each.textContent);
  return labels.length === plot.data[0].z.length ? plot.data[0].customdata.map((row) => row[0][0]) : labels;
};
const look = () => ({
  found: document.getElementById("found").textContent,
  topics: rowsOf("topic-isr"),
  partitions: rowsOf("partition-isr"),
  worst: [...document.querySelectorAll("#worst tbody tr")].filter((row) => row.checkVisibility())
    .map((row) => row.cells[0].textContent),
  events: shownEvents(),
  said: ["topic-isr", "partition-isr", "worst", "events"]
    .map((id) => document.getElementById(`${id}-shown`).textContent),
});
whenDrawn(async () => {
  const found = [look()];
  for (const text of %s) {
    document.getElementById("search").value = text;
    document.getElementById("search").dispatchEvent(new Event("input"));
    await new Promise((then) => setTimeout(then, 1000));
    found.push(look());
  }
  report(found);
});
"""
)


def test_a_search_finds_topics_that_are_not_shown_at_first(tmp_path: Path) -> None:
    report = samples.large()
    texts = ["DEPARTMENT-7", "orders", "nothing of the kind", ""]
    opened = open_page(page(report), WHEN_DRAWN + SEARCH % json.dumps(texts), tmp_path)
    assert list(opened.console) == []
    for text, found in zip(["", *texts], opened.result, strict=True):
        chosen = [
            [(row.topic, row.partition) for row in rows if text.lower() in row.topic.lower()]
            for rows in (report.topic_isr.rows, report.partition_isr.rows, report.worst.rows)
        ]
        names = [[f"{topic}-{partition}" for topic, partition in rows] for rows in chosen[1:]]
        assert found["topics"] == [topic for topic, _ in chosen[0]]
        assert found["partitions"] == names[0][:MAX_ROWS]
        assert found["worst"] == names[1][:MAX_TABLE_ROWS]
        events = [row for row in report.events.rows if row.topic and text.lower() in row.topic.lower()]
        topics = len({row.topic for row in events} | {topic for rows in chosen for topic, _ in rows})
        partitions = len({*names[0], *names[1]})
        if text:
            told = f"{topics} topic{'s' * (topics != 1)}, {partitions} partitions, {len(events)} events found"
            assert found["found"] == told
            assert found["events"] == [row.offset for row in events]
            counts = [*map(len, chosen), len(events)]
            assert [said.split(" of")[0] for said in found["said"]] == [f"Found {each}" for each in counts]
        else:
            assert found["found"] == ""
            assert found["events"] == [row.offset for row in report.events.rows]
            assert "40 worst of 300 partitions" in found["said"][1]


def test_names_are_shown_as_they_are(tmp_path: Path) -> None:
    evil = '<img src="x" onerror="console.log(1)">&amp;'
    small = samples.small()
    rows = [dataclasses.replace(row, topic=evil) for row in small.topic_isr.rows]
    worst = [dataclasses.replace(row, topic=evil) for row in small.worst.rows]
    event = Event(
        at_ms=samples.START_MS, offset=1, kind="config changed", subject=evil, topic=evil, text=evil
    )
    report = dataclasses.replace(
        small,
        events=Events(rows=[event], counts={event.kind: 1}),
        marks=[Mark(count=1, changes=[event])],
        topic_isr=dataclasses.replace(small.topic_isr, rows=rows),
        worst=dataclasses.replace(small.worst, rows=worst),
    )
    script = """
    const hovered = () => {
      const plot = document.getElementById("brokers");
      Plotly.Fx.hover(plot, [{ curveNumber: plot.data.length - 1, pointNumber: 0 }], "xy3");
      return plot.querySelector(".hoverlayer").textContent;
    };
    whenDrawn(() => report({
      images: document.querySelectorAll("main img").length,
      labels: [...document.querySelectorAll("#topic-isr .ytick text")].map((each) => each.textContent),
      hover: hovered(),
      event: document.querySelector("#events tbody tr").cells[3].textContent,
    }));
    """
    opened = open_page(page(report), WHEN_DRAWN + script, tmp_path)
    assert list(opened.console) == []
    assert opened.result["images"] == 0
    assert opened.result["event"] == evil
    assert f"{evil} (offset 1)" in opened.result["hover"]
    # Rows of one name stay apart.
    assert len(opened.result["labels"]) == len(rows)
    assert {label[:8] + label[-6:] for label in opened.result["labels"]} == {"<img src>&amp;"}


def test_events_are_chosen_by_kind(tmp_path: Path) -> None:
    report = samples.large()
    script = """
    const select = document.getElementById("kind");
    report([...select.options].map((option) => {
      select.value = option.value;
      select.dispatchEvent(new Event("change"));
      return [option.textContent, shownEvents(), document.getElementById("events-shown").textContent];
    }));
    """
    opened = open_page(page(report), SHOWN_EVENTS + script, tmp_path)
    assert list(opened.console) == []
    found = {text: (offsets, said) for text, offsets, said in opened.result}
    total = sum(report.events.counts.values())
    assert found.pop(f"all ({total:,})")[0] == [row.offset for row in report.events.rows]
    assert len(found) == len(report.events.counts)
    for kind, count in report.events.counts.items():
        offsets, said = found[f"{kind} ({count:,})"]
        assert offsets == [row.offset for row in report.events.rows if row.kind == kind]
        assert said == f"Found {len(offsets)} of 500 events."


MARKS = """
const band = (plot) => {
  const trace = plot.data.find((each) => each.yaxis === "y3");
  if (!trace) return null;
  const heads = [...plot.querySelectorAll(".xy3 .points path")].map((each) => {
    const box = each.getBoundingClientRect();
    return (box.left + box.right) / 2;
  });
  const lines = plot.layout.shapes.map((each) => each.x0);
  return { at: trace.x, counts: trace.text, texts: trace.hovertext, lines, heads };
};
const later = () => new Promise((then) => setTimeout(then, 1000));
whenDrawn(async () => {
  const whole = plots.map(band);
  await Plotly.relayout(plots[3], { "xaxis.range": ["%s", "%s"] });
  await later();
  const zoomed = plots.map(band);
  document.getElementById("marks").click();
  await later();
  const off = plots.map(band);
  document.getElementById("marks").click();
  await later();
  report({ whole, zoomed, off, on: plots.map(band) });
});
"""


def test_changes_are_marked_on_all_time_axes(tmp_path: Path) -> None:
    report = samples.small()
    start_ms, end_ms = samples.START_MS + 100_000, samples.START_MS + 160_000
    opened = open_page(page(report), WHEN_DRAWN + MARKS % (utc(start_ms), utc(end_ms)), tmp_path)
    assert list(opened.console) == []
    found = opened.result
    assert len(found["whole"]) == 6
    assert found["off"] == [None] * 6
    changes = [each for each in report.events.rows if each.kind in MARKED_KINDS]
    for when, chosen in (
        ("whole", changes),
        ("zoomed", [each for each in changes if start_ms <= each.at_ms <= end_ms]),
        ("on", [each for each in changes if start_ms <= each.at_ms <= end_ms]),
    ):
        for each in found[when]:
            assert each["at"] == each["lines"]
            assert all(one + 15 < other for one, other in itertools.pairwise(each["heads"]))
            assert len(each["heads"]) == len(each["at"])
            assert sum(int(count or 1) for count in each["counts"]) == len(chosen)
            assert each["at"][0] == chosen[0].at_ms
            text = "<br>".join(each["texts"])
            for change in chosen[:3]:
                assert f"{utc(change.at_ms)[11:19]} {change.text} (offset {change.offset})" in text
    # Closer, there are fewer changes to a mark.
    crowd = max(int(count or 1) for count in found["whole"][0]["counts"])
    assert crowd > max(int(count or 1) for count in found["zoomed"][0]["counts"])


MOUSE = """
const wait = (ms) => new Promise((then) => setTimeout(then, ms));
const press = (target, type, x, y) => target.dispatchEvent(
  new MouseEvent(type, {
    bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, buttons: type === "mouseup" ? 0 : 1,
  })
);
// Plotly covers the page while the mouse is held, if it finds that there is a mouse.
const cover = () => document.querySelector(".dragcover") ?? document;
const ranges = () => [...new Set(plots.map((plot) => plot.layout.xaxis.range.map((each) => String(each)).join(" ")))];
whenDrawn(async () => {
  const area = () => plots[1].querySelector(".nsewdrag");
  const [x, y] = [area().getBoundingClientRect().left + 300, area().getBoundingClientRect().top + 20];
  const found = [ranges()];
  press(area(), "mousedown", x, y);
  for (const further of [50, 100, 200]) {
    await wait(50);
    press(cover(), "mousemove", x + further, y);
  }
  press(cover(), "mouseup", x + 200, y);
  await wait(1500);
  found.push(ranges());
  for (let time = 0; time < 2; time++) {
    press(area(), "mousedown", x, y);
    await wait(40);
    press(cover(), "mouseup", x, y);
    await wait(40);
  }
  await wait(1500);
  report([...found, ranges()]);
});
"""


def test_the_mouse_zooms_and_a_double_click_shows_everything_again(tmp_path: Path) -> None:
    opened = open_page(page(samples.small()), WHEN_DRAWN + MOUSE, tmp_path)
    assert list(opened.console) == []
    whole, zoomed, again = opened.result
    assert len(whole) == len(zoomed) == 1
    assert whole != zoomed
    assert whole == again
