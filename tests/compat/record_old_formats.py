"""Has old brokers write logs with the message formats 0 and 1: python -m tests.compat.record_old_formats

The files are in tests/support/old_formats, a folder for each log; its README says what they hold. Apache Kafka 0.8.2.2
writes `oldest-*`, and 0.10.2.2 all others, with the format that `message.format.version` of the topic names. Then
0.11.0.3 continues the log `mixed`, in format 2. `records.json` has what the consumer of 0.10.2.2 reads.

Needs mvn, which gets the jars of these releases and of ZooKeeper (45 MB) from Maven.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from compat.kafka.programs import program_jar
from compat.parity.jars import CACHE
from compat.ports import free_ports
from compat.process import ServerProcess, wait_until

GOLDEN = Path(__file__).parents[1] / "support" / "old_formats"
PROGRAM = Path(__file__).parents[2] / "compat" / "kafka" / "old" / "OldFormats.java"
POM = PROGRAM.with_name("pom.xml")
OLDEST, OLD, NEWER = "0.8.2.2", "0.10.2.2", "0.11.0.3"
OLDEST_LOGS = {f"oldest-{codec}": codec for codec in ("none", "gzip", "snappy", "lz4")}
SEGMENT = {"segment.bytes": "700", "index.interval.bytes": "200"}
COMPACT = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01"}
KEPT_NAMES = ("*.log", "*.index", "*.timeindex", "leader-epoch-checkpoint")
START_TIMEOUT_S = 60.0
RUN_TIMEOUT_S = 120.0


class Written(NamedTuple):
    """How a log is written."""

    format: str
    """The message.format.version of its topic."""
    codec: str
    config: Mapping[str, str] = {}


LOGS = {
    **{f"v0-{codec}": Written("0.9.0", codec) for codec in ("none", "gzip", "snappy", "lz4")},
    **{f"v1-{codec}": Written("0.10.0", codec) for codec in ("none", "gzip", "snappy", "lz4")},
    "v1-append-time-none": Written("0.10.0", "none", {"message.timestamp.type": "LogAppendTime"}),
    "v1-append-time-gzip": Written("0.10.0", "gzip", {"message.timestamp.type": "LogAppendTime"}),
    "v0-compacted-none": Written("0.9.0", "none", COMPACT),
    "v0-compacted-gzip": Written("0.9.0", "gzip", COMPACT),
    "v1-compacted-none": Written("0.10.0", "none", COMPACT),
    "v1-compacted-lz4": Written("0.10.0", "lz4", COMPACT),
    "mixed": Written("0.9.0", "gzip"),
}


class OldCluster:
    """ZooKeeper and one broker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._zookeeper_port, self._port = free_ports(2)
        self.data = folder / "data"
        (folder / "log4j.properties").write_text(
            "log4j.rootLogger=INFO, err\nlog4j.appender.err=org.apache.log4j.ConsoleAppender\n"
            "log4j.appender.err.target=System.err\nlog4j.appender.err.layout=org.apache.log4j.SimpleLayout\n"
        )
        (folder / "zookeeper.properties").write_text(
            f"dataDir={folder / 'zookeeper'}\nclientPort={self._zookeeper_port}\n"
            "clientPortAddress=127.0.0.1\n"
        )
        (folder / "server.properties").write_text(
            f"broker.id=1\nlisteners=PLAINTEXT://127.0.0.1:{self._port}\nlog.dirs={self.data}\n"
            f"zookeeper.connect=127.0.0.1:{self._zookeeper_port}\nauto.create.topics.enable=false\n"
            "log.cleaner.dedupe.buffer.size=2097152\nlog.cleaner.backoff.ms=300\n"
            "offsets.topic.num.partitions=1\noffsets.topic.replication.factor=1\n"
            # Timestamps of the records are long ago.
            "log.retention.ms=-1\n"
        )
        (folder / "oldest.properties").write_text(
            f"broker.id=1\nhost.name=127.0.0.1\nport={self._port}\nlog.dirs={self.data}\n"
            f"zookeeper.connect=127.0.0.1:{self._zookeeper_port}\n"
        )

    @contextmanager
    def zookeeper(self) -> Iterator[None]:
        """ZooKeeper runs."""
        main = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
        with self._running(OLD, main, "zookeeper.properties", "binding to port"):
            yield

    @contextmanager
    def broker(self, release: str) -> Iterator[None]:
        """The broker runs."""
        properties = "oldest.properties" if release == OLDEST else "server.properties"
        with self._running(release, "kafka.Kafka", properties, ", started"):
            yield

    def topic(self, *arguments: str) -> None:
        """Run kafka-topics of the old release."""
        zookeeper = f"127.0.0.1:{self._zookeeper_port}"
        self._run("kafka.admin.TopicCommand", "--zookeeper", zookeeper, *arguments)

    def write(self, topic: str, codec: str, first: int, *, without_keys: bool) -> None:
        """Write forty records to a topic."""
        self._clients("write", topic, codec, str(first), str(without_keys).lower())

    def write_oldest(self, topic: str, codec: str) -> None:
        """Write thirty records to a topic with the console producer of the oldest release, ten or so in a request."""
        options = {
            "--broker-list": f"127.0.0.1:{self._port}",
            "--topic": topic,
            "--compression-codec": codec,
            "--request-required-acks": "-1",
            "--batch-size": "10",
        }
        arguments = (part for item in options.items() for part in item)
        lines = "".join(f"key-{number % 7}:value-{number}{'x' * (number % 5)}\n" for number in range(30))
        properties = ("--property", "parse.key=true", "--property", "key.separator=:")
        self._run("kafka.tools.ConsoleProducer", *arguments, *properties, release=OLDEST, text=lines)

    def read(self, topic: str) -> list[Any]:
        """All records of a topic."""
        return [json.loads(line) for line in self._clients("read", topic).splitlines() if line[:1] == "["]

    def _clients(self, verb: str, *arguments: str) -> str:
        return self._run("OldFormats", verb, f"127.0.0.1:{self._port}", *arguments)

    def _run(self, main: str, *arguments: str, release: str = OLD, text: str = "") -> str:
        command = [*self._java(release, main), *arguments]
        return subprocess.run(
            command, check=True, input=text, stdout=subprocess.PIPE, text=True, timeout=RUN_TIMEOUT_S
        ).stdout

    def _java(self, release: str, main: str) -> list[str]:
        path = ":".join(map(str, (*old_jars(release), program_jar(PROGRAM, old_jars(OLD)))))
        logging = f"-Dlog4j.configuration=file:{self._folder / 'log4j.properties'}"
        return ["java", "-Xmx256m", "-XX:+UseSerialGC", logging, "-cp", path, main]

    @contextmanager
    def _running(self, release: str, main: str, properties: str, line: str) -> Iterator[None]:
        command = [*self._java(release, main), str(self._folder / properties)]
        process = ServerProcess(command, self._folder / f"{main}-{release}", self._folder, {})
        try:
            process.wait_for_line(process.err_path, line, START_TIMEOUT_S)
            yield
        finally:
            process.terminate(START_TIMEOUT_S)


