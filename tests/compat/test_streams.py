"""A Kafka Streams application, unchanged, with exactly_once_v2: it dies, a coordinator dies, it is reset.

The expectations are what Apache Kafka's nodes lead to (KAFKAPROTO_COMPAT_NODE=stock).
"""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from compat.cluster import CombinedCluster
from compat.kafka.streams import STREAMS_PROTOCOL, Counts, WordCount, exact_counts, write_lines
from compat.kafka.tools import run_tool
from compat.node import Node
from compat.process import wait_until
from compat.runs.exactly_once import OF_GROUPS, OF_TRANSACTIONAL_IDS, coordinator
from tests.compat.support.nodes import IMPATIENT, SHORT_SESSION, node_class

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

WAIT_S = 120.0
PARTITIONS = 2
LINES = range(400)
WORDS = 2 * len(LINES)
PAUSE_MS = 5
REPLICATED = {
    **IMPATIENT,
    **SHORT_SESSION,
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
}
RESET = """\
Reset-offsets for input topics [words]
Following input topics offsets will be reset to (for consumer group counter)
Topic: words Partition: 0 Offset: 0
Topic: words Partition: 1 Offset: 0
Done.
Deleting inferred internal topics [counter-words-repartition, counter-counts-changelog]
Done.
"""


def sorted_words(text: str) -> list[str]:
    """The tool prints partitions and topics in the order of a set."""
    return sorted(re.split(r"[\s,\[\]]+", text))


def tool(servers: str, name: str, *arguments: str) -> str:
    return run_tool(name, "--bootstrap-server", servers, *arguments).output()


def create(servers: str, name: str, replicas: int) -> None:
    counts = ("--partitions", str(PARTITIONS), "--replication-factor", str(replicas))
    tool(servers, "kafka-topics", "--create", "--topic", name, *counts)


def test_words_are_counted_once_though_the_application_dies_and_again_after_a_reset(
    impatient_node: Node, tmp_path: Path
) -> None:
    servers = impatient_node.bootstrap_server
    for topic in ("words", "words-counted"):
        create(servers, topic, 1)
    write_lines(servers, "words", LINES[:250])
    application = WordCount(
        servers,
        tmp_path / "application",
        name="counter",
        source="words",
        target="words-counted",
        pause_ms=PAUSE_MS,
        settings={"replication.factor": "1"},
    )
    with closing(application), closing(Counts(servers, "words-counted", PARTITIONS)) as counts:
        application.start()
        counts.wait_for(WORDS // 6, WAIT_S)
        application.kill()
        write_lines(servers, "words", LINES[250:])
        application.start()
        counts.wait_for(WORDS, WAIT_S)
        application.stop()
        assert counts.read_to_the_end(WAIT_S) == exact_counts(LINES)
        assert application.failures() == []

        # Streams does not leave its group. The tool refuses a group with members, or with --force fails if the last one
        # ends while it works.
        state = ("--describe", "--group", "counter", "--state")
        wait_until(
            lambda: "Empty" in tool(servers, "kafka-consumer-groups", *state),
            WAIT_S,
            "the end of all members",
        )
        reset = ("--application-id", "counter", "--input-topics", "words")
        assert sorted_words(tool(servers, "kafka-streams-application-reset", *reset)) == sorted_words(RESET)
        topics = tool(servers, "kafka-topics", "--list").split()
        assert [each for each in topics if each.startswith(("counter", "words"))] == [
            "words",
            "words-counted",
        ]
        shutil.rmtree(application.state)
        application.start()
        counts.wait_for(2 * WORDS, WAIT_S)
        application.stop()
        twice = {word: 2 * each for word, each in exact_counts(LINES).items()}
        assert counts.read_to_the_end(WAIT_S) == twice


def test_words_are_counted_once_by_a_streams_group_that_dies(impatient_node: Node, tmp_path: Path) -> None:
    """KIP-1071: the coordinator assigns the tasks, and creates the internal topics."""
    servers = impatient_node.bootstrap_server
    for topic in ("phrases", "phrases-counted"):
        create(servers, topic, 1)
    write_lines(servers, "phrases", LINES[:250])
    application = WordCount(
        servers,
        tmp_path / "application",
        name="grouped",
        source="phrases",
        target="phrases-counted",
        pause_ms=PAUSE_MS,
        settings={"replication.factor": "1", **STREAMS_PROTOCOL},
    )
    with closing(application), closing(Counts(servers, "phrases-counted", PARTITIONS)) as counts:
        application.start()
        counts.wait_for(WORDS // 6, WAIT_S)
        assert tool(servers, "kafka-streams-groups", "--list").split() == ["grouped"]
        described = tool(servers, "kafka-streams-groups", "--describe", "--group", "grouped", "--members")
        assert described.count("ACTIVE:") == 2
        application.kill()
        write_lines(servers, "phrases", LINES[250:])
        application.start()
        counts.wait_for(WORDS, WAIT_S)
        application.stop()
        assert counts.read_to_the_end(WAIT_S) == exact_counts(LINES)
        assert application.failures() == []
        # With this protocol an application that is closed leaves its group.
        state = tool(servers, "kafka-streams-groups", "--describe", "--group", "grouped", "--state")
        assert "Empty" in state


def transactional_id(servers: str, application: str) -> str:
    """One of those that the application's threads have."""
    listed = [
        line.split("\t")[0].strip() for line in tool(servers, "kafka-transactions", "list").splitlines()
    ]
    return next(each for each in listed if each.startswith(application))


def test_words_are_counted_once_though_coordinators_die(tmp_path: Path) -> None:
    lines = range(2_000)
    with CombinedCluster(node_class(), tmp_path / "cluster", overrides=REPLICATED) as cluster:
        cluster.format()
        cluster.start()
        for topic in ("lines", "counts"):
            create(cluster.servers, topic, 3)
        write_lines(cluster.servers, "lines", lines)
        application = WordCount(
            cluster.servers,
            tmp_path / "application",
            name="words",
            source="lines",
            target="counts",
            pause_ms=PAUSE_MS,
            settings={"replication.factor": "3"},
        )
        with closing(application), closing(Counts(cluster.servers, "counts", PARTITIONS)) as counts:
            application.start()
            for kind in (OF_GROUPS, OF_TRANSACTIONAL_IDS):
                counts.wait_for(counts.total + len(lines) // 4, WAIT_S)
                asked = "words" if kind == OF_GROUPS else transactional_id(cluster.servers, "words")
                dead = coordinator(cluster, asked, list(cluster.brokers), kind)
                cluster.brokers[dead].kill()
                counts.wait_for(counts.total + len(lines) // 4, WAIT_S)
                cluster.brokers[dead].start()
                cluster.wait_until_unfenced(dead)
            counts.wait_for(2 * len(lines), WAIT_S)
            application.stop()
            assert counts.read_to_the_end(WAIT_S) == exact_counts(lines)
            assert application.failures() == []
