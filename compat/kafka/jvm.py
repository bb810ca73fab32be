"""Java command lines over the jars of the pinned Apache Kafka, started as fast as a JVM will.

A tool's run is mostly class loading: `kafka-topics --list` takes 0.65 s as it is and 0.35 s with an archive of
loaded classes (AppCDS), on a 2-core machine. The first run of each kind writes that archive as it ends, later
runs map it. A JVM that finds the archive unfit (another Java, other jars) runs without it.
"""

import os
import secrets
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from compat.parity.jars import jars_directory

LOGGING_CONFIGURATION = Path(__file__).with_name("log4j2.xml")

# Short runs gain nothing from the optimising compiler or a parallel collector.
TOOL_OPTIONS = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
NODE_OPTIONS = ("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
SMALL_HEAP = ("-Xmx256m", *NODE_OPTIONS[1:])
"""Of nodes of which many run side by side and none has much to hold."""


@cache
def jars(release: str | None = None) -> tuple[Path, ...]:
    """Every jar of the pinned release, or another, sorted; raises FileNotFoundError when they were not fetched."""
    return tuple(sorted(jars_directory(other=release).glob("*.jar")))


class ClassArchive:
    """The archive of loaded classes of one kind of program, as seen by one run of it."""

    def __init__(self, kind: str, release: str | None = None) -> None:
        """Either uses the archive of that kind or, when there is none yet, has this run write it."""
        self._path = jars(release)[0].parent / f"{kind}.jsa"
        # Under a name of this run, because others may look for the archive while this one is being written.
        self._part = self._path.with_suffix(f".{secrets.token_hex(4)}.part")
        self._exists = self._path.exists()

    @property
    def options(self) -> tuple[str, ...]:
        """JVM options; what the JVM has to say about archives is kept off standard output."""
        use = f"-XX:SharedArchiveFile={self._path}"
        write = f"-XX:ArchiveClassesAtExit={self._part}"
        return ("-Xshare:auto", "-Xlog:disable", "-Xlog:all=error:stderr", use if self._exists else write)

    def keep(self) -> None:
        """To be called when the run has ended: makes an archive that it wrote the one for later runs."""
        if self._part.exists():
            self._part.replace(self._path)


def java_command(
    main_class: str, arguments: Sequence[str], jvm_options: Sequence[str], release: str | None = None
) -> list[str]:
    """The command line that runs a class of the jars, logging to standard error at WARN."""
    class_path = os.pathsep.join(str(jar) for jar in jars(release))
    logging = f"-Dlog4j2.configurationFile={LOGGING_CONFIGURATION}"
    return ["java", *jvm_options, logging, "-cp", class_path, main_class, *arguments]
