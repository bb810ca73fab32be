"""Numbers of partitions and tasks, topics that are missing or wrong, and topologies that do not work.

Tests: `core.coordinators.groups.streams.topology`.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import StreamsGroupTopologyValue
from kafkaproto_server.core.coordinators.groups.streams import internal_topics
from kafkaproto_server.core.coordinators.groups.streams.internal_topics import ConfiguredTopology, configure
from kafkaproto_server.core.coordinators.groups.streams.status import StatusCode
from kafkaproto_server.core.coordinators.groups.streams.topology import Topology, check_topology
from kafkaproto_server.core.coordinators.values import CoordinatorError
from tests.core.coordinators.support.consumers import MadeUpTopics
from tests.core.coordinators.support.streams import subtopology, topology
from tests.support.instructions import InstructionCounter

Subtopology = StreamsGroupTopologyValue.Subtopology


def configured(*subtopologies: Subtopology, **counts: int) -> ConfiguredTopology:
    names = {name.replace("_", "-"): count for name, count in counts.items()}
    return configure(Topology(topology(*subtopologies)), MadeUpTopics(names))


def created(found: ConfiguredTopology) -> dict[str, int]:
    return {each.name: each.num_partitions for each in found.missing}


def code(found: ConfiguredTopology) -> StatusCode | None:
    return None if found.problem is None else found.problem.code


def refusal(*subtopologies: Subtopology, **counts: int) -> ErrorCode:
    with pytest.raises(CoordinatorError) as caught:
        configured(*subtopologies, **counts)
    return caught.value.code


def test_a_subtopology_has_a_task_for_each_partition_of_its_largest_topic() -> None:
    found = configured(subtopology("0", ["a", "b"]), subtopology("1", ["b"]), a=2, b=3)
    assert found.is_ready
    assert {name: each.task_count for name, each in found.subtopologies.items()} == {"0": 3, "1": 3}
    assert found.task_count == 6


def test_changelogs_have_a_partition_for_each_task() -> None:
    found = configured(subtopology("0", ["a", "b"], changelogs=["c"]), a=2, b=3)
    assert (code(found), created(found)) == (StatusCode.MISSING_INTERNAL_TOPICS, {"c": 3})
    assert found.missing[0].replication_factor == -1
    assert configured(subtopology("0", ["a"], changelogs=["c"]), a=2, c=2).is_ready
    wrong = configured(subtopology("0", ["a"], changelogs=["c"]), a=2, c=3)
    assert (code(wrong), wrong.subtopologies) == (StatusCode.INCORRECTLY_PARTITIONED_TOPICS, {})


def test_repartition_topics_have_as_many_partitions_as_what_is_written_to_them() -> None:
    chain = (
        subtopology("2", [], repartition={"r2": 0}),
        subtopology("0", ["b"], repartition={"r1": 0}, sinks=["r2"]),
        subtopology("1", ["a"], sinks=["r1"]),
    )
    found = configured(*chain, a=5, b=2)
    assert created(found) == {"r1": 5, "r2": 2}
    # As in Apache Kafka, what is known when it is its turn counts: r1 is not, when 0 is looked at.
    assert {name: each.task_count for name, each in found.subtopologies.items()} == {"0": 5, "1": 5, "2": 2}


def test_the_largest_of_all_that_is_read_counts() -> None:
    found = configured(
        subtopology("0", ["a"], sinks=["r"]),
        subtopology("1", ["b"], repartition={"r": 0}, sinks=["s"]),
        subtopology("2", [], repartition={"s": 0}),
        a=2,
        b=9,
    )
    assert created(found) == {"r": 2, "s": 9}


def test_a_repartition_topic_may_say_its_number() -> None:
    found = configured(subtopology("0", ["a"], sinks=["r"]), subtopology("1", [], repartition={"r": 7}), a=2)
    assert created(found) == {"r": 7}


def test_topics_that_are_read_together_have_the_same_number() -> None:
    flexible = subtopology("1", ["b"], repartition={"r": 0}, copartition=[([0], [0])])
    found = configured(subtopology("0", ["a"], sinks=["r"]), flexible, a=2, b=6)
    assert created(found) == {"r": 6}
    fixed = subtopology("1", ["b"], repartition={"r": 2}, copartition=[([0], [0])])
    found = configured(subtopology("0", ["a"], sinks=["r"]), fixed, a=2, b=6)
    assert code(found) is StatusCode.INCORRECTLY_PARTITIONED_TOPICS
    sources = subtopology("0", ["a", "b"], copartition=[([0, 1], [])])
    assert code(configured(sources, a=2, b=3)) is StatusCode.INCORRECTLY_PARTITIONED_TOPICS
    assert configured(sources, a=3, b=3).is_ready


def test_repartition_topics_that_are_read_together_have_the_largest_number() -> None:
    together = subtopology("2", [], repartition={"r": 0, "s": 0}, copartition=[([], [0, 1])])
    writers = (subtopology("0", ["a"], sinks=["r"]), subtopology("1", ["b"], sinks=["s"]))
    assert created(configured(*writers, together, a=2, b=3)) == {"r": 3, "s": 3}
    one_fixed = subtopology("2", [], repartition={"r": 4, "s": 0}, copartition=[([], [0, 1])])
    assert created(configured(*writers, one_fixed, a=2, b=3)) == {"r": 4, "s": 4}
    two_fixed = subtopology("2", [], repartition={"r": 4, "s": 5}, copartition=[([], [0, 1])])
    assert code(configured(*writers, two_fixed, a=2, b=3)) is StatusCode.INCORRECTLY_PARTITIONED_TOPICS


def test_missing_source_topics_are_named() -> None:
    names = ["z", "y", "x", "w"]
    found = configured(subtopology("0", [*names, "a"]), a=1)
    assert found.problem is not None
    assert found.problem.code is StatusCode.MISSING_SOURCE_TOPICS
    assert "'w', 'x', 'y' and 1 more" in found.problem.detail
    assert not found.missing


def test_topologies_that_do_not_work_are_refused() -> None:
    codes = {
        refusal(subtopology("0", [])),
        refusal(subtopology("0", ["a"], repartition={"r": 0}), a=1),
        refusal(subtopology("0", [], repartition={"r": 0}, sinks=["r"])),
    }
    assert codes == {ErrorCode.STREAMS_INVALID_TOPOLOGY}


def test_there_is_a_limit_to_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internal_topics, "MAX_TASKS", 3)
    assert configured(subtopology("0", ["a"]), a=3).is_ready
    assert refusal(subtopology("0", ["a"]), a=4) == ErrorCode.STREAMS_INVALID_TOPOLOGY


def test_what_no_topology_can_be_is_refused() -> None:
    with_count = subtopology("0", ["a"], changelogs=["c"])
    with_count.state_changelog_topics[0].partitions = 1
    for value in (
        topology(epoch=-1),
        topology(subtopology("0", ["a"]), subtopology("0", ["b"])),
        topology(with_count),
        topology(subtopology("0", ["a"], repartition={"r": -1})),
        topology(subtopology("0", ["a"], copartition=[([1], [])])),
        topology(subtopology("0", ["a"], copartition=[([], [-1])])),
    ):
        with pytest.raises(CoordinatorError) as caught:
            check_topology(value)
        assert caught.value.code == ErrorCode.STREAMS_INVALID_TOPOLOGY


def test_the_order_of_subtopologies_does_not_matter_to_what_is_the_same() -> None:
    one, other = subtopology("0", ["a"]), subtopology("1", ["b"])
    assert Topology(topology(one, other)) == Topology(topology(other, one))
    assert Topology(topology(one)) != Topology(topology(one, epoch=2))
    assert Topology(topology(one, other)).subtopology_of == {"a": "0", "b": "1"}


def _chain(size: int) -> list[Subtopology]:
    """Each one waits for the next one."""
    last = subtopology(f"{size:05}", ["a"], sinks=[f"r{size}"])
    return [
        *(subtopology(f"{n:05}", [], repartition={f"r{n + 1}": 0}, sinks=[f"r{n}"]) for n in range(size)),
        last,
    ]


def _many_groups(size: int) -> list[Subtopology]:
    fixed = {f"r{number}": 1 for number in range(size)}
    return [subtopology("0", ["a"], repartition=fixed, copartition=[([], [0])] * size)]


def _same_topic(size: int) -> list[Subtopology]:
    return [subtopology(str(number), ["a"], repartition={"r": number + 1}) for number in range(size)]


def _changelogs(size: int) -> list[Subtopology]:
    return [subtopology("0", ["a"] * size, changelogs=[f"c{number}" for number in range(size)])]


@pytest.mark.parametrize("make", [_chain, _many_groups, _same_topic, _changelogs])
def test_twice_the_topology_is_twice_the_work(
    make: Callable[[int], list[Subtopology]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(internal_topics, "MAX_TASKS", 1_000_000)
    counts = []
    for size in (100, 200, 400):
        given = Topology(topology(*make(size)))
        with InstructionCounter() as counter:
            configure(given, MadeUpTopics({"a": 1}))
        counts.append(counter.instructions)
    assert counts[2] < 2.5 * counts[1] < 6.25 * counts[0]


def _passes_until_nothing_changes(given: Topology) -> dict[str, int] | None:
    """What each sink gets, as Apache Kafka finds it; None if they depend on each other."""
    found: dict[str, int] = {}
    parts = given.subtopologies
    largest = {key: 3 * len(each.source_topics) for key, each in parts.items()}
    todo = [(key, name) for key, each in parts.items() for name in each.repartition_sink_topics]
    while todo:
        rest = []
        for key, name in todo:
            if name in found:
                continue
            if not largest[key]:
                rest.append((key, name))
                continue
            found[name] = largest[key]
            for reader, each in parts.items():
                if any(topic.name == name for topic in each.repartition_source_topics):
                    largest[reader] = max(largest[reader], found[name])
        if len(rest) == len(todo):
            return None
        todo = rest
    return found


@pytest.mark.parametrize("seed", range(100))
def test_sinks_are_decided_in_the_order_of_apache_kafka(seed: int) -> None:
    rng = random.Random(seed)
    names = [f"r{number}" for number in range(8)]
    written: list[str] = []
    parts = []
    for _ in range(rng.randint(2, 8)):
        sinks = rng.choices(names, k=rng.randint(0, 3))
        written += sinks
        # Three partitions for each topic that it reads: `a` has 3, `b` 6.
        parts.append((f"s{rng.random()}", rng.choice([[], [], ["a"], ["b", "b"]]), sinks))
    given = Topology(
        topology(
            *(
                subtopology(
                    key,
                    sources,
                    sinks=sinks,
                    repartition=dict.fromkeys(rng.sample(written, min(len(written), 1 + (not sources))), 0),
                )
                for key, sources, sinks in parts
            )
        )
    )
    if not all(each.source_topics or each.repartition_source_topics for each in given.subtopologies.values()):
        return
    expected = _passes_until_nothing_changes(given)
    topics = MadeUpTopics({"a": 3, "b": 6})
    if expected is None:
        with pytest.raises(CoordinatorError, match="depend on each other"):
            configure(given, topics)
    else:
        read = {
            topic.name for each in given.subtopologies.values() for topic in each.repartition_source_topics
        }
        found = created(configure(given, topics))
        assert found == {name: count for name, count in expected.items() if name in read}
