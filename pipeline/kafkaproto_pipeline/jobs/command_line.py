"""``metadata-pipeline JOB``: makes a job's tables from a node's files or a live quorum, as files and on the screen.

Exit codes: 0 for success; 1 if something failed, or ``consistency`` found differences; 2 for wrong use; 3 if the answer
is that of what could be read, and something could not. Wrong use and wrong input are found before Spark starts, if that
is possible.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape

from kafkaproto_pipeline.jobs import output, session, summary
from kafkaproto_pipeline.jobs.job import Job
from kafkaproto_pipeline.options import LATEST, ONE_REPLICA
from kafkaproto_pipeline.progress_lines import ProgressLines
from kafkaproto_pipeline.views.schema import STATE_VIEW

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkaproto_pipeline.jobs.frames import Frames

_Decorator = Callable[[Callable[..., None]], Callable[..., None]]

EXIT_DIFFERENCES = 1
EXIT_DAMAGE = 3
_EXIT_INTERRUPTED = 130
_OFFSET = re.compile(r"[0-9]{1,19}")
_COMMAND_OPTIONS = {
    "asOf": "--at",
    "startOffset": "--from",
    "startTimestamp": "--from",
    "endOffset": "--to",
    "endTimestamp": "--to",
    "bootstrap.controllers": "--bootstrap-controllers",
}
"""Options of the data source, and those that they come from."""
_SOURCE_OPTION = re.compile(
    rf"(?:option )?'(?P<quoted>{'|'.join(map(re.escape, _COMMAND_OPTIONS))})'|\b(?P<set>startOffset|asOf)=(?=\d)"
)

TABLE_JOBS = {
    "history": "Who led and was in sync when, brokers' lives, elections, changes of configs and ACLs.",
    "health": "Under-replicated and leaderless time, flapping, skew, growth: per hour, worst first.",
    "consistency": "Every replica's log and snapshots against each other; exit code 1 where they differ.",
    "state": "Topics, partitions, brokers, configs, ACLs and all else as of an offset or a time.",
}
"""Jobs that are sets of tables: each has a folder of its name here, with a `Job` named JOB in its module ``job``."""
_AS_OF_JOBS = ("state",)
_WHOLE_JOBS = ("consistency",)
"""Jobs that would give wrong results for only a part of the log."""

_EPILOG = """\b
What a cluster looked like at 14:03, from a node's directory:
  metadata-pipeline state --at 2026-11-21T14:03:00Z kafka-data
Who led when, of all of three controllers' files, as Parquet:
  metadata-pipeline history --output history 'data/node-*'
Do the replicas agree?
  metadata-pipeline consistency data/node-1 data/node-2 data/node-3
