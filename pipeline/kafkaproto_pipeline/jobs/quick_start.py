"""Starts Spark's Java process quickly: from a lean home, and with Spark's classes as the JVM has kept them.

Half of a start is that Java reads, checks and links some 15,000 classes. A JVM can write them to a file when it ends
(an archive of class data, JEP 350), and later ones map that file into their memory. The first run of a command writes
it into the user's cache folder; Java itself does not use a file that does not fit it or its class path.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafkaproto_pipeline.jobs.output import FORMATS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ARCHIVE = "classes.jsa"
_LAUNCHER_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Of the Java process before Spark's own, which only puts a command line together."""
_SILENT = "-Xlog:disable -XX:+IgnoreUnrecognizedVMOptions"
"""Java would print its warnings about an archive on the command's own output."""
_ENDS_WITHIN_S = 300
"""How long the first command waits for Java to write its classes, and for the stream that it tries before. On a busy
machine Java has taken more than a minute. A command that gives up keeps nothing, so the next one waits as long."""


def java_path() -> str | None:
    """The program ``java`` that Spark starts; None if there is none."""
    home = os.environ.get("JAVA_HOME")
    if home:
        path = os.path.join(home, "bin", "java")
        return path if os.access(path, os.X_OK) else None
    return shutil.which("java")


def lean_spark_home(folder: Path) -> Path:
    """Spark's home in a folder that is made: all but its zipped copy of pyspark.

    Each Python that Spark starts would compile that again, a second of processor time; pyspark is installed besides.
    """
    import pyspark

    folder.mkdir(exist_ok=True)
    for name in ("bin", "jars"):
        with contextlib.suppress(FileExistsError):
            (folder / name).symlink_to(Path(pyspark.__file__).parent / name)
    return folder


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickStart:
    """How the Java process of one command starts."""

    home: Path
    """Spark's home."""
    archive: Path | None
    """The file with Spark's classes; None if no folder is there to keep it in."""
    written: Path | None
    """The file that the Java process writes when it ends, since there is no archive yet."""

    @property
    def java_options(self) -> str:
        """Options for Spark's Java process."""
        if self.archive is None:
            return ""
        if self.written is not None:
            return f"{_SILENT} -XX:ArchiveClassesAtExit={self.written}"
        return f"{_SILENT} -XX:SharedArchiveFile={self.archive}" if self.archive.exists() else ""

    @contextlib.contextmanager
    def environment(self) -> Iterator[None]:
        """Environment for the Java process that is started in the context, if the user has not set it otherwise."""
        wanted = {"SPARK_HOME": str(self.home), "SPARK_LAUNCHER_OPTS": _LAUNCHER_OPTIONS}
        added = {name: value for name, value in wanted.items() if name not in os.environ}
        os.environ.update(added)
        try:
            yield
        finally:
            for name in added:
                del os.environ[name]

    @property
    def keeps_classes(self) -> bool:
        """Whether this run is the one that keeps the classes for later ones."""
        return self.written is not None

    def end(self, *, is_kept: bool) -> None:
        """After Spark has stopped: keep the classes, if this run writes them, or throw away what it has written.

        Without them later runs only start more slowly, so this raises nothing.
        """
        if self.archive is None or self.written is None:
            return
        try:
            if _end_java() and is_kept:
                self.written.replace(self.archive)
        except (OSError, subprocess.SubprocessError):
            pass
        finally:
            with contextlib.suppress(OSError):
                self.written.unlink(missing_ok=True)


def prepared(folder: Path, *, may_keep: bool, may_write: bool = True) -> QuickStart:
    """How to start; ``folder`` is temporary, for what cannot be kept, or may not be.

    Without ``may_write``, classes are used and not written, since whoever ends this run does not want to wait.
    """
    kept = _kept_folder() if may_keep and "SPARK_HOME" not in os.environ else None
    if kept is None:
        return QuickStart(home=lean_spark_home(folder / "spark"), archive=None, written=None)
    archive = kept / ARCHIVE
    if archive.exists():
        _remove_remains(kept)
    return QuickStart(
        # The archive is of a class path, so the home stays at one place.
        home=lean_spark_home(kept / "spark"),
        archive=archive,
        written=None if archive.exists() or not may_write else kept / f"{ARCHIVE}.{os.getpid()}",
    )


def use_widely(spark: SparkSession, folder: Path) -> None:
    """Use the parts of Spark that a later command may need, so that their classes are kept as well.

    These are the writers of all formats, their readers, and streams.
    """
    rows = spark.range(3)
    for name in FORMATS:
        rows.write.format(name).save(str(folder / name))
        spark.read.format(name).schema(rows.schema).load(str(folder / name)).count()
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    written = stream.writeStream.format("noop").option("checkpointLocation", str(folder / "checkpoint"))
    query = written.trigger(availableNow=True).start()
    query.awaitTermination(_ENDS_WITHIN_S)
    query.stop()


def _kept_folder() -> Path | None:
    """The folder for this Spark and this Java in the user's cache; None if there can be none.

    Java trusts the classes in an archive, so nobody else may write there.
    """
    import pyspark

    java = java_path()
    if java is None:
        return None
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    try:
        parts = [
            os.path.realpath(java),
            str(os.stat(java).st_mtime_ns),
            pyspark.__file__,
            pyspark.__version__,
        ]
        name = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
        folder = base / "kafkaproto" / f"spark-{name}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except (OSError, RuntimeError):
        return None
    is_private = found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return folder if is_private and os.access(folder, os.W_OK) else None


def _remove_remains(kept: Path) -> None:
    """Remove what processes have left behind that were killed while they wrote."""
    for part in kept.glob(f"{ARCHIVE}.*"):
        with contextlib.suppress(OSError, ValueError):
            pid = int(part.suffix[1:])
            if not Path(f"/proc/{pid}").exists():
                part.unlink(missing_ok=True)


def _end_java() -> bool:
    """End the Java process of this process, and tell whether it ended well."""
    from pyspark import SparkContext

    context: Any = SparkContext
    gateway = context._gateway
    process = getattr(gateway, "proc", None)
    if process is None:
        return False
    gateway.shutdown()
    context._gateway = context._jvm = None
    # Java ends when nobody is left to write to it.
    process.stdin.close()
    return bool(process.wait(_ENDS_WITHIN_S) == 0)
