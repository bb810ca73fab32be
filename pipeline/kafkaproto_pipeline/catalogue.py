"""All tables of the jobs as views of SQL: ``register(spark, path)``, then ``spark.sql("select * from leadership")``.

A view has the name of its table. A table of the history whose name is also that of a table of the state, such as
``topics``, is called ``topic_history``. Nothing is read until a query needs it. The state is replayed for each query
anew. The rows of the history are read once and kept in Spark's cache until ``spark.catalog.clearCache()``; the same
holds for the findings of ``consistency``.

The function ``kraft_word('ConfigRecord.resourceType', resourceType)`` gives Kafka's word for a number that a record
has. It is an expression of SQL, so it costs nothing where it is not used, and it works on every view of the records.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkaproto_pipeline.datasource import KraftDataSource
from kafkaproto_pipeline.jobs.consistency.job import JOB as CONSISTENCY
from kafkaproto_pipeline.jobs.health.job import JOB as HEALTH
from kafkaproto_pipeline.jobs.history.job import JOB as HISTORY
from kafkaproto_pipeline.jobs.job import Job
from kafkaproto_pipeline.jobs.redaction import redacted
from kafkaproto_pipeline.options import ONE_REPLICA, parse_options
from kafkaproto_pipeline.views.schema import STATE_TABLES
from kafkaproto_pipeline.views.wanted import FAILFAST
from kafkaproto_pipeline.views.words import FIELD_WORDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

STATE = "state"
_JOBS: tuple[Job, ...] = (HISTORY, HEALTH, CONSISTENCY)
_ONLY_OF_STATE = ("asof", "secrets")
_NEVER_OF_STATE = ("startoffset", "endoffset", "starttimestamp", "endtimestamp")
"""Options of the source, in lower case, that only the views of the state take, and that these do not take."""
WORD_FUNCTION = "kraft_word"
_WORKER_TIMEOUT_S = 60.0


class CatalogueError(ValueError):
    """There is no such table; the text names the existing ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One view of the catalogue."""

    name: str
    job: str
    """The job whose table it is."""
    table: str
    """The table's name there."""


def _name(job: Job, table: str) -> str:
    if job is HISTORY and table in STATE_TABLES:
        return f"{table.removesuffix('s')}_history"
    return table


ENTRIES: tuple[Entry, ...] = (
    *(Entry(name=table, job=STATE, table=table) for table in STATE_TABLES),
    *(Entry(name=_name(job, table), job=job.name, table=table) for job in _JOBS for table in job.tables),
)
"""All views, those of the state first."""
assert len({entry.name for entry in ENTRIES}) == len(ENTRIES)


def register(
    spark: SparkSession,
    path: str | Sequence[str] | None = None,
    *,
    only: Sequence[str] | None = None,
    **options: object,
) -> list[str]:
    """Make the temporary views, or only those of these names; the names of the views that were made.

    ``path`` is what ``load`` takes. ``options`` are options of the data source for all views that take them: ``asOf``
    for the state, ``startOffset`` and its like for the others. With ``secrets=True``, no view hides secrets. For a live
    quorum, leave out the path and give ``**{"bootstrap.controllers": "host:port"}``. An existing view of the same name
    is replaced. `register_words` is called too.

    Damage is an error in every view but those of ``consistency``, which tell of it. With ``mode="PERMISSIVE"`` views
    of the other jobs leave out what is damaged.

    Raises CatalogueError for a name that does not exist, and if Spark's workers on this machine run a Python without
    this package; OptionError for wrong options.
    """
    names = {entry.name for entry in ENTRIES}
    chosen = None if only is None else {name.lower() for name in only}
    for name in only or ():
        if name.lower() not in names:
            raise CatalogueError(f"there is no table {name!r}; tables are {', '.join(sorted(names))}")
    check_workers(spark)
    spark.dataSource.register(KraftDataSource)
    register_words(spark)
    given = {name: str(value) for name, value in options.items() if value is not None}
    wanted = [entry for entry in ENTRIES if chosen is None or entry.name in chosen]
    frames = _Frames(spark, path, given)
    for entry, df in frames.made(wanted):
        df.createOrReplaceTempView(entry.name)
    return [entry.name for entry in wanted]


