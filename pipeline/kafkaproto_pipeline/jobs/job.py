"""The definition of a job: the records that it asks for, and the tables that it makes of them.

Every table is a plain function from data frame to data frame, so that a notebook can import it and pass it the result
of ``spark.read.format("kraft")``. The command line knows a job as one `Job` named ``JOB``, in the module ``job`` of
the job's folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Transform = Callable[["DataFrame"], "DataFrame"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A set of tables that are made of the same records."""

    name: str
    view: str
    """View of the source that the table functions take."""
    record_types: tuple[str, ...]
    """The record types that the tables use; all others are not decoded. Empty if the view determines them."""
    tables: Mapping[str, Transform]
    """By name, in the order in which they are shown."""
    source_options: Mapping[str, str] = field(default_factory=dict)
    """Options of the source beyond view and record types."""
    order: tuple[str, ...] = ()
    """Columns by which rows are sorted on the screen, if a table has them."""
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By table: the columns to sort by instead of ``order``."""
    document: Callable[[DataFrame, str | None], str] | None = None
    """For a job that makes an HTML page instead of tables: from the frame and a title, if there is one, to its text."""