Alerts as they happen:
  metadata-pipeline watch --bootstrap-controllers localhost:9093
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The input, and the Spark that reads it: the options that all jobs share."""

    paths: tuple[str, ...]
    bootstrap_controllers: str | None
    start: str | None = None
    end: str | None = None
    at: str | None = None
    mode: str = "PERMISSIVE"
    committed_only: bool = False
    master: str | None = None
    conf: tuple[str, ...] = ()

    def source_options(self, job: Job) -> dict[str, str]:
        """Options of the data source for a job."""
        options = {"view": job.view, "mode": self.mode, **job.source_options}
        if self.committed_only:
            options["committedOnly"] = "true"
        if job.record_types:
            options["recordTypes"] = ",".join(job.record_types)
        options.update(self.where())
        if self.at is not None:
            options["asOf"] = self.at
        if "asOf" not in options:
            options.setdefault("replicas", ONE_REPLICA)
        return options

    def where(self) -> dict[str, str]:
        """Options that say where to read, and which range."""
        options = {}
        if self.bootstrap_controllers is not None:
            options["bootstrap.controllers"] = self.bootstrap_controllers
        for name, value in (("start", self.start), ("end", self.end)):
            if value is not None:
                options[name + ("Offset" if _OFFSET.fullmatch(value) else "Timestamp")] = value
        return options

    def spark_conf(self) -> dict[str, str]:
        """Settings of Spark that were given as KEY=VALUE."""
        pairs = [text.partition("=") for text in self.conf]
        for key, equals, _ in pairs:
            if not equals or not key:
                raise click.UsageError(f"--conf {key!r}: KEY=VALUE is expected, as spark.driver.memory=4g")
        return {key: value for key, _, value in pairs}

    def check(self, options: Mapping[str, str]) -> None:
        """Refuse wrong options and paths before Spark starts."""
        from kafkaproto_pipeline.options import OptionError, parse_options
        from kafkaproto_pipeline.sources.directories import InputError, find_replicas
        from kafkaproto_pipeline.views.schema import ViewError

        if bool(self.paths) == (self.bootstrap_controllers is not None):
            raise click.UsageError(
                "give the directories of nodes, or --bootstrap-controllers HOST:PORT"
                + ("; not both" if self.paths else "")
            )
        self.spark_conf()
        given = dict(options)
        if self.paths:
            given["paths"] = json.dumps(self.paths)
        try:
            parse_options(given)
        except (OptionError, ViewError) as error:
            raise click.UsageError(as_given(str(error))) from None
        if self.paths and not any(_is_remote(path) for path in self.paths):
            try:
                find_replicas(self.paths)
            except InputError as error:
                raise click.ClickException(str(error)) from None

    def damage(self, options: Mapping[str, str]) -> list[str]:
        """What cannot be read of the files, a sentence each; nothing of what is not on this machine."""
        from kafkaproto_pipeline.options import parse_options
        from kafkaproto_pipeline.planning.lacking import damage_of
        from kafkaproto_pipeline.sources.directories import InputError

        if not self.paths or any(_is_remote(path) for path in self.paths):
            return []
        try:
            return damage_of(parse_options({**options, "paths": json.dumps(self.paths)}))
        except InputError as error:
            raise click.ClickException(str(error)) from None

    def answerable(self, options: dict[str, str]) -> dict[str, str]:
        """The options for the newest state that can be told, if the newest of all is asked for; that is said, then.

        Raises ClickException if there is none, or if the state at another point is asked for, which cannot be told.
        """
        from kafkaproto_pipeline.options import parse_options
        from kafkaproto_pipeline.planning.files import Filters, plan_batch
        from kafkaproto_pipeline.planning.lacking import LackingError
        from kafkaproto_pipeline.sources.directories import InputError

        if not self.paths or any(_is_remote(path) for path in self.paths):
            return options
        try:
            plan_batch(parse_options({**options, "paths": json.dumps(self.paths)}), Filters())
        except LackingError as error:
            may_be_older = self.at in (None, LATEST) and self.mode.upper() != "FAILFAST"
            if error.answers_for is None or not may_be_older:
                raise click.ClickException(as_given(str(error))) from None
            summary.warn(as_given(str(error.why)))
            return {**options, "asOf": str(error.answers_for)}
        except InputError as error:
            raise click.ClickException(as_given(str(error))) from None
        return options

    def frames(self, *options: Mapping[str, str]) -> Frames:
        """The frames that the options describe; a small input is being read from here on."""
        from kafkaproto_pipeline.jobs.frames import open_frames
        from kafkaproto_pipeline.sources.directories import InputError

        is_here = self.master is None and not session.is_under_submit()
        try:
            return open_frames(self.paths, *options, may_be_small=is_here)
        except (InputError, ValueError, OSError) as error:
            raise click.ClickException(as_given(str(error))) from None


def as_given(text: str) -> str:
    """A text of the data source with the names of the command's options."""

    def name(found: re.Match[str]) -> str:
        return _COMMAND_OPTIONS[found["quoted"] or found["set"]] + (" " if found["set"] else "")

    return _SOURCE_OPTION.sub(name, text)


def _check_output(check: Callable[[Path], None], path: Path) -> None:
    try:
        check(path)
    except output.OutputError as error:
        raise click.ClickException(str(error)) from None


def _is_remote(path: str) -> bool:
    return re.match(r"(?!file:)[a-zA-Z][a-zA-Z0-9+.-]+:/", path) is not None


