"""Writes a job's tables to files in a folder, and shows a few of their rows on the screen."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
"""What is longer is cut on a terminal; the files have all of it."""
UNCUT_WIDTH = 1 << 24
"""Width of a console on which nothing is cut."""
CLUSTER = "clusterId"
UNKNOWN = "-"
_GAP = 3
"""Between columns."""
_NARROWEST = 12
"""No column is cut to less."""
_NESTED = ("array", "struct", "map")


class OutputError(Exception):
    """Nothing can be written to a place; the text names it and says why."""


def check_folder(folder: Path) -> None:
    """Raise OutputError if no file can be created in the folder, which is created later if it is not there."""
    found = folder.absolute()
    while not os.path.lexists(found):
        found = found.parent
    try:
        with tempfile.TemporaryDirectory(dir=found):
            pass
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {error.strerror}") from None


def check_file(file: Path) -> None:
    """Raise OutputError if the file cannot be written."""
    check_folder(file.parent)
    if file.exists() and not os.access(file, os.W_OK):
        raise OutputError(f"{file} cannot be written: it is write-protected")


def screen(*, wide: bool = False) -> Console:
    """Standard output. Tables are cut to a terminal's width, unless they are to be ``wide``; what goes to a file or
    another program is whole.
    """
    console = Console()
    return Console(width=UNCUT_WIDTH) if wide or not console.is_terminal else console


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A table as it is shown: how many rows it has, and the first of them."""

    name: str
    count: int
    kinds: Sequence[tuple[str, str]]
    """Each column's name, and Spark's name of its type."""
    rows: Sequence[Mapping[str, object]]
    folder: Path | None


def fetched(
    df: DataFrame,
    *,
    name: str,
    rows: int,
    folder: Path | None = None,
    order: Sequence[str] = (),
    is_small: bool = False,
) -> Fetched:
    """The first rows of a table, and the number of rows.

    The rows are sorted by those columns of ``order`` that the table has, then by the others; if it has none of them,
    they keep the table's own order. All rows of a small table come here at once; of another only those that are shown,
    by a second query.
    """
    by = [column for column in order if column in df.columns]
    by += [column for column in df.columns if by and column not in by]
    if not is_small:
        df = df.persist()
        count = df.count()
    shown = as_text(df.orderBy(*by) if by else df)
    found = (shown if is_small else shown.limit(rows)).toArrow()
    if is_small:
        count = found.num_rows
    else:
        df.unpersist()
    first = found.slice(0, rows).to_pylist()
    return Fetched(name=name, count=count, kinds=df.dtypes, rows=first, folder=folder)


def show(table: Fetched, *, console: Console) -> None:
    """Print the first rows of a table, and the number of rows.

    A row takes one line. If all rows have the same cluster id, it is printed above them.
    """
    count, shown = table.count, table.rows
    has_cluster = any(column == CLUSTER for column, _ in table.kinds)
    clusters = {row[CLUSTER] for row in shown} if has_cluster else set()
    kinds = [(column, kind) for column, kind in table.kinds if column != CLUSTER or len(clusters) > 1]
    texts = [f"  {count:,} {'row' if count == 1 else 'rows'}"]
    texts += [f", the first {len(shown)}"] if 0 < len(shown) < count else []
    texts += [f"  of cluster {next(iter(clusters)) or UNKNOWN}"] if len(clusters) == 1 else []
    texts += [] if table.folder is None else [f"  {table.folder}"]
    console.print(Text.assemble((table.name, "bold"), *texts), soft_wrap=True)
    if not shown:
        return
    limit = None if console.width == UNCUT_WIDTH else MAX_CELL_CHARACTERS
    draw(kinds, [[cell(row[column], limit) for column, _ in kinds] for row in shown], console)


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


def cell(value: object, limit: int | None) -> str:
    """A value as text on one line, of at most ``limit`` characters."""
    if value is None:
        return UNKNOWN
    text = f"{value:.3f}" if isinstance(value, float) else str(value).replace("\n", "\\n")
    return text if limit is None else _cut(text, limit)
