"""The topology of a Kafka Streams application, as the first member brings it and a record keeps it.

A subtopology reads source topics and repartition topics, which it shares the partition numbers of; a task of it reads
one partition of each. It writes to repartition topics that other subtopologies read, and keeps its state in stores with
a changelog topic each.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import StreamsGroupTopologyValue
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.core.coordinators.groups.streams.java_order import hash_map_order
from kafkaproto_server.core.coordinators.values import CoordinatorError

Subtopology: TypeAlias = StreamsGroupTopologyValue.Subtopology


class Topology:
    """A topology. It never changes."""

    def __init__(self, value: StreamsGroupTopologyValue) -> None:
        self.value = value
        self.epoch = value.epoch
        by_id = {each.subtopology_id: each for each in value.subtopologies}
        self.subtopologies: Mapping[str, Subtopology] = {each: by_id[each] for each in hash_map_order(by_id)}
        """By id, in the order in which Apache Kafka looks at them: numbers of partitions may depend on it."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Topology)
            and self.epoch == other.epoch
            and self.subtopologies == other.subtopologies
        )

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def required_topics(self) -> frozenset[str]:
        """The names of all topics that have to exist."""
        return frozenset(
            chain(
                self.subtopology_of,
                (topic.name for each in self.subtopologies.values() for topic in each.state_changelog_topics),
            )
        )

    @cached_property
    def subtopology_of(self) -> Mapping[str, str]:
        """The id of the subtopology that reads a topic."""
        found: dict[str, str] = {}
        for subtopology_id, each in self.subtopologies.items():
            found.update(dict.fromkeys(each.source_topics, subtopology_id))
            found.update((topic.name, subtopology_id) for topic in each.repartition_source_topics)
        return found


def check_topology(value: StreamsGroupTopologyValue) -> None:
    """Raises CoordinatorError (STREAMS_INVALID_TOPOLOGY) if no topology can be like this."""
    if value.epoch < 0:
        raise invalid_topology(f"There is no topology epoch {value.epoch}.")
    if len({each.subtopology_id for each in value.subtopologies}) < len(value.subtopologies):
        raise invalid_topology("A subtopology's id is there twice.")
    for each in value.subtopologies:
        _check_subtopology(each)


def _check_subtopology(subtopology: Subtopology) -> None:
    for topic in subtopology.state_changelog_topics:
        if topic.partitions != 0:
            raise invalid_topology(
                f"The number of partitions of the changelog topic {quoted(topic.name)} follows from its sources, and"
                f" cannot be {topic.partitions}."
            )
    for topic in subtopology.repartition_source_topics:
        if topic.partitions < 0:
            raise invalid_topology(f"{quoted(topic.name)} cannot have {topic.partitions} partitions.")
    for group in subtopology.copartition_groups:
        for indexes, topics in (
            (group.source_topics, subtopology.source_topics),
            (group.repartition_source_topics, subtopology.repartition_source_topics),
        ):
            for index in indexes:
                if not 0 <= index < len(topics):
                    raise invalid_topology(
                        f"A copartition group names topic {index} of the {len(topics)} that there are."
                    )


def invalid_topology(message: str) -> CoordinatorError:
    """The error for a topology that does not work."""
    return CoordinatorError(ErrorCode.STREAMS_INVALID_TOPOLOGY, message)
