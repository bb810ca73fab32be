"""The command ``watch``: its options, and where its alerts go."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from pipeline.jobs.watch_rules import CRITICAL, WARNING, Limits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPARK_CONF = {"spark.sql.shuffle.partitions": "2"}
"""A batch is small, and each partition of the state costs a task."""
EARLIEST, LATEST = "earliest", "latest"
MAX_SHOWN = 50
"""So many alerts of a batch are shown on the screen; the sinks are given all."""
_STYLES = {CRITICAL: "bold red", WARNING: "yellow"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchCommand:
    """What was asked for."""

    since: str | None
    once: bool
    interval: float
    max_records: int
    checkpoint: Path | None
    folder: Path | None
    topic: str | None
    bootstrap_server: str | None
    window: int
    changes: int
    elections: int
    silence: float
    min_isr: int

    def check(self) -> None:
        """Refuse what cannot be, before Spark starts."""
        if (self.topic is None) != (self.bootstrap_server is None):
            raise click.UsageError("--to-topic and --bootstrap-server are given together")
        self.since_ms()

    def limits(self) -> Limits:
        """From when on something is too much."""
        return Limits(
            window_ms=self.window * 1000,
            partition_changes=self.changes,
            broker_changes=self.changes,
            elections=self.elections,
            silence_ms=round(self.silence * 1000),
            min_isr=self.min_isr,
        )

    def source_options(self, where: Mapping[str, str]) -> dict[str, str]:
        """Options of the stream: all of the log, as the rules have to know what was before."""
        return {
            "view": "records",
            "startingOffset": "earliest",
            "onMissingOffsets": "snapshot",
            "maxRecordsPerBatch": str(self.max_records),
            **where,
        }

    def since_ms(self) -> int | None:
        """Alerts of what was earlier are not told; None where all are."""
        from pipeline.jobs.watch_start import has_progress, milliseconds, now_ms

        since = self.since
        if since is None:
            goes_on = self.checkpoint is not None and has_progress(self.checkpoint)
            since = EARLIEST if goes_on else LATEST
        if since == EARLIEST:
            return None
        if since == LATEST:
            return now_ms()
        try:
            return milliseconds(since)
        except ValueError:
            raise click.UsageError(
                f"--from is {since!r}; allowed are earliest, latest or a time in ISO 8601, as 2026-11-21T14:03:00Z"
            ) from None

    def run(
        self, spark: SparkSession, paths: tuple[str, ...], where: Mapping[str, str], screen: Console
    ) -> None:
        """Watch until interrupted, or to the end of what there is."""
        from pyspark.sql import functions as F

        from pipeline.jobs.watch import COLUMNS, alerts, start

        options = {**self.source_options(where), "columns": ",".join(COLUMNS)}
        reader = spark.readStream.format("kraft").options(**options)
        raised = alerts(reader.load(",".join(paths)) if paths else reader.load(), self.limits())
        since_ms = self.since_ms()
        if since_ms is not None:
            raised = raised.filter(F.unix_millis("time") >= since_ms)
        with tempfile.TemporaryDirectory(prefix="metadata-pipeline-") as temporary:
            checkpoint = str((self.checkpoint or Path(temporary)).resolve())
            query = start(
                raised,
                checkpoint=checkpoint,
                interval_s=self.interval,
                once=self.once,
                deliver=lambda batch, number: self._deliver(batch, number, screen),
            )
            try:
                query.awaitTermination()
            except KeyboardInterrupt:
                screen.print("stopped")
            finally:
                query.stop()

    def _deliver(self, batch: DataFrame, number: int, screen: Console) -> None:
        from pyspark.sql import functions as F

        from pipeline.jobs.watch import write_files, write_topic

        if self.folder is not None:
            write_files(batch, number, folder=self.folder.resolve())
        if self.topic is not None and self.bootstrap_server is not None:
            write_topic(batch, number, topic=self.topic, bootstrap_servers=self.bootstrap_server)
        time = F.date_format("time", "yyyy-MM-dd HH:mm:ss.SSS")
        rows = batch.orderBy("time", "offset").withColumn("time", time).limit(MAX_SHOWN).collect()
        for row in rows:
            line = Text.assemble(
                f"{row['time']}  ",
                (f"{row['severity']:<8}", _STYLES.get(row["severity"], "")),
                f"  {row['kind']:<21} {row['subject']}: {row['text']} (offset {row['offset']})",
            )
            screen.print(line, soft_wrap=True)
        if len(rows) == MAX_SHOWN:
            screen.print(f"... and {batch.count() - MAX_SHOWN:,} more", soft_wrap=True)
