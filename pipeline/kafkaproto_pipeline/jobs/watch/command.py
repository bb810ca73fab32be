"""The command ``watch``: its options, and where it writes its alerts."""

from __future__ import annotations

import json
import re
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from kafkaproto_pipeline.jobs import session
from kafkaproto_pipeline.jobs.watch.rules import CRITICAL, LACKING_KINDS, PARTITION_KINDS, WARNING, Limits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from kafkaproto_pipeline.jobs.watch.beginning import Begin

SPARK_CONF = {"spark.sql.shuffle.partitions": "2"}
"""A batch is small, and each partition of the state costs a task."""
EARLIEST, LATEST = "earliest", "latest"
MAX_SHOWN = 50
"""So many lines of a batch are shown on the screen; the sinks are given all alerts."""
MAX_GROUPED = 100_000
"""So many alerts of a batch are looked at for the screen."""
CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"
"""Spark's own for Kafka, which pyspark does not bring: the newest for the releases of Spark that we run on."""
_POLL_S = 0.2
_COMMIT_S = 10.0
"""Time limit for the batch that is being delivered when the watch is asked to end."""
_PYTHON_ERROR = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception)\b.*", re.MULTILINE)
"""The end of a traceback."""
_STYLES = {CRITICAL: "bold red", WARNING: "yellow"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchCommand:
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
    uncommitted: bool = False
    wide: bool = False

    def check(self, bootstrap_controllers: str | None = None) -> None:
        """Refuse what cannot be meant."""
        if self.uncommitted and bootstrap_controllers is not None:
            raise click.UsageError("--uncommitted is for files: a live quorum says what is committed")
        if (self.topic is None) != (self.bootstrap_server is None):
            raise click.UsageError("--to-topic and --bootstrap-server are given together")
        self._since_ms()

    def check_places(self, bootstrap_controllers: str | None) -> None:
        """Refuse what cannot be read or written, before Spark starts."""
        from kafkaproto_pipeline.jobs.watch import checks

        try:
            for folder in (self.checkpoint, self.folder):
                if folder is not None:
                    checks.check_folder(folder)
            if bootstrap_controllers is not None:
                checks.check_quorum(bootstrap_controllers)
            if self.topic is not None and self.bootstrap_server is not None:
                checks.check_topic(self.topic, self.bootstrap_server)
        except checks.CheckError as error:
            raise click.ClickException(str(error)) from None
        if self.checkpoint is not None:
            self._begin(self.checkpoint)

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
            **({"highWatermark": "latest"} if self.uncommitted else {}),
            **where,
        }

    def _since_ms(self) -> int | None:
        """Earlier alerts are not reported; None if all are."""
        from kafkaproto_pipeline.jobs.watch.beginning import milliseconds, now_ms

        if self.since == EARLIEST:
            return None
        if self.since in (None, LATEST):
            return now_ms()
        try:
            return milliseconds(self.since)
        except ValueError:
            raise click.UsageError(
                f"--from is {self.since!r}; allowed are earliest, latest or a time in ISO 8601, as "
                "2026-11-21T14:03:00Z"
            ) from None

    def run(
        self, spark: SparkSession, paths: tuple[str, ...], where: Mapping[str, str], screen: Console
    ) -> bool:
        """Watch until SIGINT (Ctrl-C) or SIGTERM comes, or until the end of the existing log.

        Returns whether all of the log was read: no alert says that some could not be.
        """
        from pyspark.errors import StreamingQueryException
        from pyspark.sql import functions as F

        from kafkaproto_pipeline.jobs.watch.alerts import COLUMNS, alerts, start

        if self.topic is not None:
            _require_connector(spark)
        options = {**self.source_options(where), "columns": ",".join(COLUMNS)}
        if paths:
            options["paths"] = json.dumps(paths)
        raised = alerts(spark.readStream.format("kraft").options(**options).load(), self.limits())
        with tempfile.TemporaryDirectory(prefix="metadata-pipeline-") as temporary, _told_to_end() as told:
            checkpoint = (self.checkpoint or Path(temporary) / "checkpoint").resolve()
            began = self._begin(checkpoint)
            if began.since_ms is not None:
                # What cannot be read has the time of the record before it, however long ago that was.
                is_lacking = F.col("kind").isin(*LACKING_KINDS)
                raised = raised.filter((F.unix_millis("timestamp") >= began.since_ms) | is_lacking)
            failures: list[Exception] = []
            delivered: list[int] = []
            lacking: list[int] = []

            def deliver(batch: DataFrame, number: int) -> None:
                delivered[:] = [number]
                if not batch.filter(F.col("kind").isin(*LACKING_KINDS)).isEmpty():
                    lacking.append(number)
                self._deliver(batch, number, began.name, screen)

            query = start(
                raised,
                checkpoint=str(checkpoint),
                interval_s=self.interval,
                once=self.once,
                deliver=deliver,
                failed=failures.append,
            )
            try:
                if paths:
                    _tell_unproven(options, screen)
                _wait(query, told, None if self.once else screen)
                _wait_for_commit(query, delivered)
                if not told.is_set():
                    query.awaitTermination()
            except StreamingQueryException as error:
                raise click.ClickException(_reason(failures[0] if failures else error)) from error
            finally:
                query.stop()
        if told.is_set():
            screen.print("stopped")
        return not lacking

    def _begin(self, checkpoint: Path) -> Begin:
        from kafkaproto_pipeline.jobs.watch import beginning

        try:
            return beginning.begin(checkpoint, self._since_ms(), is_given=self.since is not None)
        except beginning.CheckpointError as error:
            raise click.ClickException(str(error)) from None

    def _deliver(self, batch: DataFrame, number: int, name: str, screen: Console) -> None:
        """The screen is first: a person waits there, and a topic's brokers may be what the alerts are about."""
        from kafkaproto_pipeline.jobs.watch.alerts import write_files, write_topic

        _show(batch, screen, is_wide=self.wide)
        if self.folder is not None:
            write_files(batch, number, folder=self.folder.resolve() / f"watch={name}")
        if self.topic is not None and self.bootstrap_server is not None:
            write_topic(batch, number, topic=self.topic, bootstrap_servers=self.bootstrap_server)


