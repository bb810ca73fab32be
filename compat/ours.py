"""A node of this project as a process, by the command lines that a user has; nothing of it is imported."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from compat import forks
from compat.node import Node
from compat.process import ServerProcess, Started

BIN = Path(__file__).resolve().parent.parent / "bin"
TOOL_TIMEOUT_S = 60.0


def starter() -> Callable[..., Started]:
    """What starts a command of `bin/`; it is called as Popen is."""
    return forks.Fork if forks.is_on else subprocess.Popen


def run_command(
    command: Sequence[str],
    *,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = TOOL_TIMEOUT_S,
) -> subprocess.CompletedProcess[str]:
    """Runs a command of `bin/`, given with its path, to its end. Raises subprocess.TimeoutExpired, and ends it."""
    start = starter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = start(
            command,
            cwd=directory,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        try:
            code = process.wait(timeout_s)
        finally:
            process.kill()
            process.wait()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(command, code, *texts)


def run_our_tool(tool: str, *arguments: str, directory: Path | None = None) -> str:
    """Standard output of a command of `bin/`; raises CalledProcessError, with what it printed, if it fails."""
    done = run_command([str(BIN / tool), *arguments], directory=directory)
    done.check_returncode()
    return done.stdout


class OurNode(Node):
    """Our server, started with a server.properties."""

    kind = "ours"
    starts_by_command = False
    """Whether its command is run even if `forks.is_on`."""

    def __init__(self, directory: Path, properties: Mapping[str, str]) -> None:
        """See Node."""
        super().__init__(directory, properties)
        # What the ready line said: node.id, roles, broker, controller, cluster.id.
        self.ready: dict[str, str] = {}

    def format(self, cluster_id: str, quorum: Sequence[str] = ("--standalone",)) -> None:
        """Formats with `bin/kafka-storage format`; raises CalledProcessError if it refuses."""
        arguments = ["format", *quorum, "--cluster-id", cluster_id, "--config", str(self.properties_path)]
        run_our_tool("kafka-storage", *arguments, directory=self.directory)

    def _arguments(self) -> list[str]:
        return [str(self.properties_path)]

    def _spawn(self, log_prefix: Path) -> ServerProcess:
        command = [str(BIN / "kafka-server-start"), *self._arguments()]
        start = subprocess.Popen if self.starts_by_command else starter()
        return ServerProcess(command, log_prefix, self.directory, {}, start)

    def _wait_until_serving(self, timeout_s: float) -> None:
        line = self.process.wait_for_line(self.process.out_path, "ready ", timeout_s)
        self.ready = dict(word.split("=", 1) for word in line.split()[1:])


class OurNodeWithoutFile(OurNode):
    """Our server as a new replica starts it: no file, nothing formatted, data in ./kafka-data."""

    def __init__(self, directory: Path, properties: Mapping[str, str], overrides: Mapping[str, str]) -> None:
        """The properties are those that it should come to have; only the overrides are handed to it."""
        super().__init__(directory, properties)
        self._overrides = dict(overrides)

    def _arguments(self) -> list[str]:
        return [word for key, value in self._overrides.items() for word in ("--override", f"{key}={value}")]
