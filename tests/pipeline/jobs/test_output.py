"""Tables on the screen: a line a row, as wide as the screen is, and nothing left out without a word."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from kafkaproto_pipeline.jobs import output
from kafkaproto_pipeline.jobs.output import UNCUT_WIDTH, cell, draw

KINDS = [("topicName", "string"), ("leaderRecoveryState", "tinyint"), ("directories", "array<string>")]
ROWS = [["orders", "0", '["5FdWBCAWQsuYXXYz4vbK6w"]'], ["payments", "1", "[]"]]


def drawn(width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    draw(KINDS, ROWS, console)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_names_are_folded_where_the_values_are_shorter() -> None:
    assert drawn(60) == [
        "             leader",
        "topic      Recovery",
        "Name          State   directories",
        "─" * 48,
        'orders            0   ["5FdWBCAWQsuYXXYz4vbK6w"]',
        "payments          1   []",
    ]


@pytest.mark.parametrize(
    ("width", "last"),
    [(40, 'orders            0   ["5FdWBCAWQsuYX...'), (34, 'orders            0   ["5FdWBCA...')],
)
def test_the_longest_texts_are_cut_first(width: int, last: str) -> None:
    assert drawn(width)[4] == last


def test_columns_that_have_no_room_are_named() -> None:
    assert drawn(20)[4:] == [
        "orders            0",
        "payments          1",
        "no room on the screen for directories",
    ]


def test_what_is_no_terminal_gets_whole_cells() -> None:
    text = "x" * 3_000
    console = Console(file=io.StringIO(), width=UNCUT_WIDTH)
    draw([("text", "string"), ("other", "string")], [[cell(text, None), "y"]], console)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines()[-1].rstrip() == f"{text}   y"
    assert output.screen().width == UNCUT_WIDTH


def test_a_terminal_is_as_wide_as_it_is_unless_all_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "77")
    assert output.screen().width == 77
    assert output.screen(wide=True).width == UNCUT_WIDTH


def test_a_cell_is_one_line() -> None:
    assert cell("a\nb", None) == r"a\nb"
    assert cell("x" * 61, 60) == "x" * 57 + "..."
    assert cell(None, 60) == "-"
    assert cell(0.12345, 60) == "0.123"
