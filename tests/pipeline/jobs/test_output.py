"""Tables on the screen: a line a row, as wide as the screen is, and nothing left out without a word."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from kafkaproto_pipeline.jobs.output import draw

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
