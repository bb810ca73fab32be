"""What a stock node and a node of ours have in common: a directory, a server.properties, a process.

The properties are Kafka's own keys, so one mapping starts either server, and a directory that one of them
wrote can be opened by the other.
"""

import abc
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from compat.ports import free_ports
from compat.process import ProcessDiedError, ServerProcess

# A node of either kind is ready in a few seconds; on a machine with much other work it takes a minute.
START_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 90.0


def combined_properties(data_directory: Path, node_id: int = 1) -> dict[str, str]:
    """The properties of a sole node with both roles on free ports of 127.0.0.1, its data in `data_directory`.

    Topics are not created by being asked for: some clients ask for metadata in a way that would create them,
    and a test would not see who did it.
    """
    broker_port, controller_port = free_ports(2)
    return {
        "process.roles": "broker,controller",
        "node.id": str(node_id),
        "listeners": f"PLAINTEXT://127.0.0.1:{broker_port},CONTROLLER://127.0.0.1:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller_port}",
        "log.dirs": str(data_directory),
        "auto.create.topics.enable": "false",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
    }


def controller_properties(data_directory: Path, node_id: int, servers: Sequence[str]) -> dict[str, str]:
    """The properties of a node that is a controller only and listens on the last of `servers`.

    `servers`, HOST:PORT each, are those that it looks for the quorum's leader at.
    """
    return {
        "process.roles": "controller",
        "node.id": str(node_id),
        "listeners": f"CONTROLLER://{servers[-1]}",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": ",".join(servers),
        "log.dirs": str(data_directory),
    }


def meta_properties(data_directory: Path) -> dict[str, str]:
    """What the file of that name in a data directory says: version, cluster.id, node.id, directory.id."""
    lines = (data_directory / "meta.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def take_away(data_directory: Path) -> None:
    """Leaves a file in its place, so that nothing can be opened or written there."""
    data_directory.rename(_taken(data_directory))
    data_directory.write_text("not a directory")


def give_back(data_directory: Path) -> None:
    """Undoes `take_away`, where that was done."""
    taken = _taken(data_directory)
    if taken.exists():
        data_directory.unlink()
        taken.rename(data_directory)


def _taken(data_directory: Path) -> Path:
    return data_directory.with_name(f"{data_directory.name}-taken-away")


class Node(abc.ABC):
    """One server of either implementation. Not started by the constructor; may be stopped and started again at will."""

    kind: ClassVar[str]

    def __init__(self, directory: Path, properties: Mapping[str, str]) -> None:
        """Takes a directory of its own, for server.properties and logs; writes server.properties there."""
        self.directory = directory
        self.properties = dict(properties)
        self.properties_path = directory / "server.properties"
        self._process: ServerProcess | None = None
        self.is_paused = False
        """Whether it hangs, as the tests have it."""
        directory.mkdir(parents=True, exist_ok=True)
        # Goes on where another node of this implementation in this folder has ended, so that its logs stay.
        self._starts = len(list(directory.glob(f"{self.kind}-*.out")))
        self.properties_path.write_text("".join(f"{key}={value}\n" for key, value in self.properties.items()))

    @property
    def node_id(self) -> int:
        """`node.id` of the properties."""
        return int(self.properties["node.id"])

    @property
    def data_directories(self) -> list[Path]:
        """Those of `log.dirs`, relative to where the process runs."""
        return [self.directory / each for each in self.properties["log.dirs"].split(",")]

    @property
    def data_directory(self) -> Path:
        """The first of them, where the metadata log lies."""
        return self.data_directories[0]

    @property
    def metadata_log_directory(self) -> Path:
        """Where the metadata log of this node lies."""
        return self.data_directory / "__cluster_metadata-0"

    @property
    def bootstrap_server(self) -> str:
        """HOST:PORT of the first listener that is not for controllers."""
        return self._address(of_controller=False)

    @property
    def bootstrap_controller(self) -> str:
        """HOST:PORT of the first listener for controllers."""
        return self._address(of_controller=True)

    @property
    def meta_properties(self) -> dict[str, str]:
        """What meta.properties in the first data directory says."""
        return meta_properties(self.data_directory)

    @property
    def process(self) -> ServerProcess:
        """The process of the latest start."""
        assert self._process is not None, "the node was never started"
        return self._process

    @property
    def running_pid(self) -> int | None:
        """The id of its process, or None while none runs."""
        return self._process.pid if self._process is not None and self._process.is_running else None

    @property
    def is_started(self) -> bool:
        """Whether it was ever started; it may have ended since."""
        return self._process is not None

    @abc.abstractmethod
    def format(self, cluster_id: str, quorum: Sequence[str] = ("--standalone",)) -> None:
        """Formats the data directories with this implementation's own storage tool.

        `quorum` is what the tool is told of the voters, by default that this node is the only one.
        """

    def start(self, timeout_s: float = START_TIMEOUT_S) -> None:
        """Starts the process and waits until the node serves its clients.

        Raises ProcessDiedError or WaitedTooLongError, with the end of the logs; the process is then gone.
        """
        assert self._process is None or not self._process.is_running, "the node runs already"
        self._starts += 1
        self._process = self._spawn(self.directory / f"{self.kind}-{self._starts}")
        try:
            self._wait_until_serving(timeout_s)
        except Exception:
            self._process.kill()
            raise

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """Asks for a controlled shutdown (SIGTERM) and returns the exit code."""
        return self.process.terminate(timeout_s)

    def kill(self) -> None:
        """kill -9: nothing is flushed, nobody is told."""
        self.process.kill()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """SIGSTOP until the end of the block: it hangs, and its connections stay."""
        os.kill(self.process.pid, signal.SIGSTOP)
        self.is_paused = True
        try:
            yield
        finally:
            self.is_paused = False
            os.kill(self.process.pid, signal.SIGCONT)

    def close(self) -> None:
        """Leaves no process behind, whatever state the node is in; for the end of a test."""
        if self._process is not None and self._process.is_running:
            try:
                self.stop()
            finally:
                self.kill()

    def assert_running(self) -> None:
        """Raises ProcessDiedError with its last words if the process has ended."""
        if not self.process.is_running:
            raise ProcessDiedError(self.process.last_words())

    @abc.abstractmethod
    def _spawn(self, log_prefix: Path) -> ServerProcess: ...

    @abc.abstractmethod
    def _wait_until_serving(self, timeout_s: float) -> None: ...

    def _address(self, *, of_controller: bool) -> str:
        controller_names = self.properties["controller.listener.names"].split(",")
        for listener in self.properties["listeners"].split(","):
            name, address = listener.split("://")
            if (name in controller_names) == of_controller:
                return address
        raise LookupError(f"no such listener in listeners={self.properties['listeners']}")
