"""What a job's tables become: files in a folder, and a few rows on the screen."""

from __future__ import annotations

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


def show(df: DataFrame, *, name: str, rows: int, console: Console, folder: Path | None) -> int:
    """Print the first rows of a table, and how many there are; returns that number."""
    count = df.count()
    plural = "row" if count == 1 else "rows"
    where = "" if folder is None else f"  {folder}"
    shown = min(count, rows)
    part = f", the first {shown}" if 0 < shown < count else ""
    console.print(Text.assemble((name, "bold"), f"  {count:,} {plural}{part}{where}"), soft_wrap=True)
    if not shown:
        return count
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column, kind in df.dtypes:
        is_number = kind in ("tinyint", "smallint", "int", "bigint", "double") or kind.startswith("decimal")
        table.add_column(Text(column), justify="right" if is_number else "left", overflow="fold")
    for row in as_text(df).limit(rows).collect():
        table.add_row(*(Text(_cell(value)) for value in row))
    console.print(table)
    return count


def _cell(value: object) -> str:
    if value is None:
        return "-"
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return text if len(text) <= MAX_CELL_CHARACTERS else text[: MAX_CELL_CHARACTERS - 3] + "..."
