"""docs/pipeline.md lists all options of the data source, with their defaults, and all common columns."""

from __future__ import annotations

import re
from pathlib import Path

from kafkaproto_pipeline.generated.records import COMMON_COLUMNS, LAST_COLUMNS
from kafkaproto_pipeline.options import OPTION_NAMES, SourceOptions, parse_options

PAGE = (Path(__file__).resolve().parents[2] / "docs/pipeline.md").read_text()


def table(title: str) -> dict[str, list[str]]:
    """The table of a section: its first column, without the backquotes, and the other ones."""
    _, _, section = PAGE.partition(f"\n## {title}\n")
    rows = [
        line.strip("|").split("|") for line in section.partition("\n## ")[0].splitlines() if line[:1] == "|"
    ]
    return {row[0].strip().strip("`"): [cell.strip() for cell in row[1:]] for row in rows[2:]}


def test_every_option_is_documented() -> None:
    options = table("Options of the data source")
    assert list(options) == list(OPTION_NAMES)
    assert all(len(cells) == 2 and cells[1] for cells in options.values()), options


def test_defaults_are_documented_as_they_are() -> None:
    written = {name: cells[0] for name, cells in table("Options of the data source").items()}
    quoted = {name: text.strip("`") for name, text in written.items() if re.fullmatch("`.+`|[0-9]+", text)}
    assert set(quoted) >= {"view", "replicas", "mode", "splitBytes", "onMissingOffsets", "startingOffset"}
    assert parse_options({"path": "/a", **quoted}) == SourceOptions(paths=("/a",))


def test_every_column_that_all_views_have_is_documented() -> None:
    columns = table("Columns")
    assert list(columns) == [text.split()[0] for text in (*COMMON_COLUMNS, *LAST_COLUMNS)]
    assert all(len(cells) == 1 and cells[0] for cells in columns.values()), columns