def _all_of(*options: _Decorator) -> _Decorator:
    """These options as one decorator; ``--help`` shows them in this order."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_reading_options = _all_of(
    click.argument("paths", nargs=-1, metavar="[PATH]..."),
    click.option(
        "--bootstrap-controllers", metavar="HOST:PORT,...", help="Read from a live quorum, not from files."
    ),
    click.option("--master", metavar="URL", help="Spark's master.  [default: local[*]]"),
    click.option("--conf", multiple=True, metavar="KEY=VALUE", help="A setting of Spark; may be repeated."),
)
"""The options of every job: the input, and the Spark that reads it."""
_mode_options = _all_of(
    click.option(
        "--mode",
        type=click.Choice(["PERMISSIVE", "DROPMALFORMED", "FAILFAST"], case_sensitive=False),
        default="PERMISSIVE",
        show_default=True,
        help="What becomes of damaged records: counted, left out without a word, or the end.",
    ),
    click.option("--committed-only", is_flag=True, help="Leave out what is not known to be committed."),
)
_range_options = _all_of(
    click.option("--from", "start", metavar="OFFSET|TIME", help="From here on; times in ISO 8601."),
    click.option("--to", "end", metavar="OFFSET|TIME", help="Up to here, exclusive; times in ISO 8601."),
)
_as_of_option = click.option(
    "--at",
    default="latest",
    show_default=True,
    metavar="OFFSET|TIME",
    help="The last offset that counts, or a time in ISO 8601.",
)
_table_options = _all_of(
    click.option(
        "--output",
        "folder",
        type=click.Path(path_type=Path, file_okay=False),
        help="Write each table into a folder of its name in this one.",
    ),
    click.option(
        "--format",
        "file_format",
        type=click.Choice(output.FORMATS),
        default="parquet",
        show_default=True,
        help="Of the files in --output.",
    ),
    click.option(
        "--table", "tables", multiple=True, metavar="NAME", help="Only this table; may be repeated."
    ),
    click.option("--rows", default=20, show_default=True, type=click.IntRange(0), help="Rows on the screen."),
    click.option(
        "--wide", is_flag=True, help="Whole cells and all columns on a terminal, as in a pipe or a file."
    ),
    click.option(
        "--secrets",
        is_flag=True,
        help="SCRAM salts and keys, passwords in configs and ids of delegation tokens, too; files for this user alone.",
    ),
)
"""What becomes of tables."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
def cli() -> None:
    """Ask the metadata log of a cluster: what was, what is, and whether all replicas agree.

    PATH is a node's log directory, its __cluster_metadata-0, a segment, a snapshot, or a glob of these.
    """


def _add_table_job(name: str, text: str) -> None:
    def run(**given: Any) -> None:
        folder, file_format = given.pop("folder"), given.pop("file_format")
        tables, rows, secrets = given.pop("tables"), given.pop("rows"), given.pop("secrets")
        screen = output.screen(wide=given.pop("wide"))
        reading = Reading(**given)
        with session.private_files() if secrets else nullcontext():
            _run_tables(
                name,
                reading,
                tables=tables,
                rows=rows,
                screen=screen,
                folder=folder,
                file_format=file_format,
                secrets=secrets,
            )

    if name in _AS_OF_JOBS:
        run = _as_of_option(run)
    elif name not in _WHOLE_JOBS:
        run = _range_options(run)
    run = _reading_options(_table_options(_mode_options(run)))
    cli.command(name=name, help=text, short_help=text)(run)


for _name, _text in TABLE_JOBS.items():
    _add_table_job(_name, _text)


def _run_tables(
    name: str,
    reading: Reading,
    *,
    tables: tuple[str, ...],
    rows: int,
    screen: Console,
    folder: Path | None,
    file_format: str,
    secrets: bool,
) -> None:
    job = _job(name)
    for table in tables:
        if table not in job.tables:
            raise click.UsageError(f"{name} has no table {table!r}; tables are {', '.join(job.tables)}")
    chosen = [table for table in job.tables if table in (tables or job.tables)]
    options = reading.source_options(job)
    reading.check(options)
    for table in chosen:
        if folder is not None and (folder / table).exists():
            raise click.UsageError(f"{folder / table} is there already; choose another --output")
    if folder is not None:
        _check_output(output.check_folder, folder)
    counts = {}
    damage = [] if name == "consistency" else reading.damage(options)
    summary.tell_damage(damage)
    if job.view == STATE_VIEW:
        options = reading.answerable(options)
    counting = summary.summary_options(options)
    frames = reading.frames(*([options] if job.view == STATE_VIEW else [options, counting]))
    is_damaged = bool(damage)
    with _spark(reading, is_small=frames.are_small) as (spark, tell):
        tell("looking through the records")
        df = frames.load(spark, options)
        if job.view == STATE_VIEW:
            is_damaged = summary.tell_point(df, screen) or is_damaged
        else:
            counted = frames.load(spark, counting)
            is_damaged = summary.summarize(counted, options, screen, is_damaged=is_damaged)
        from kafkaproto_pipeline.jobs.tables import TableMaker

        maker = TableMaker(
            spark=spark,
            rows=rows,
            order=job.order,
            orders=job.orders,
            folder=folder,
            file_format=file_format,
            is_small=frames.are_small,
        )
        for made in maker.tables(job.tables, chosen, df, tell, shows_secrets=secrets):
            output.show(made, console=screen)
            counts[made.name] = made.count
    if name == "consistency" and counts.get("differences"):
        raise click.exceptions.Exit(EXIT_DIFFERENCES)
    if is_damaged and name != "consistency":
        raise click.exceptions.Exit(EXIT_DAMAGE)


