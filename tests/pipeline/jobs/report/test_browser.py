"""The report in a real browser with the network off: all is drawn, nothing is complained of, nothing is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkaproto_pipeline.jobs.report.page import page
from tests.pipeline import report_samples as samples
from tests.pipeline.browser import open_page

pytestmark = pytest.mark.clients

REPORTS = {"small": samples.small, "large": samples.large, "empty": samples.empty}
SECTIONS = (
    "Quorum leaders",
    "Brokers",
    "Replicas in sync",
    "Leadership balance",
    "Records by type",
    "Worst partitions",
)

# A plot is drawn when plotly has put its layers and the marks of every trace into it.
LOOK = """
const plots = [...document.querySelectorAll(".plot")];
const layers = ".barlayer path, .scatterlayer path, .heatmaplayer image";
const marks = (plot) => plot.querySelectorAll(layers).length;
const whenDrawn = (then) => {
  if (plots.every((plot) => plot.querySelector(".xtick") && marks(plot))) then();
  else setTimeout(() => whenDrawn(then), 20);
};
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


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", REPORTS)
def test_every_section_is_drawn_without_a_network(name: str, dark: bool, tmp_path: Path) -> None:
    opened = open_page(page(REPORTS[name]()), LOOK, tmp_path, dark=dark)
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
    look = LOOK.removesuffix("whenDrawn(look);\n")
    found = open_page(page(samples.small()), look + script, tmp_path).result
    assert len(found["before"]) == 6
    assert all(each == found["before"][0] for each in found["before"])
    assert found["zoomed"] == [["2026-11-18 11:10:00", "2026-11-18 11:12:00"]] * 6
    assert found["after"] == found["before"]


def test_a_click_on_a_column_sorts_the_table(tmp_path: Path) -> None:
    script = """
    const column = (at) => [...document.querySelectorAll("tbody tr")].map((row) => Number(row.cells[at].dataset.value));
    const button = document.querySelectorAll("th button")[4];
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