def _show(batch: DataFrame, screen: Console, *, is_wide: bool) -> None:
    """Print the lines of a batch's alerts; not more than `MAX_SHOWN`, unless all are asked for."""
    from pyspark.sql import functions as F

    from kafkaproto_pipeline.jobs.watch.rules import Alert
    from kafkaproto_pipeline.jobs.watch.screen import lines

    # If there are too many to look at, brokers and the quorum are the ones that say why.
    ordered = batch.orderBy(F.col("kind").isin(*PARTITION_KINDS), "timestamp", "offset")
    rows = ordered.withColumn("timeMs", F.unix_millis("timestamp")).limit(MAX_GROUPED).collect()
    names = ("timeMs", "kind", "severity", "subject", "offset", "text", "cause")
    found = lines((Alert(*(row[name] for name in names)) for row in rows), is_wide=is_wide)
    shown = found if is_wide else found[:MAX_SHOWN]
    for line in shown:
        time = datetime.fromtimestamp(line.time_ms / 1000, UTC).isoformat(" ", "milliseconds")
        text = Text.assemble(
            f"{time[: -len('+00:00')]}  ",
            (f"{line.severity:<8}", _STYLES.get(line.severity, "")),
            f"  {line.kind:<23} {line.text}",
        )
        screen.print(text, soft_wrap=True)
    count = len(rows) if len(rows) < MAX_GROUPED else batch.count()
    if more := count - sum(line.alerts for line in shown):
        screen.print(f"... and {more:,} alerts more", soft_wrap=True)


def _tell_unproven(options: Mapping[str, str], screen: Console) -> None:
    """Print which records the watch cannot take into account yet. Only the query reports wrong input."""
    from kafkaproto_pipeline.options import parse_options
    from kafkaproto_pipeline.planning.stream import find_unproven
    from kafkaproto_pipeline.sources.directories import InputError

    try:
        unproven = find_unproven(parse_options(options))
    except InputError:
        return
    if unproven is not None:
        text = unproven.text(take_all="--uncommitted", live="--bootstrap-controllers")
        screen.print(f"warning: {text}", soft_wrap=True, markup=False)


def _reason(error: Exception) -> str:
    """Why a query failed, on one line: what our own code said, or else the innermost cause in Java."""
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

    java = error.java_exception if isinstance(error, Py4JJavaError) else None
    while java is not None and java.getCause() is not None:
        java = java.getCause()
    text = str(error) if java is None else str(java.toString())
    told = session.cause(ValueError(text))
    raised = _PYTHON_ERROR.findall(text)
    return raised[-1] if raised and text.lstrip().startswith(told) else told


def _require_connector(spark: SparkSession) -> None:
    """If Spark cannot write to Kafka, say what is missing. This opens no connection."""
    from pyspark.errors import AnalysisException

    options = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "any"}
    try:
        spark.read.format("kafka").options(**options).load()
    except AnalysisException:
        raise click.ClickException(
            f"Spark lacks its connector for Kafka, which --to-topic needs: add --conf spark.jars.packages={CONNECTOR}"
        ) from None


@contextmanager
def _told_to_end() -> Iterator[threading.Event]:
    """Set by SIGINT or SIGTERM; the next one of them does again what it did before."""
    told = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        told.set()
        restore()

    def restore() -> None:
        for each, handler in before.items():
            signal.signal(each, handler)

    before = {each: signal.signal(each, note) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        restore()


def _wait(query: StreamingQuery, told: threading.Event, screen: Console | None) -> None:
    """Wait until the query has ended or ``told`` is set. After the first batch, print what is watched on the screen."""
    while query.isActive and not told.wait(_POLL_S):
        if screen is not None and (progress := query.lastProgress) is not None:
            at = json.loads(progress.sources[0].endOffset)
            screen.print(
                f"watching cluster {at.get('clusterId')} from offset {at['offset']:,} on", soft_wrap=True
            )
            screen = None


def _wait_for_commit(query: StreamingQuery, delivered: Sequence[int]) -> None:
    """Let the query note that a batch was delivered, as it would be delivered again otherwise."""
    deadline = time.monotonic() + _COMMIT_S
    while query.isActive and delivered and time.monotonic() < deadline:
        progress = query.lastProgress
        if progress is not None and progress.batchId >= delivered[-1]:
            return
        time.sleep(_POLL_S / 10)