@cli.command()
@_reading_options
@_mode_options
@_as_of_option
@click.option(
    "--output",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder that the snapshot file is written into.",
)
def compact(folder: Path, **given: Any) -> None:
    """The log compacted by key, as a snapshot file that a controller can load.

    It holds everything that the log does, SCRAM keys and passwords included: it is for this user alone.
    """
    reading = Reading(**given)
    options = reading.source_options(Job(name="compact", view=STATE_VIEW, record_types=(), tables={}))
    reading.check(options)
    _check_output(output.check_folder, folder)
    screen = output.screen()
    damage = reading.damage(options)
    summary.tell_damage(damage)
    _refuse_to_lack(reading, options)
    frames = reading.frames(options)
    with session.private_files(), _spark(reading, is_small=frames.are_small) as (spark, tell):
        from kafkaproto_pipeline.jobs.compact import write_snapshot

        tell("looking through the records")
        df = frames.load(spark, options)
        summary.tell_point(df, screen)
        tell("compacting")
        folder.mkdir(parents=True, exist_ok=True)
        made = write_snapshot(df, str(folder.resolve()))
        output.show(output.fetched(made, name="snapshot", rows=1, folder=folder), console=screen)
    if damage:
        raise click.exceptions.Exit(EXIT_DAMAGE)


def _refuse_to_lack(reading: Reading, options: dict[str, str]) -> None:
    """Refuse to write a snapshot that a controller would start from though something lies behind it."""
    try:
        replace(reading, mode="FAILFAST").answerable(options)
    except click.ClickException as error:
        raise click.ClickException(f"nothing was written: {error.message}") from None


@cli.command()
@_reading_options
@_mode_options
@_range_options
@click.option("--title", help="The page's heading.  [default: the cluster's id]")
@click.option(
    "--output",
    "file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The HTML file to write.",
)
def report(file: Path, title: str | None, **given: Any) -> None:
    """One HTML file with plots of all that happened; opens without a network."""
    reading = Reading(**given)
    job = _job("report")
    options = reading.source_options(job)
    reading.check(options)
    _check_output(output.check_file, file)
    screen = output.screen()
    counting = summary.summary_options({key: value for key, value in options.items() if key != "columns"})
    damage = reading.damage(options)
    summary.tell_damage(damage)
    frames = reading.frames(options, counting)
    with _spark(reading, is_small=frames.are_small) as (spark, tell):
        tell("looking through the records")
        counted = frames.load(spark, counting)
        is_damaged = summary.summarize(counted, options, screen, is_damaged=bool(damage))
        tell("drawing")
        assert job.document is not None
        text = job.document(frames.load(spark, options), title)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    screen.print(f"{escape(str(file))}: {len(text) / 1e6:.1f} MB; open it in a browser", soft_wrap=True)
    if is_damaged:
        raise click.exceptions.Exit(EXIT_DAMAGE)


