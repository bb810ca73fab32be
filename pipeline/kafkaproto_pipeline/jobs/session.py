"""The Spark session of a command: quiet, started with what the data source needs, and with failures
shown as one line.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

import kafkaproto
import kafkaproto_pipeline
import kafkaproto_server
from kafkaproto_pipeline.jobs import quick_start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES = (
    "kafkaproto_pipeline",
    "kafkaproto",
    "kafkaproto_server/metadata/image",
    "kafkaproto_server/config/keys",
    "kafkaproto_server/base/later.py",
    "kafkaproto_server/base/types.py",
)
"""What executors need of the project. The ``__init__.py`` of the packages above each comes along."""
_SUFFIXES = (".py", ".css", ".js", ".json")
_ROOTS = {
    package.__name__: Path(package.__path__[0]).resolve().parent
    for package in (kafkaproto, kafkaproto_pipeline, kafkaproto_server)
}
"""The folder that each package is in: one and the same where they are installed, not so in a checkout."""
_CAUSE = re.compile(
    r"^kafkaproto[\w.]*\.(?:\w+): (.+)$"
    r"|^(?:OSError|FileNotFoundError|PermissionError|ValueError): (.+)$",
    re.MULTILINE,
)
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    # In Spark 4.2.1 all scans of one loaded frame share the filters that were pushed down last. If a query uses the
    # frame twice, as every job does that looks for transactions, rows would be missing.
    "spark.sql.python.filterPushdown.enabled": "false",
    # Cached rows are mostly nulls, and texts that differ: looking for ways to compress them costs more than it saves.
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
    # Spark would note for each operation where in the program it stands, which takes a fifth of the time to plan.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.dataFrameQueryContext.enabled": "false",
}
"""Spark's settings for all jobs."""
SMALL_SETTINGS = {
    # To compile a plan takes longer than to run it over few rows, and one place has room for all of them.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}
"""Spark's settings where the input is small."""
_SMALL_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""The Java process compiles its own code quickly, not well: it will not live long."""
_LARGE_JVM = "-XX:+UseParallelGC"
"""Rows are short-lived; whether a collection pauses the tasks for long does not matter."""
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
_POLL_S = 0.2
_LOCAL_SHUFFLE_PARTITIONS = 8


class SparkError(Exception):
    """Spark, or what ran in it, failed; the text is one line for the user."""


def require_java() -> None:
    """Raise SparkError if there is no Java to run Spark."""
    home = os.environ.get("JAVA_HOME")
    if quick_start.java_path() is None:
        where = (
            f"JAVA_HOME is {home}, which has no bin/java"
            if home
            else "neither JAVA_HOME nor PATH leads to one"
        )
        raise SparkError(f"Spark needs a Java runtime, 17 or later: {where}")


def is_under_submit() -> bool:
    """Whether spark-submit has started this process."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


@contextlib.contextmanager
def spark_session(
    master: str | None, conf: Mapping[str, str], *, is_small: bool = False, keeps_classes: bool = True
) -> Iterator[SparkSession]:
    """The existing session, or a new one that ends with the context.

    ``master`` None means the value that spark-submit set, or all cores of this machine. ``is_small`` says that little
    is to be read, so that the session saves its time at the start. ``keeps_classes`` says that the first session of all
    may take some seconds longer to end (`quick_start`). Raises SparkError.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYTHONWARNINGS", "ignore::FutureWarning")
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    from kafkaproto_pipeline.datasource import KraftDataSource

    session = SparkSession.getActiveSession()
    if session is not None:
        session.dataSource.register(KraftDataSource)
        yield session
        return
    under_submit = is_under_submit()
    if not under_submit:
        require_java()
    prefix = "metadata-pipeline-"
    with _quiet_java(is_wanted=not under_submit), tempfile.TemporaryDirectory(prefix=prefix) as folder:
        is_own = not under_submit and (master is None or master.startswith("local"))
        how = quick_start.prepared(Path(folder), may_keep=is_own, may_write=keeps_classes)
        given = _local_conf(conf, how, is_small=is_small) if is_own else conf
        try:
            with how.environment():
                session = _start(master, given, under_submit, Path(folder))
        except (PySparkException, RuntimeError, OSError) as error:
            raise SparkError(f"Spark does not start: {cause(error)}") from error
        session.dataSource.register(KraftDataSource)
        is_over = False
        try:
            yield session
            if how.keeps_classes:
                text = "first use: keeping Spark's classes, so that it starts in half the time"
                print(text, file=sys.stderr)
                quick_start.use_widely(session, Path(folder))
            is_over = True
        finally:
            session.stop()
            how.end(is_kept=is_over)


def _local_conf(conf: Mapping[str, str], how: quick_start.QuickStart, *, is_small: bool) -> dict[str, str]:
    """Spark's settings on this machine alone; those that the user gave come last.

    Java refuses to start with two collectors, so the user's options for it stand in the place of ours.
    """
    tuning = conf.get(_JAVA_OPTIONS, _SMALL_JVM if is_small else _LARGE_JVM)
    joined = " ".join(filter(None, (how.java_options, tuning)))
    return {**(SMALL_SETTINGS if is_small else {}), **conf, _JAVA_OPTIONS: joined}


def _start(master: str | None, conf: Mapping[str, str], under_submit: bool, folder: Path) -> SparkSession:
    from pyspark.sql import SparkSession

    settings = {"spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false", **SETTINGS}
    is_local = master is None or master.startswith("local")
    if is_local and not under_submit:
        settings["spark.ui.enabled"] = "false"
        settings["spark.sql.shuffle.partitions"] = str(_LOCAL_SHUFFLE_PARTITIONS)
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
        # Workers are processes of this machine; they import the project from the same place as this process.
        path = [*dict.fromkeys(map(str, _ROOTS.values())), *filter(None, [os.environ.get("PYTHONPATH")])]
        os.environ["PYTHONPATH"] = os.pathsep.join(path)
    builder = SparkSession.builder.appName("metadata-pipeline")
    if master is not None or not under_submit:
        builder = builder.master(master or "local[*]")
    for key, value in {**settings, **conf}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    if not is_local and not under_submit:
        archive = folder / "metadata_pipeline.zip"
        package(archive)
        session.sparkContext.addPyFile(str(archive))
    return session


@contextlib.contextmanager
def _quiet_java(is_wanted: bool) -> Iterator[None]:
    """Let the Java process that is started in the context write its log into a file, which goes with the context."""
    if not is_wanted:
        yield
        return
    with tempfile.TemporaryFile(prefix="metadata-pipeline-") as log:
        sys.stderr.flush()
        kept = os.dup(2)
        python_errors = sys.stderr
        try:
            os.dup2(log.fileno(), 2)
            with os.fdopen(os.dup(kept), "w", buffering=1, errors="replace") as errors:
                sys.stderr = errors
                yield
        finally:
            sys.stderr = python_errors
            os.dup2(kept, 2)
            os.close(kept)


def cause(error: BaseException) -> str:
    """What went wrong, on one line: the last cause that the project's own code named, or else the innermost one of
    Java's, or Spark's first line.
    """
    text = str(error)
    found: list[str] = [first or second for first, second in _CAUSE.findall(text)]
    if found:
        return found[-1].strip()
    java = getattr(error, "java_exception", None)
    while java is not None and java.getCause() is not None:
        java = java.getCause()
    if java is not None:
        text = java.getMessage() or java.toString()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


@contextlib.contextmanager
def progress(session: SparkSession, console: Console) -> Iterator[Callable[[str], None]]:
    """Show the progress of Spark if ``console`` is a terminal; call the returned function with the name of the current
    work.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        over = threading.Event()
        watcher = threading.Thread(target=_follow, args=(session, bar, task, over), daemon=True)
        watcher.start()
        try:
            yield lambda text: bar.update(task, description=text)
        finally:
            over.set()
            watcher.join()


def _follow(session: SparkSession, bar: Progress, task: TaskID, over: threading.Event) -> None:
    tracker = session.sparkContext.statusTracker()
    while not over.wait(_POLL_S):
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        running = [stage for stage in stages if stage is not None]
        if running:
            done = sum(stage.numCompletedTasks for stage in running)
            bar.update(task, completed=done, total=sum(stage.numTasks for stage in running))


@contextlib.contextmanager
def private_files() -> Iterator[None]:
    """Make this process, and the Spark that it starts, create files and folders that only their owner can read."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def package(path: Path) -> int:
    """Write the zip for ``spark-submit --py-files``; the number of files in it. Raises OSError."""
    files: dict[str, Path] = {}
    for name in PACKAGES:
        root = _ROOTS[name.partition("/")[0]]
        place = root / name
        above = [root / folder / "__init__.py" for folder in Path(name).parents if folder.name]
        for file in [*above, *([place] if place.is_file() else sorted(place.rglob("*")))]:
            if file.is_file() and file.suffix in _SUFFIXES and "__pycache__" not in file.parts:
                files[file.relative_to(root).as_posix()] = file
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, file in sorted(files.items()):
            archive.write(file, inside)
    return len(files)
