"""Whether the topics of a topology are as they have to be, and how many partitions and tasks follow from them.

A repartition topic has as many partitions as the topology says, else as the largest topic that the subtopologies before
it read. Topics of a copartition group have to have the same number. A changelog topic has one for each task. Internal
topics that do not exist are to be created. Apache Kafka has this in `InternalTopicManager`.

The work grows with the size of the topology, and never with its square: it is done in one turn of the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import msgspec

from kafkaproto.messages import CreateTopicsRequest, StreamsGroupTopologyValue
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.streams.status import Status, StatusCode
from kafkaproto_server.core.coordinators.groups.streams.topology import (
    Subtopology,
    Topology,
    invalid_topology,
)
from kafkaproto_server.core.coordinators.groups.topics import Topics

MAX_TASKS = 20_000
"""Of a group, without replicas. The records with the tasks of all members have to fit into a batch, and a heartbeat
into a turn of the loop."""
SHOWN_TOPICS = 3
"""How many topics a status names."""
_DEFAULT_REPLICATION = -1


class InternalTopic(NamedTuple):
    """A repartition or changelog topic."""

    name: str
    partition_count: int
    replication_factor: int
    """0 for that of the cluster."""
    configs: Sequence[tuple[str, str]]


class ConfiguredSubtopology(msgspec.Struct, frozen=True, kw_only=True):
    """A subtopology whose numbers are known. Topics are in the order of their names."""

    task_count: int
    source_topics: Sequence[str]
    repartition_sinks: Sequence[str]
    repartition_sources: Sequence[InternalTopic]
    changelogs: Sequence[InternalTopic]

    @property
    def read_topics(self) -> list[str]:
        """The topics of which a task reads a partition."""
        return [*self.source_topics, *(each.name for each in self.repartition_sources)]


class ConfiguredTopology(msgspec.Struct, frozen=True, kw_only=True):
    """What follows from a topology and the topics that there are."""

    epoch: int
    subtopologies: Mapping[str, ConfiguredSubtopology]
    """By id, in ascending order; none if a topic is not as it has to be."""
    missing: Sequence[CreateTopicsRequest.CreatableTopic] = ()
    """Internal topics that are to be created."""
    problem: Status | None = None
    """Why members cannot have tasks."""

    @property
    def is_ready(self) -> bool:
        """Whether members can have tasks."""
        return self.problem is None

    @property
    def task_count(self) -> int:
        """The number of active tasks."""
        return sum(each.task_count for each in self.subtopologies.values())


class _WrongTopicsError(Exception):
    """A topic is not as it has to be."""

    def __init__(self, code: StatusCode, detail: str) -> None:
        super().__init__(detail)
        self.status = Status(code, detail)


def configure(topology: Topology, topics: Topics) -> ConfiguredTopology:
    """What follows from a topology. Raises CoordinatorError (STREAMS_INVALID_TOPOLOGY)."""
    try:
        counts = _Counts(topology, topics)
        counts.decide()
        configured = {
            subtopology_id: _configured(each, counts)
            for subtopology_id, each in sorted(topology.subtopologies.items())
        }
        missing = _missing(configured.values(), topics)
    except _WrongTopicsError as error:
        return ConfiguredTopology(epoch=topology.epoch, subtopologies={}, problem=error.status)
    found = ConfiguredTopology(epoch=topology.epoch, subtopologies=configured, missing=missing)
    if found.task_count > MAX_TASKS:
        raise invalid_topology(f"{found.task_count} tasks are too many; a group may have {MAX_TASKS}.")
    if not missing:
        return found
    detail = f"These internal topics do not exist: {_summary([each.name for each in missing])}."
    return msgspec.structs.replace(found, problem=Status(StatusCode.MISSING_INTERNAL_TOPICS, detail))


class _Counts:
    """The numbers of partitions: of the topics that exist, and those that internal topics should have."""

    def __init__(self, topology: Topology, topics: Topics) -> None:
        self._topology = topology
        self._topics = topics
        self.decided: dict[str, int] = {}
        # The dicts of readers have no values: a set has no order.
        self._readers: dict[str, dict[str, None]] = {}
        """The ids of the subtopologies that read a repartition topic."""
        self._of_fixed: int | None = None
        for key, each in self._by_id():
            for topic in each.repartition_source_topics:
                self._readers.setdefault(topic.name, {})[key] = None
        missing = sorted(
            {name for each in self._all() for name in each.source_topics if topics.by_name(name) is None}
        )
        if missing:
            raise _WrongTopicsError(
                StatusCode.MISSING_SOURCE_TOPICS, f"These source topics do not exist: {_summary(missing)}."
            )

    def _all(self) -> Iterable[Subtopology]:
        return self._topology.subtopologies.values()

    def _by_id(self) -> Iterable[tuple[str, Subtopology]]:
        return self._topology.subtopologies.items()

    def of(self, name: str) -> int:
        """The number of partitions of a topic, which exists or was decided upon."""
        view = self._topics.by_name(name)
        return self.decided[name] if view is None else view.partition_count

    def decide(self) -> None:
        """Decide upon all internal topics. Raises _WrongTopicsError and CoordinatorError."""
        self.decided = self._repartition_topics()
        fixed = {
            topic.name for each in self._all() for topic in each.repartition_source_topics if topic.partitions
        }
        for each in self._all():
            for group in each.copartition_groups:
                names = {each.source_topics[index] for index in group.source_topics}
                names |= {
                    each.repartition_source_topics[index].name for index in group.repartition_source_topics
                }
                if names:
                    self._unify(names, fixed)
        counted = [(each, self.task_count(each)) for each in self._all()]
        for each, count in counted:
            self.decided.update((topic.name, count) for topic in each.state_changelog_topics)

    def task_count(self, subtopology: Subtopology) -> int:
        """The number of tasks of a subtopology: one for each partition of the largest topic that it reads."""
        names = [*subtopology.source_topics, *(each.name for each in subtopology.repartition_source_topics)]
        if not names:
            raise invalid_topology(f"Subtopology {quoted(subtopology.subtopology_id)} reads no topic.")
        return max(map(self.of, names))

    def _repartition_topics(self) -> dict[str, int]:
        found: dict[str, int] = {}
        # The largest number of what each subtopology reads, as far as it is known.
        largest = {key: max(map(self.of, each.source_topics), default=0) for key, each in self._by_id()}
        largest_fixed: dict[str, int] = {}
        for each in self._all():
            for topic in each.repartition_source_topics:
                if topic.partitions:
                    found[topic.name] = topic.partitions
                    largest_fixed[topic.name] = max(largest_fixed.get(topic.name, 0), topic.partitions)
        for name, count in largest_fixed.items():
            self._widen(largest, name, count)
        self._take_sinks(found, largest)
        unwritten = sorted(self._readers.keys() - found.keys())
        if unwritten:
            raise invalid_topology(f"Nothing writes to the repartition topic {quoted(unwritten[0])}.")
        return found

    def _take_sinks(self, found: dict[str, int], largest: dict[str, int]) -> None:
        """Decide upon the other topics that are written to. Raises CoordinatorError (STREAMS_INVALID_TOPOLOGY).

        Apache Kafka passes over them again and again, each time taking those whose writer reads something known. The
        queue of (pass, index) has the same order, without looking at those that must wait.
        """
        sinks = [
            (key, name)
            for key, each in self._by_id()
            for name in each.repartition_sink_topics
            if name not in found
        ]
        waiting: dict[str, list[int]] = {}
        for index, (key, _) in enumerate(sinks):
            waiting.setdefault(key, []).append(index)
        queue = [(0, index) for index, (key, _) in enumerate(sinks) if largest[key]]
        heapify(queue)
        while queue:
            number, index = heappop(queue)
            key, name = sinks[index]
            if name in found:
                continue
            found[name] = largest[key]
            for reader in self._widen(largest, name, largest[key]):
                for each in waiting.get(reader, ()):
                    heappush(queue, (number if each > index else number + 1, each))
        if not all(name in found for _, name in sinks):
            raise invalid_topology("The numbers of partitions of repartition topics depend on each other.")

    def _widen(self, largest: dict[str, int], name: str, count: int) -> list[str]:
        """A repartition topic has so many partitions. Returns the subtopologies that read nothing known before."""
        readers = self._readers.get(name, {})
        begun = [key for key in readers if not largest[key]]
        for key in readers:
            largest[key] = max(largest[key], count)
        return begun

    def _unify(self, names: set[str], fixed: set[str]) -> None:
        """Topics that are read together have the same number of partitions."""
        counts = {name: self.of(name) for name in sorted(names)}
        repartitioned = [name for name in counts if name in self._readers]
        others = {name: count for name, count in counts.items() if name not in self._readers}
        if others:
            wanted = _same(others)
        elif fixed:
            # All of the topology's, as Apache Kafka has it, not only those of this group. Their numbers do not change.
            if self._of_fixed is None:
                self._of_fixed = _same({name: self.of(name) for name in sorted(fixed)})
            wanted = self._of_fixed
        else:
            wanted = max(counts.values())
        for name in repartitioned:
            if name in fixed and counts[name] != wanted:
                detail = f"{quoted(name)} is to have {counts[name]} partitions, but is read with others of {wanted}."
                raise _WrongTopicsError(StatusCode.INCORRECTLY_PARTITIONED_TOPICS, detail)
            self.decided[name] = wanted


def _same(counts: Mapping[str, int]) -> int:
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{quoted(name)}: {count}" for name, count in list(counts.items())[:SHOWN_TOPICS])
        raise _WrongTopicsError(
            StatusCode.INCORRECTLY_PARTITIONED_TOPICS,
            f"Topics that are read together have different numbers of partitions: {told}.",
        )
    return next(iter(counts.values()))


def _configured(subtopology: Subtopology, counts: _Counts) -> ConfiguredSubtopology:
    return ConfiguredSubtopology(
        task_count=counts.task_count(subtopology),
        source_topics=sorted(set(subtopology.source_topics)),
        repartition_sinks=sorted(set(subtopology.repartition_sink_topics)),
        repartition_sources=_internal(subtopology.repartition_source_topics, counts),
        changelogs=_internal(subtopology.state_changelog_topics, counts),
    )


def _internal(topics: Iterable[StreamsGroupTopologyValue.TopicInfo], counts: _Counts) -> list[InternalTopic]:
    return [
        InternalTopic(
            each.name,
            each.partitions or counts.decided[each.name],
            each.replication_factor,
            sorted({config.key: config.value for config in each.topic_configs}.items()),
        )
        for each in sorted(topics, key=lambda each: each.name)
    ]


def _missing(
    subtopologies: Iterable[ConfiguredSubtopology], topics: Topics
) -> list[CreateTopicsRequest.CreatableTopic]:
    wanted = {
        topic.name: topic for each in subtopologies for topic in (*each.repartition_sources, *each.changelogs)
    }
    missing = []
    for name, topic in sorted(wanted.items()):
        view = topics.by_name(name)
        if view is None:
            missing.append(_creation(topic))
        elif view.partition_count != topic.partition_count:
            raise _WrongTopicsError(
                StatusCode.INCORRECTLY_PARTITIONED_TOPICS,
                f"The topic {quoted(name)} has {view.partition_count} partitions, and needs {topic.partition_count}.",
            )
    return missing


def _creation(topic: InternalTopic) -> CreateTopicsRequest.CreatableTopic:
    return CreateTopicsRequest.CreatableTopic(
        name=topic.name,
        num_partitions=topic.partition_count,
        replication_factor=topic.replication_factor or _DEFAULT_REPLICATION,
        configs=[
            CreateTopicsRequest.CreatableTopicConfig(name=name, value=value) for name, value in topic.configs
        ],
    )


def _summary(names: Sequence[str]) -> str:
    shown = ", ".join(map(quoted, names[:SHOWN_TOPICS]))
    return shown if len(names) <= SHOWN_TOPICS else f"{shown} and {len(names) - SHOWN_TOPICS} more"
