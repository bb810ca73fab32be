"""Makes the tables of a job, one after the other or, if they are small, several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kafkaproto_pipeline.jobs import output, redaction
from kafkaproto_pipeline.jobs.job import Transform
from kafkaproto_pipeline.jobs.local_frames import local_frame
from kafkaproto_pipeline.jobs.output import Fetched

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SMALL_AT_ONCE = 2
"""Most of the time of a small table goes into its plan, which takes one core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMaker:
    spark: SparkSession
    rows: int
    """To show of each."""
    order: Sequence[str]
    """Columns by which the shown rows are sorted."""
    folder: Path | None
    """Where each table is written into a folder of its name."""
    file_format: str
    is_small: bool
    """Whether the frame that the tables are made of is small."""
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By table: the columns to sort by instead of ``order``."""

    def tables(
        self,
        transforms: Mapping[str, Transform],
        names: Sequence[str],
        df: DataFrame,
        tell: Callable[[str], None],
        *,
        shows_secrets: bool,
    ) -> Iterator[Fetched]:
        """The tables of these names, in this order. Raises what Spark raises."""
        pool = ThreadPoolExecutor(_SMALL_AT_ONCE if self.is_small else 1)
        try:
            waiting: list[tuple[str, Future[Fetched]]] = []
            for name in names:
                made = transforms[name](df)
                if not shows_secrets:
                    made = redaction.redacted(made, name)
                waiting.append((name, pool.submit(self._make, name, made)))
            for number, (name, future) in enumerate(waiting, 1):
                tell(f"{name} ({number} of {len(names)})")
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _make(self, name: str, made: DataFrame) -> Fetched:
        place = None if self.folder is None else self.folder / name
        if place is not None:
            if self.is_small:
                made = local_frame(self.spark, made.toArrow())
            output.write(made, place, self.file_format)
            if not self.is_small:
                made = self._read_back(place, made)
        order = self.orders.get(name, self.order)
        return output.fetched(
            made, name=name, rows=self.rows, folder=place, order=order, is_small=self.is_small
        )

    def _read_back(self, place: Path, made: DataFrame) -> DataFrame:
        """The table that was just written, so that nothing is computed twice for the screen."""
        reader = self.spark.read.format(self.file_format)
        schema = made.schema
        if self.file_format == "csv":
            reader = reader.option("header", True)
            schema = output.as_text(made, times=False).schema
        return reader.schema(schema).load(str(place))