def old_jars(release: str) -> tuple[Path, ...]:
    """The jars of an old release, which Maven gets on the first use."""
    target = CACHE / f"kafka-old-{release}"
    if not target.exists():
        arguments = [f"-Dkafka.version={release}", "-DincludeScope=runtime", f"-DoutputDirectory={target}"]
        subprocess.run(
            ["mvn", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", *arguments], check=True
        )
    return tuple(sorted(target.glob("*.jar")))


def record(cluster: OldCluster) -> dict[str, list[Any]]:
    """Have all logs written. Returns their records, by log."""
    records: dict[str, list[Any]] = {}
    with cluster.zookeeper():
        with cluster.broker(OLD):
            for name, (version, codec, config) in LOGS.items():
                settings = {**SEGMENT, **config, "message.format.version": version}
                options = [part for item in settings.items() for part in ("--config", "=".join(item))]
                cluster.topic(
                    "--create", "--topic", name, "--partitions", "1", "--replication-factor", "1", *options
                )
                cluster.write(name, codec, 0, without_keys="compacted" not in name)
            cluster.topic("--alter", "--topic", "mixed", "--config", "message.format.version=0.10.0")
            cluster.write("mixed", "lz4", 40, without_keys=True)
            wait_until(lambda: all(is_cleaned(cluster, name) for name in LOGS), 60.0, "the cleaner")
            records |= {name: cluster.read(name) for name in LOGS if name != "mixed"}
        with cluster.broker(NEWER):
            cluster.topic("--alter", "--topic", "mixed", "--config", "message.format.version=0.11.0")
            cluster.write("mixed", "snappy", 80, without_keys=True)
            records["mixed"] = cluster.read("mixed")
    return records


def record_oldest(cluster: OldCluster) -> dict[str, list[Any]]:
    """Have the logs of the oldest release written, and kept as it leaves them. Returns their records, by log."""
    with cluster.zookeeper():
        with cluster.broker(OLDEST):
            for name, codec in OLDEST_LOGS.items():
                cluster.topic("--create", "--topic", name, "--partitions", "1", "--replication-factor", "1")
                cluster.write_oldest(name, codec)
        for name in OLDEST_LOGS:
            keep(cluster, name)
        with cluster.broker(OLD):
            return {name: cluster.read(name) for name in OLDEST_LOGS}


def is_cleaned(cluster: OldCluster, name: str) -> bool:
    """Whether the log is compacted up to its last segment, or is not to be."""
    if "compacted" not in name:
        return True
    last = max(int(path.stem) for path in (cluster.data / f"{name}-0").glob("*.log"))
    checkpoint = cluster.data / "cleaner-offset-checkpoint"
    return checkpoint.exists() and f"{name} 0 {last}\n" in checkpoint.read_text()


def keep(cluster: OldCluster, name: str) -> None:
    """Copy the files of a log."""
    target = GOLDEN / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for pattern in KEPT_NAMES:
        for path in (cluster.data / f"{name}-0").glob(pattern):
            shutil.copy(path, target)


def main() -> None:
    """Record."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as oldest_folder:
        cluster = OldCluster(Path(folder))
        records = record(cluster)
        for name in LOGS:
            keep(cluster, name)
        records |= record_oldest(OldCluster(Path(oldest_folder)))
    lines = (f"{json.dumps(name)}: {json.dumps(each)}" for name, each in records.items())
    (GOLDEN / "records.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
