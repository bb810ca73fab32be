"""A distributed worker of Kafka Connect as a process, and its REST interface on the loopback."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compat.kafka.jvm import CONNECT_WORKER, TOOL_OPTIONS, ClassArchive, class_path, java_command
from compat.ports import free_port
from compat.process import ServerProcess, wait_until

START_S = 180.0
STOP_S = 90.0
RUNNING_S = 120.0
REQUEST_S = 60.0
TOPICS = ("config", "offset", "status")
"""Of each of its internal topics the setting that names it begins with this word."""
SETTINGS = {
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "value.converter": "org.apache.kafka.connect.storage.StringConverter",
    "config.storage.replication.factor": "1",
    "offset.storage.replication.factor": "1",
    "offset.storage.partitions": "3",
    "status.storage.replication.factor": "1",
    "status.storage.partitions": "2",
    "offset.flush.interval.ms": "500",
    # A worker that was killed is missed for so long, and then its tasks have a new worker at once.
    "session.timeout.ms": "2000",
    "heartbeat.interval.ms": "500",
    "scheduled.rebalance.max.delay.ms": "0",
    # Spares a look at every class of every jar, which takes long on a busy machine.
    "plugin.discovery": "service_load",
    "exactly.once.source.support": "enabled",
}


def file_source(path: Path, topic: str) -> dict[str, str]:
    """Settings of a connector that writes each line of a file to a topic that it creates, exactly once."""
    return {
        "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
        "tasks.max": "1",
        "file": str(path),
        "topic": topic,
        "exactly.once.support": "required",
        "topic.creation.default.partitions": "1",
        "topic.creation.default.replication.factor": "1",
    }


def file_sink(path: Path, topic: str) -> dict[str, str]:
    """Settings of a connector that appends the value of each committed record to a file."""
    return {
        "connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
        "tasks.max": "1",
        "file": str(path),
        "topics": topic,
        "consumer.override.isolation.level": "read_committed",
        # The consumer of a worker that was killed is missed for so long.
        "consumer.override.session.timeout.ms": "2000",
        "consumer.override.heartbeat.interval.ms": "500",
    }


class ConnectWorker:
    """The worker; one that starts again with the same name is the same worker to its cluster."""

    def __init__(self, servers: str, folder: Path, *, name: str) -> None:
        """``name`` is the group of workers, and the beginning of its topics' names."""
        folder.mkdir(parents=True)
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        given = {
            "bootstrap.servers": servers,
            "group.id": name,
            "listeners": self.address,
            **{f"{each}.storage.topic": f"{name}-{each}" for each in TOPICS},
            **SETTINGS,
        }
        self._folder = folder
        self._configuration = folder / "worker.properties"
        self._configuration.write_text("".join(f"{key}={value}\n" for key, value in given.items()))
        self._starts = 0
        self._archive: ClassArchive | None = None
        self._process: ServerProcess | None = None

    @property
    def process(self) -> ServerProcess:
        """That of the latest start."""
        assert self._process is not None, "the worker was never started"
        return self._process

    def start(self) -> None:
        """Starts it, and waits until it serves requests. Raises WaitedTooLongError."""
        self._starts += 1
        self._archive = ClassArchive("connect", class_path(CONNECT_WORKER))
        options = [*TOOL_OPTIONS, *self._archive.options]
        command = java_command(CONNECT_WORKER, [str(self._configuration)], options)
        self._process = ServerProcess(command, self._folder / f"worker-{self._starts}", self._folder, {})

        def serves() -> bool:
            assert self.process.is_running, self.process.last_words()
            try:
                return self.ask("/connectors") is not None
            except OSError:
                return False

        wait_until(serves, START_S, "the worker to serve requests")

    def ask(self, path: str, body: Mapping[str, Any] | None = None, method: str | None = None) -> Any:
        """The response to a request of its REST interface. Raises OSError if it is not served or refused."""
        request = urllib.request.Request(
            f"{self.address}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=REQUEST_S) as response:
            text = response.read()
        return json.loads(text) if text else None

    def configure(self, connector: str, settings: Mapping[str, str]) -> None:
        """Has the connector run with these settings, and waits until it and its task do. Raises WaitedTooLongError."""
        self.ask(f"/connectors/{connector}/config", settings, "PUT")
        self.wait_until_running(connector)

    def wait_until_running(self, connector: str) -> None:
        """Until the connector and its task run. Raises WaitedTooLongError."""
        wait_until(lambda: self.states(connector) == ["RUNNING"] * 2, RUNNING_S, f"{connector} to run")

    def states(self, connector: str) -> list[str]:
        """The states of a connector and its tasks; nothing if the worker does not know it."""
        try:
            status = self.ask(f"/connectors/{connector}/status")
        except urllib.error.HTTPError:
            return []
        return [each["state"] for each in (status["connector"], *status["tasks"])]

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()

    def stop(self) -> None:
        """Has it end as an operator would. Raises WaitedTooLongError."""
        self.process.terminate(STOP_S)
        if self._archive is not None:
            self._archive.keep()

    def close(self) -> None:
        """Leaves no process behind."""
        if self._process is not None:
            self._process.kill()
