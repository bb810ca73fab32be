"""A node of this project as a process, by the command lines that a user has; nothing of it is imported."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from compat.node import Node
from compat.process import ServerProcess

BIN = Path(__file__).resolve().parent.parent / "bin"
TOOL_TIMEOUT_S = 60.0


def run_our_tool(tool: str, *arguments: str, directory: Path | None = None) -> str:
    """Standard output of a command of `bin/`; raises CalledProcessError, with what it printed, if it fails."""
    done = subprocess.run(
        [str(BIN / tool), *arguments],
        cwd=directory,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=TOOL_TIMEOUT_S,
    )
    return done.stdout


class OurNode(Node):
    """Our server, started with a server.properties."""

    kind = "ours"

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
        return ServerProcess(command, log_prefix, self.directory, {})

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
