"""Java command lines over the jars of the pinned Apache Kafka, started as fast as a JVM will.

Two releases are pinned: that of nodes, and that of tools, which is an older one as long as Maven lacks tools of the
other. `class_path` alone knows which of the two has a class. Kafka Streams is of the release of nodes, in a folder of
its own: nodes do not need its jars.

A tool's run is mostly class loading: `kafka-topics --list` takes 0.65 s as it is and 0.35 s with an archive of
loaded classes (AppCDS), on a 2-core machine. The first run of each kind writes that archive as it ends, later
runs map it. A JVM that finds the archive unfit (another Java, other jars) runs without it.
"""

import hashlib
import os
import secrets
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from compat.parity.jars import CACHE, jars_directory, tools_release
from compat.parity.jars import release as server_release

LOGGING_CONFIGURATION = Path(__file__).with_name("log4j2.xml")

# Short runs gain nothing from the optimising compiler or a parallel collector.
TOOL_OPTIONS = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
NODE_OPTIONS = ("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
SMALL_HEAP = ("-Xmx256m", *NODE_OPTIONS[1:])
"""Of nodes of which many run side by side and none has much to hold."""

SERVER = "kafka.Kafka"
STORAGE_TOOL = "kafka.tools.StorageTool"
METADATA_SHELL = "org.apache.kafka.shell.MetadataShell"
STREAMS = "org.apache.kafka.streams.KafkaStreams"
CONNECT_WORKER = "org.apache.kafka.connect.cli.ConnectDistributed"
MIRROR_MAKER = "org.apache.kafka.connect.mirror.MirrorMaker"


def class_path(main_class: str, release: str | None = None) -> tuple[Path, ...]:
    """The jars to run a class with: of the release, if one is given, else of the pinned one that has the class.

    A metadata shell of 4.3 does not load a log of a newer metadata.version. It takes what it can from the release of
    nodes: the image and the folders that it shows. Raises FileNotFoundError when the jars were not fetched.
    """
    if release is not None:
        return _jars(release)
    if main_class in (SERVER, STORAGE_TOOL):
        return _jars(server_release())
    if main_class == STREAMS:
        folder = CACHE / f"kafka-streams-{server_release()}"
        return tuple(sorted(jars_directory(folder).glob("*.jar")))
    if main_class != METADATA_SHELL or tools_release() == server_release():
        return _jars(tools_release())
    newer = _jars(server_release())
    names = {jar.name for jar in newer}
    return (*newer, *(jar for jar in _jars(tools_release()) if jar.name not in names))


@cache
def _jars(release: str) -> tuple[Path, ...]:
    return tuple(sorted(jars_directory(other=release).glob("*.jar")))


class ClassArchive:
    """The archive of loaded classes of one kind of program, as seen by one run of it."""

    def __init__(self, kind: str, class_path: Sequence[Path]) -> None:
        """Either uses the archive of that kind for these jars or, when there is none yet, has this run write it."""
        paths = os.pathsep.join(map(str, class_path))
        digest = hashlib.sha256(paths.encode()).hexdigest()[:8]
        self._path = class_path[0].parent / f"{kind}-{digest}.jsa"
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
    """The command line that runs a class of the pinned release, or another, logging to standard error at WARN."""
    jars = os.pathsep.join(map(str, class_path(main_class, release)))
    logging = f"-Dlog4j2.configurationFile={LOGGING_CONFIGURATION}"
    return ["java", *jvm_options, logging, "-cp", jars, main_class, *arguments]
