"""Writes a job's tables to files in a folder, and shows a few of their rows on the screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

FORMATS = ("parquet", "csv", "json")
MAX_CELL_CHARACTERS = 60
"""What is longer is cut on the screen; the files have all of it."""
CLUSTER = "clusterId"
UNKNOWN = "-"
_GAP = 3
"""Between columns."""
_NARROWEST = 12
"""No column is cut to less."""
_NESTED = ("array", "struct", "map")


def write(df: DataFrame, path: Path, file_format: str) -> None:
    """Write a table as files of its own folder, which must not be there; CSV has arrays and structs as JSON text."""
    if file_format == "csv":
        as_text(df, times=False).write.csv(str(path), header=True)
    else:
        df.write.format(file_format).save(str(path))


def as_text(df: DataFrame, *, times: bool = True) -> DataFrame:
    """The table with what is nested as JSON text and bytes as hexadecimal digits, ``times`` in milliseconds of UTC."""
    from pyspark.sql import functions as F

    def column(name: str, kind: str) -> Column:
        value = F.col(f"`{name}`")
        if kind.startswith(_NESTED):
            value = F.to_json(value)
        elif kind == "binary":
            value = F.hex(value)
        elif kind == "timestamp" and times:
            value = F.date_format(value, "yyyy-MM-dd HH:mm:ss.SSS")
        return value.alias(name)

    return df.select(*(column(name, kind) for name, kind in df.dtypes))


def show(
    df: DataFrame, *, name: str, rows: int, console: Console, folder: Path | None, order: Sequence[str] = ()
) -> int:
    """Print the first rows of a table, and the number of rows; returns that number.

    The rows are sorted by those columns of ``order`` that the table has; if it has none, they keep the table's own
    order. A row takes one line. If all rows have the same cluster id, it is printed above them.
    """
    count = df.count()
    by = [column for column in order if column in df.columns]
    shown = as_text(df.orderBy(*by) if by else df).limit(rows).collect() if rows else []
    clusters = {row[CLUSTER] for row in shown} if CLUSTER in df.columns else set()
    kinds = [(column, kind) for column, kind in df.dtypes if column != CLUSTER or len(clusters) > 1]
    texts = [f"  {count:,} {'row' if count == 1 else 'rows'}"]
    texts += [f", the first {len(shown)}"] if 0 < len(shown) < count else []
    texts += [f"  of cluster {next(iter(clusters)) or UNKNOWN}"] if len(clusters) == 1 else []
    texts += [] if folder is None else [f"  {folder}"]
    console.print(Text.assemble((name, "bold"), *texts), soft_wrap=True)
    if not shown:
        return count
    draw(kinds, [[_cell(row[column]) for column, _ in kinds] for row in shown], console)
    return count


def draw(kinds: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]], console: Console) -> None:
    """Print rows of texts under columns, each a name and Spark's name of its type, as wide as the console is.

    Long texts are cut as far as needed; columns that have no room even so are named below.
    """
    cells = list(zip(*rows, strict=True))
    titles = [_folded(column, max(map(len, texts))) for (column, _), texts in zip(kinds, cells, strict=True)]
    widths = _widths(titles, cells, console.width)
    fitting = sum(end <= console.width for end in accumulate(widths, lambda end, width: end + _GAP + width))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for (_, kind), title, width in list(zip(kinds, titles, widths, strict=True))[:fitting]:
        is_number = kind in ("tinyint", "smallint", "int", "bigint", "double") or kind.startswith("decimal")
        table.add_column(Text(title), justify="right" if is_number else "left", no_wrap=True, width=width)
    for row in rows:
        table.add_row(*(Text(_cut(text, width)) for text, width in zip(row, widths[:fitting], strict=False)))
    console.print(table)
    if fitting < len(kinds):
        left_out = ", ".join(column for column, _ in kinds[fitting:])
        console.print(f"no room on the screen for {left_out}", soft_wrap=True, markup=False, style="dim")


def _folded(column: str, width: int) -> str:
    """A column's name in lines no wider than that, if its words are no wider."""
    lines = [""]
    for word in re.findall(r"[A-Z]?[^A-Z]+|[A-Z]+", column):
        if lines[-1] and len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


def _widths(titles: Sequence[str], cells: Sequence[Sequence[str]], available: int) -> list[int]:
    """The width that each column needs. If that is too much in all, the widest columns are cut to one width."""
    needed = [
        max(map(len, (*title.split("\n"), *column))) for title, column in zip(titles, cells, strict=True)
    ]
    room = available - _GAP * (len(needed) - 1)
    widest = max(needed)
    while sum(min(width, widest) for width in needed) > room and widest > _NARROWEST:
        widest -= 1
    return [min(width, widest) for width in needed]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def _cell(value: object) -> str:
    if value is None:
        return UNKNOWN
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return _cut(text, MAX_CELL_CHARACTERS)