@cli.command()
@_reading_options
@click.option(
    "--from",
    "since",
    metavar="TIME|earliest|latest",
    help="Alerts of records from this time on.  [default: latest, or where --checkpoint ended]",
)
@click.option("--wide", is_flag=True, help="All lines of a batch, and all partitions of a line.")
@click.option("--once", is_flag=True, help="End with the last record that there is now.")
@click.option(
    "--uncommitted",
    is_flag=True,
    help="Take all records in the files as committed, also those that only all voters' files could prove to be.",
)
@click.option(
    "--interval", default=1.0, show_default=True, type=click.FloatRange(0.1), help="Seconds to a batch."
)
@click.option("--max-records", default=100_000, show_default=True, type=click.IntRange(1), help="Of a batch.")
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where progress is kept, so that another run goes on.  [default: nowhere]",
)
@click.option(
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write alerts as JSON here as well.",
)
@click.option("--to-topic", "topic", metavar="NAME", help="Write alerts to this Kafka topic as well.")
@click.option("--bootstrap-server", metavar="HOST:PORT,...", help="Brokers of --to-topic.")
@click.option(
    "--window",
    default=600,
    show_default=True,
    type=click.IntRange(1),
    help="Seconds that flapping is judged by.",
)
@click.option(
    "--changes",
    default=4,
    show_default=True,
    type=click.IntRange(2),
    help="So many in the window are flapping.",
)
@click.option(
    "--elections",
    default=3,
    show_default=True,
    type=click.IntRange(2),
    help="So many in the window are many.",
)
@click.option(
    "--silence",
    default=5.0,
    show_default=True,
    type=click.FloatRange(0.5),
    help="Seconds a leader may commit nothing.",
)
@click.option(
    "--min-isr",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Where the log has no min.insync.replicas.",
)
def watch(**given: Any) -> None:
    """Alerts as they happen: leaderless partitions, ISRs, brokers, elections, a silent leader."""
    from kafkaproto_pipeline.jobs.watch.command import SPARK_CONF, WatchCommand

    reading = Reading(
        **{name: given.pop(name) for name in ("paths", "bootstrap_controllers", "master", "conf")}
    )
    command = WatchCommand(**given)
    command.check(reading.bootstrap_controllers)
    reading.check(command.source_options(reading.where()))
    command.check_places(reading.bootstrap_controllers)
    damage = reading.damage(command.source_options(reading.where()))
    summary.tell_damage(damage)
    # Its batches are small, whatever the log's length.
    with _spark(reading, SPARK_CONF, is_small=True, shows_progress=False) as (spark, _):
        is_whole = command.run(spark, reading.paths, reading.where(), output.screen())
    if damage or not is_whole:
        raise click.exceptions.Exit(EXIT_DAMAGE)


@cli.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def package(file: Path) -> None:
    """Write FILE.zip for spark-submit --py-files: what Spark's executors need of this project."""
    try:
        count = session.package(file)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}") from None
    click.echo(
        f"{file}: {count} files; spark-submit --py-files {file} pipeline/kafkaproto_pipeline/jobs/__main__.py JOB ..."
    )


def _add_synthetic() -> None:
    from kafkaproto_pipeline.synthetic.command_line import main as synthetic

    cli.add_command(synthetic)


_add_synthetic()


def _job(name: str) -> Job:
    job = importlib.import_module(f"kafkaproto_pipeline.jobs.{name}.job").JOB
    assert isinstance(job, Job)
    return job


@contextmanager
def _spark(
    reading: Reading,
    conf: Mapping[str, str] | None = None,
    *,
    is_small: bool = False,
    shows_progress: bool = True,
) -> Iterator[tuple[SparkSession, Callable[[str], None]]]:
    """A session, and a function that says what is done; what fails in it becomes one line."""
    console = Console(stderr=True)
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    from kafkaproto_pipeline.sources.directories import InputError

    try:
        with ExitStack() as opened:
            settings = {**(conf or {}), **reading.spark_conf()}
            with _starting(console):
                # What shows no progress runs until it is interrupted, and then has to end at once.
                started = session.spark_session(
                    reading.master, settings, is_small=is_small, keeps_classes=shows_progress
                )
                spark = opened.enter_context(started)
            with _progress(spark, console) if shows_progress else nullcontext(_say_nothing) as tell:
                yield spark, tell
    except session.SparkError as error:
        raise click.ClickException(str(error)) from error
    except (PySparkException, Py4JError, InputError, OSError, ValueError) as error:
        raise click.ClickException(as_given(session.cause(error))) from error


@contextmanager
def _starting(console: Console) -> Iterator[None]:
    text = "starting Spark"
    if console.is_terminal:
        with console.status(text):
            yield
        return
    with ProgressLines(_to_errors) as lines:
        lines.begin(text)
        yield


@contextmanager
def _progress(spark: SparkSession, console: Console) -> Iterator[Callable[[str], None]]:
    """A function that says what is done: beside a bar on a terminal, as lines elsewhere."""
    if console.is_terminal:
        with session.progress(spark, console) as tell:
            yield tell
        return
    with ProgressLines(_to_errors) as lines:
        yield lines.begin


def _to_errors(text: str) -> None:
    click.echo(text, err=True)


def _say_nothing(text: str) -> None:
    """A stream prints its own progress, and a progress bar on the same terminal would break that."""


def run(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process, unless it succeeds."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        code = cli.main(arguments, prog_name="metadata-pipeline", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(_EXIT_INTERRUPTED)
    if code:
        sys.exit(code)
