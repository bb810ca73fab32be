"""Each tool of Apache Kafka says the same in the JVM that stays as in one of its own, and ends with the same code."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat.kafka.tools import MAIN_CLASSES, PROCESSES, ToolResult, run_tool, run_tool_process
from compat.node import Node
from tests.compat.support.nodes import create, delete_topics

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

TOPIC = "tools"
LINES = "".join(f"a:{number}\n" for number in range(4))
KEYED = ("--reader-property", "parse.key=true", "--reader-property", "key.separator=:")
"""All records are in partition 0."""
FILES, PLAN, CONFIGURATION, SERVERS = "FILES", "PLAN", "CONFIGURATION", "SERVERS"
"""Stand for what only a node knows."""
READ = ("--topic", TOPIC, "--partition", "0", "--offset", "earliest", "--max-messages", "3")
COMMANDS: dict[str, tuple[str, ...]] = {
    # Nobody has an authorizer, or a name: an error.
    "kafka-acls": ("--list",),
    "kafka-broker-api-versions": (),
    "kafka-client-metrics": ("--describe", "--name", "nobody"),
    "kafka-cluster": ("cluster-id",),
    "kafka-configs": ("--describe", "--entity-type", "brokers", "--entity-name", "1"),
    # It counts what it has read in a static field.
    "kafka-console-consumer": READ,
    "kafka-console-producer": ("--topic", TOPIC, *KEYED),
    # There is nothing to get.
    "kafka-console-share-consumer": ("--topic", TOPIC, "--group", "nobody", "--timeout-ms", "500"),
    "kafka-consumer-groups": ("--describe", "--group", "nobody"),
    "kafka-consumer-perf-test": ("--topic", TOPIC, "--num-records", "3", "--timeout", "9000"),
    "kafka-delegation-tokens": ("--describe", "--command-config", CONFIGURATION),
    "kafka-delete-records": ("--offset-json-file", PLAN),
    "kafka-dump-log": ("--print-data-log", "--files", FILES),
    "kafka-features": ("describe",),
    "kafka-get-offsets": ("--topic", TOPIC, "--time", "earliest"),
    "kafka-groups": ("--list", "--share"),
    "kafka-leader-election": ("--election-type", "preferred", "--topic", TOPIC, "--partition", "0"),
    "kafka-log-dirs": ("--describe", "--topic-list", "nothing"),
    "kafka-metadata-quorum": ("describe", "--status"),
    "kafka-producer-perf-test": (
        *("--topic", TOPIC, "--num-records", "10", "--record-size", "10", "--throughput", "-1"),
    ),
    "kafka-reassign-partitions": ("--list",),
    "kafka-share-groups": ("--describe", "--group", "nobody"),
    "kafka-storage": ("info", "--config", CONFIGURATION),
    "kafka-streams-application-reset": ("--application-id", "nobody", "--input-topics", TOPIC),
    "kafka-streams-groups": ("--describe", "--group", "nobody"),
    "kafka-topics": ("--describe", "--topic", TOPIC),
    "kafka-transactions": ("describe", "--transactional-id", "nobody"),
}
WITHOUT_NODE = {"kafka-dump-log", "kafka-storage"}
INPUT = {"kafka-console-producer": LINES}


@pytest.fixture(scope="module")
def written(impatient_node: Node) -> Iterator[Node]:
    """A node with a topic of some records."""
    create(impatient_node, TOPIC)
    servers = ("--bootstrap-server", impatient_node.bootstrap_server)
    run_tool("kafka-console-producer", *servers, "--topic", TOPIC, *KEYED, stdin=LINES).output()
    yield impatient_node
    delete_topics(impatient_node, [TOPIC])


def words(node: Node, tool: str, folder: Path) -> list[str]:
    """The arguments of a tool's command."""
    plan = folder / "plan.json"
    offsets = [{"topic": TOPIC, "partition": 0, "offset": 1}]
    plan.write_text(json.dumps({"partitions": offsets, "version": 1}))
    places = {
        PLAN: str(plan),
        FILES: str(node.data_directory / f"{TOPIC}-0" / f"{0:020}.log"),
        CONFIGURATION: str(node.properties_path),
    }
    at = [] if tool in WITHOUT_NODE else ["--bootstrap-server", node.bootstrap_server]
    command = [places.get(word, word) for word in COMMANDS[tool]]
    # Those with a subcommand take it first.
    return [*command, *at]


def comparable(result: ToolResult) -> tuple[int, str, str]:
    """What a tool says, but for numbers, which are often times, and the methods that called it."""
    texts = (re.sub(r"[\d.]+", "#", text) for text in (result.stdout, result.stderr))
    printed, said = ("".join(re.split(r"^\tat .*\n", text, flags=re.MULTILINE)) for text in texts)
    return result.exit_code, printed, said


@pytest.mark.parametrize("tool", sorted(COMMANDS))
def test_a_tool_says_and_does_the_same_as_a_process_of_its_own(
    written: Node, tool: str, tmp_path: Path
) -> None:
    arguments = words(written, tool, tmp_path)
    expected, *found = (
        run(tool, *arguments, stdin=INPUT.get(tool)) for run in (run_tool_process, run_tool, run_tool)
    )
    assert [comparable(each) for each in found] == [comparable(expected)] * 2, (expected, *found)
    assert expected.stdout or expected.stderr or tool in INPUT


@pytest.mark.parametrize("wrong", ["--unknown", "--list --describe"])
def test_what_is_wrong_with_a_command_is_said_alike(written: Node, wrong: str) -> None:
    """The first is an exception of its main method, the second an exit from within."""
    arguments = ("--bootstrap-server", written.bootstrap_server, *wrong.split())
    expected, found = (comparable(run("kafka-topics", *arguments)) for run in (run_tool_process, run_tool))
    assert found == expected
    assert expected[0] == 1


def test_every_tool_is_tried() -> None:
    assert COMMANDS.keys() | PROCESSES == MAIN_CLASSES.keys()


def test_one_that_does_not_end_is_ended_and_the_next_one_runs(written: Node) -> None:
    servers = ("--bootstrap-server", written.bootstrap_server)
    forever = ("--topic", TOPIC, "--max-messages", "1000")
    with pytest.raises(subprocess.TimeoutExpired):
        run_tool("kafka-console-consumer", *servers, *forever, timeout_s=2.0)
    assert TOPIC in run_tool("kafka-topics", *servers, "--list").output()