def check_workers(spark: SparkSession) -> None:
    """Raise CatalogueError if the Python of Spark's workers on this machine lacks this package.

    They run ``python3`` of the PATH unless PYSPARK_PYTHON names another one, also if this process is of a virtual
    environment. Workers on other machines are not looked at.
    """
    context = getattr(spark, "sparkContext", None)
    if context is None or not str(context.master).startswith("local"):
        return
    python = shutil.which(context.pythonExec)
    if python is not None and os.path.samefile(os.path.dirname(python), os.path.dirname(sys.executable)):
        return
    tried = None
    if python is not None:
        tried = subprocess.run(
            [python, "-c", "import pyspark, pyarrow, kafkaproto_pipeline.datasource"],
            capture_output=True,
            timeout=_WORKER_TIMEOUT_S,
            check=False,
        )
    if tried is None or tried.returncode:
        raise CatalogueError(
            f"Spark's workers run {context.pythonExec}, and that Python does not have kafkaproto_pipeline: set "
            f"PYSPARK_PYTHON={sys.executable} before the session is made"
        )


def register_words(spark: SparkSession) -> None:
    """Make the temporary SQL function ``kraft_word(field, code)``, where ``field`` is one of `FIELD_WORDS`.

    For a code without a word, it returns the code as text; another field is an error that names those that there are.
    """
    words = ", ".join(f"'{field}', {_map(codes)}" for field, codes in FIELD_WORDS.items())
    unknown = f"concat(field, ' is no field with words; these are {', '.join(FIELD_WORDS)}')"
    spark.sql(
        f"create or replace temporary function {WORD_FUNCTION}(field string, code int) returns string return"
        f" if(map_contains_key(map({words}), field),"
        f" coalesce(element_at(element_at(map({words}), field), code), cast(code as string)),"
        f" raise_error({unknown}))"
    )


def _map(codes: Mapping[int, str]) -> str:
    pairs = ", ".join(f"{code}, '{word}'" for code, word in codes.items())
    return f"map({pairs})"


class _Frames:
    """The frames of the views; those of one job are made of one frame."""

    def __init__(
        self, spark: SparkSession, path: str | Sequence[str] | None, options: Mapping[str, str]
    ) -> None:
        self._spark = spark
        self._path = path
        self._options = options
        self._shows_secrets = options.get("secrets", "").lower() == "true"

    def made(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, DataFrame]]:
        """The frame of each view."""
        jobs = {job.name: job for job in _JOBS}
        sources: dict[str, DataFrame] = {}
        for entry in entries:
            if entry.job == STATE:
                yield entry, self._load({"view": entry.table}, leaves_out=_NEVER_OF_STATE)
                continue
            job = jobs[entry.job]
            if job.name not in sources:
                sources[job.name] = self._source(job)
            df = job.tables[entry.table](sources[job.name])
            yield entry, df if self._shows_secrets else redacted(df, entry.table)

    def _source(self, job: Job) -> DataFrame:
        options = {"view": job.view, "replicas": ONE_REPLICA, **job.source_options}
        if job is not CONSISTENCY and "mode" not in {name.lower() for name in self._options}:
            options["mode"] = FAILFAST
        if job.record_types:
            options["recordTypes"] = ",".join(job.record_types)
        return self._load(options, leaves_out=_ONLY_OF_STATE)

    def _load(self, options: Mapping[str, str], *, leaves_out: Sequence[str]) -> DataFrame:
        kept = {name: text for name, text in self._options.items() if name.lower() not in leaves_out}
        merged = {**kept, **options}
        # Spark would wrap the source's error in a traceback of Python.
        parse_options(merged if self._path is None else {**merged, "path": "given"})
        reader = self._spark.read.format("kraft").options(**merged)
        if self._path is None:
            return reader.load()
        return reader.load(self._path if isinstance(self._path, str) else list(self._path))
