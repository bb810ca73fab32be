"""A node of Apache Kafka as a process, of the pinned release or another: the partner and the oracle of our tests."""

import urllib.request
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from compat.kafka.jvm import (
    NODE_OPTIONS,
    SERVER,
    SMALL_HEAP,
    ClassArchive,
    class_path,
    java_command,
)
from compat.kafka.programs import program_command
from compat.kafka.tools import run_tool
from compat.node import STOP_TIMEOUT_S, Node
from compat.ports import free_port
from compat.process import ServerProcess

MBEANS = Path(__file__).with_name("MBeans.java")
BEANS_TIMEOUT_S = 20.0


class StockNode(Node):
    """An Apache Kafka server; any roles, any properties."""

    kind = "stock"

    def __init__(
        self,
        directory: Path,
        properties: Mapping[str, str],
        jvm_options: Sequence[str] = NODE_OPTIONS,
        release: str | None = None,
    ) -> None:
        """See Node; the JVM options default to what starts fast in little memory."""
        super().__init__(directory, properties)
        self._jvm_options = tuple(jvm_options)
        self._release = release
        self._archive = ClassArchive("node", class_path(SERVER, release))

    def format(self, cluster_id: str, quorum: Sequence[str] = ("--standalone",)) -> None:
        """Formats with `kafka-storage format`; raises ToolFailedError if it refuses."""
        arguments = (
            "format",
            *quorum,
            "--cluster-id",
            cluster_id,
            "--config",
            str(self.properties_path),
        )
        run_tool("kafka-storage", *arguments, release=self._release).output()

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """As Node.stop. A JVM ends a controlled shutdown with 143, because a SIGTERM asked for it."""
        exit_code = super().stop(timeout_s)
        self._archive.keep()
        return exit_code

    def _spawn(self, log_prefix: Path) -> ServerProcess:
        self._archive = ClassArchive("node", class_path(SERVER, self._release))
        options = [*self._jvm_options, *self._archive.options]
        command = java_command(SERVER, [str(self.properties_path)], options, self._release)
        return ServerProcess(command, log_prefix, self.directory, {})

    def _wait_until_serving(self, timeout_s: float) -> None:
        # Written when every listener accepts and, with the broker role, the broker has been unfenced.
        self.process.wait_for_line(self.process.err_path, "Kafka Server started", timeout_s)


class MeasuredStockNode(StockNode):
    """A node that tells the numbers in its MBeans."""

    def __init__(
        self, directory: Path, properties: Mapping[str, str], jvm_options: Sequence[str] = NODE_OPTIONS
    ) -> None:
        """See StockNode."""
        super().__init__(directory, properties, jvm_options)
        self._beans_port = free_port()

    def mbeans(self, timeout_s: float = BEANS_TIMEOUT_S) -> dict[tuple[str, str], float]:
        """The attributes that are numbers, by the name of the MBean and their own."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._beans_port}/", timeout=timeout_s) as page:
            lines = page.read().decode().splitlines()
        return {
            (name, attribute): float(value)
            for name, attribute, value in (each.rsplit(" ", 2) for each in lines)
        }

    def _spawn(self, log_prefix: Path) -> ServerProcess:
        arguments = [str(self._beans_port), str(self.properties_path)]
        command = program_command(MBEANS, arguments, class_path(SERVER), self._jvm_options)
        return ServerProcess(command, log_prefix, self.directory, {})


small_stock_node = partial(StockNode, jvm_options=SMALL_HEAP)
"""A node of which many run side by side."""
