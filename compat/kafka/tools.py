"""Runs any of the stock command-line tools: from Python in a JVM that stays, from a terminal in one of its own.

From a terminal: `python -m compat.kafka.tools kafka-topics --bootstrap-server 127.0.0.1:9092 --list`. That both come to
the same, `tests/compat/test_tool_server.py` holds for each tool.
"""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from compat.kafka.jvm import (
    METADATA_SHELL,
    STORAGE_TOOL,
    TOOL_OPTIONS,
    ClassArchive,
    class_path,
    java_command,
)
from compat.kafka.tool_server import tool_server

# A tool that gets no answer gives up by itself after 60 s (default.api.timeout.ms).
TOOL_TIMEOUT_S = 90.0

# As the pinned release of tools has them; in 4.4 kafka-configs is in the artifact kafka-tools, no longer in kafka_2.13.
MAIN_CLASSES = {
    "kafka-acls": "org.apache.kafka.tools.AclCommand",
    "kafka-broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "kafka-client-metrics": "org.apache.kafka.tools.ClientMetricsCommand",
    "kafka-cluster": "org.apache.kafka.tools.ClusterTool",
    "kafka-configs": "kafka.admin.ConfigCommand",
    "kafka-console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "kafka-console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-console-share-consumer": "org.apache.kafka.tools.consumer.ConsoleShareConsumer",
    "kafka-consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-consumer-perf-test": "org.apache.kafka.tools.ConsumerPerformance",
    "kafka-delegation-tokens": "org.apache.kafka.tools.DelegationTokenCommand",
    "kafka-delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "kafka-dump-log": "org.apache.kafka.tools.DumpLogSegments",
    "kafka-features": "org.apache.kafka.tools.FeatureCommand",
    "kafka-get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "kafka-groups": "org.apache.kafka.tools.GroupsCommand",
    "kafka-leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "kafka-log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "kafka-metadata-shell": METADATA_SHELL,
    "kafka-producer-perf-test": "org.apache.kafka.tools.ProducerPerformance",
    "kafka-reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "kafka-replica-verification": "org.apache.kafka.tools.ReplicaVerificationTool",
    "kafka-share-groups": "org.apache.kafka.tools.consumer.group.ShareGroupCommand",
    "kafka-storage": STORAGE_TOOL,
    "kafka-streams-application-reset": "org.apache.kafka.tools.StreamsResetter",
    "kafka-streams-groups": "org.apache.kafka.tools.streams.StreamsGroupCommand",
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-transactions": "org.apache.kafka.tools.TransactionsCommand",
    "kafka-verifiable-consumer": "org.apache.kafka.tools.VerifiableConsumer",
    "kafka-verifiable-producer": "org.apache.kafka.tools.VerifiableProducer",
}

# The tools of an archive load much the same classes from the same jars; all that are not named talk to a cluster.
ARCHIVES = {
    "kafka-dump-log": "dump-log",
    "kafka-metadata-shell": "metadata-shell",
    "kafka-storage": "storage",
}

PROCESSES = {
    "kafka-metadata-shell",
    "kafka-replica-verification",
    "kafka-verifiable-consumer",
    "kafka-verifiable-producer",
}
"""Tools that only run as processes: the shell is a race between its threads (see `shell.py`), the others end with
`System.exit` or have shutdown hooks of the JVM."""


class ToolFailedError(Exception):
    """A tool ended with another exit code than 0; the message has its command, code and output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """How one run of a tool ended."""

    # The tool's name and its arguments, as a user would type them.
    command: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str

    def output(self) -> str:
        """Standard output of a run that succeeded; raises ToolFailedError if it did not."""
        if self.exit_code != 0:
            raise ToolFailedError(str(self))
        return self.stdout

    def __str__(self) -> str:
        return f"{' '.join(self.command)}: exit code {self.exit_code}\n{self.stdout}\n{self.stderr}"


def tool_command(
    tool: str, arguments: Sequence[str], release: str | None = None
) -> tuple[list[str], ClassArchive]:
    """The Java command line of a tool, and the archive that this run uses or writes.

    Raises LookupError for a name that MAIN_CLASSES does not have.
    """
    if tool not in MAIN_CLASSES:
        raise _unknown(tool)
    main_class = MAIN_CLASSES[tool]
    archive = ClassArchive(ARCHIVES.get(tool, "network-tools"), class_path(main_class, release))
    options = [*TOOL_OPTIONS, *archive.options]
    return java_command(main_class, arguments, options, release), archive


def _unknown(tool: str) -> LookupError:
    return LookupError(f"unknown tool {tool!r}; known: {', '.join(sorted(MAIN_CLASSES))}")


def run_tool(
    tool: str,
    *arguments: str,
    timeout_s: float = TOOL_TIMEOUT_S,
    stdin: str | None = None,
    release: str | None = None,
) -> ToolResult:
    """Runs a tool to its end; raises subprocess.TimeoutExpired (and ends the tool) if it takes too long."""
    if tool in PROCESSES:
        return run_tool_process(tool, *arguments, timeout_s=timeout_s, stdin=stdin, release=release)
    if tool not in MAIN_CLASSES:
        raise _unknown(tool)
    main_class = MAIN_CLASSES[tool]
    server = tool_server(class_path(main_class, release))
    exit_code, printed, said = server.run(main_class, arguments, stdin, timeout_s)
    return ToolResult(command=(tool, *arguments), exit_code=exit_code, stdout=printed, stderr=said)


def run_tool_process(
    tool: str,
    *arguments: str,
    timeout_s: float = TOOL_TIMEOUT_S,
    stdin: str | None = None,
    release: str | None = None,
) -> ToolResult:
    """As `run_tool`, as a process of its own."""
    command, archive = tool_command(tool, arguments, release)
    done = subprocess.run(
        command,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    archive.keep()
    return ToolResult(
        command=(tool, *arguments), exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr
    )


def main() -> None:
    """Runs the tool named by the first argument on this terminal, and ends as it ends."""
    if len(sys.argv) < 2:
        sys.exit(
            f"usage: python -m compat.kafka.tools TOOL [ARGUMENT...]\n"
            f"tools: {', '.join(sorted(MAIN_CLASSES))}"
        )
    try:
        command, archive = tool_command(sys.argv[1], sys.argv[2:])
    except LookupError as error:
        sys.exit(str(error))
    exit_code = subprocess.call(command)
    archive.keep()
    sys.exit(exit_code)


if __name__ == "__main__":
    main()
