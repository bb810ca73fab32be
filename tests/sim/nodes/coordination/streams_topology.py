"""The applications of the simulation's streams groups: which subtopologies they have, and which topic each one reads.

Each subtopology reads one topic, so that a task and the partition that it reads are the same thing by two names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kafkaproto.messages import StreamsGroupHeartbeatRequest
from tests.sim.nodes.data.link import Place

REPARTITION, CHANGELOG = "streams-repartition", "streams-changelog"
"""Internal topics: the server makes them."""

Task = tuple[str, int]
"""Subtopology and partition."""
Request = StreamsGroupHeartbeatRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtopology:
    """One subtopology."""

    id: str
    reads: str
    """The topic."""
    is_stateful: bool = False
    is_fed: bool = False
    """Whether its topic is internal, and another subtopology writes to it."""
    feeds: bool = False
    """Whether it is that one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """The subtopologies of one application."""

    epoch: int
    subtopologies: tuple[Subtopology, ...]

    @property
    def topics(self) -> frozenset[str]:
        """That it reads."""
        return frozenset(each.reads for each in self.subtopologies)

    @property
    def source_topics(self) -> frozenset[str]:
        """Those that are there before it."""
        return frozenset(each.reads for each in self.subtopologies if not each.is_fed)

    @property
    def stateful_topics(self) -> frozenset[str]:
        """Those whose tasks have a state, and standby replicas."""
        return frozenset(each.reads for each in self.subtopologies if each.is_stateful)

    def places(self, tasks: Iterable[Any] | None) -> frozenset[Place]:
        """What tasks of a response read."""
        topics = {each.id: each.reads for each in self.subtopologies}
        return frozenset(
            (topics[each.subtopology_id], index) for each in tasks or () for index in each.partitions
        )

    def task(self, place: Place) -> Task:
        """The task that reads a partition."""
        return next(each.id for each in self.subtopologies if each.reads == place[0]), place[1]

    def tasks(self, places: Iterable[Place]) -> list[Request.TaskIds]:
        """The tasks that read partitions, for a request."""
        found: dict[str, list[int]] = {}
        for subtopology_id, index in sorted(map(self.task, places)):
            found.setdefault(subtopology_id, []).append(index)
        return [
            Request.TaskIds(subtopology_id=each, partitions=partitions) for each, partitions in found.items()
        ]

    def message(self) -> Request.Topology:
        """For the request of a member that joins."""
        return Request.Topology(epoch=self.epoch, subtopologies=list(map(_message, self.subtopologies)))


def _message(subtopology: Subtopology) -> Request.Subtopology:
    changelog = Request.TopicInfo(
        name=f"{CHANGELOG}-{subtopology.id}",
        topic_configs=[Request.KeyValue(key="cleanup.policy", value="compact")],
    )
    return Request.Subtopology(
        subtopology_id=subtopology.id,
        source_topics=[] if subtopology.is_fed else [subtopology.reads],
        source_topic_regex=[],
        state_changelog_topics=[changelog] if subtopology.is_stateful else [],
        repartition_sink_topics=[REPARTITION] if subtopology.feeds else [],
        repartition_source_topics=[Request.TopicInfo(name=subtopology.reads)] if subtopology.is_fed else [],
        copartition_groups=[],
    )


def topologies(source: str, other: str) -> dict[str, tuple[Subtopology, ...]]:
    """The kinds of applications, which read one topic or two."""
    return {
        "stateless": (Subtopology(id="0", reads=source),),
        "stateful": (Subtopology(id="0", reads=source, is_stateful=True),),
        "two": (Subtopology(id="0", reads=source), Subtopology(id="1", reads=other, is_stateful=True)),
        "repartitioned": (
            Subtopology(id="0", reads=source, feeds=True),
            Subtopology(id="1", reads=REPARTITION, is_fed=True, is_stateful=True),
        ),
    }
