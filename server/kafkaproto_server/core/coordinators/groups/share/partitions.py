"""Which partitions of a share group have a state, get one, or lose it: what ShareGroupStatePartitionMetadata keeps.

A partition is assigned only once its state is initialized. The coordinator writes first that it is about to initialize
or delete a state, and asks the share coordinator then: whoever takes over knows what may be half done. Kafka has the
same arithmetic in GroupMetadataManager.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

import msgspec

from kafkaproto.messages import ShareGroupStatePartitionMetadataValue

UNKNOWN_NAME = "<UNKNOWN>"
"""What a record has for the name of a topic that no longer exists."""


class TopicStates(NamedTuple):
    name: str
    partitions: frozenset[int]


States: TypeAlias = Mapping[bytes, TopicStates]
"""By topic id."""
Indexes: TypeAlias = Mapping[bytes, frozenset[int]]
"""Partition indexes by topic id."""
NameOf: TypeAlias = Callable[[bytes], str]
"""The name of a topic by its id; `UNKNOWN_NAME` if there is none."""


def combined(old: States, new: States) -> dict[bytes, TopicStates]:
    """The partitions of both, with the newer names."""
    found = dict(old)
    for topic_id, topic in new.items():
        before = found.get(topic_id)
        partitions = topic.partitions if before is None else before.partitions | topic.partitions
        found[topic_id] = TopicStates(topic.name, partitions)
    return found


def _without(states: States, indexes: Indexes) -> dict[bytes, TopicStates]:
    """Topics of which nothing is left are gone."""
    found = dict(states)
    for topic_id in indexes.keys() & states.keys():
        rest = states[topic_id].partitions - indexes[topic_id]
        if rest:
            found[topic_id] = TopicStates(states[topic_id].name, rest)
        else:
            del found[topic_id]
    return found


class StatePartitions(msgspec.Struct, frozen=True, kw_only=True):
    """The partitions of one group."""

    initializing: States = {}
    initialized: States = {}
    deleting: Mapping[bytes, str] = {}
    """Names by topic id. States of them may be left."""

    def is_known(self, topic_id: bytes) -> bool:
        """Whether a partition of the topic has a state, or is to have one."""
        return topic_id in self.initialized or topic_id in self.initializing

    def with_initializing(self, states: States) -> StatePartitions:
        """States are about to be initialized, perhaps once more."""
        initializing = combined(self.initializing, states)
        deleting = {key: name for key, name in self.deleting.items() if key not in initializing}
        return msgspec.structs.replace(self, initializing=initializing, deleting=deleting)

    def with_initialized(self, indexes: Indexes, name_of: NameOf) -> StatePartitions:
        new = {topic_id: TopicStates(name_of(topic_id), found) for topic_id, found in indexes.items()}
        return msgspec.structs.replace(
            self,
            initializing=_without(self.initializing, indexes),
            initialized=combined(self.initialized, new),
        )

    def without_initializing(self, indexes: Indexes) -> StatePartitions:
        """States could not be initialized."""
        return msgspec.structs.replace(self, initializing=_without(self.initializing, indexes))

    def with_deleting(self, names: Mapping[bytes, str]) -> StatePartitions:
        """The initialized states of topics are about to be deleted."""
        initialized = {key: topic for key, topic in self.initialized.items() if key not in names}
        return msgspec.structs.replace(self, initialized=initialized, deleting={**self.deleting, **names})

    def without_deleting(self, topic_ids: Iterable[bytes]) -> StatePartitions:
        """The states of topics are deleted."""
        gone = frozenset(topic_ids)
        deleting = {key: name for key, name in self.deleting.items() if key not in gone}
        return msgspec.structs.replace(self, deleting=deleting)

    def without_topics(self, topic_ids: Iterable[bytes]) -> StatePartitions:
        """Topics no longer exist. The share coordinators have noticed themselves."""
        gone = frozenset(topic_ids)
        return StatePartitions(
            initializing={key: topic for key, topic in self.initializing.items() if key not in gone},
            initialized={key: topic for key, topic in self.initialized.items() if key not in gone},
            deleting={key: name for key, name in self.deleting.items() if key not in gone},
        )

    def with_names(self, name_of: NameOf) -> StatePartitions:
        """As it is written: topics that are being deleted have the names that they have now."""
        return msgspec.structs.replace(self, deleting={key: name_of(key) for key in self.deleting})

    def value(self) -> ShareGroupStatePartitionMetadataValue:
        return ShareGroupStatePartitionMetadataValue(
            initializing_topics=_infos(self.initializing),
            initialized_topics=_infos(self.initialized),
            deleting_topics=[
                ShareGroupStatePartitionMetadataValue.TopicInfo(topic_id=key, topic_name=self.deleting[key])
                for key in sorted(self.deleting)
            ],
        )


def _infos(states: States) -> list[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo]:
    return [
        ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo(
            topic_id=key, topic_name=states[key].name, partitions=sorted(states[key].partitions)
        )
        for key in sorted(states)
    ]


def state_partitions_of(value: ShareGroupStatePartitionMetadataValue) -> StatePartitions:
    return StatePartitions(
        initializing=_states(value.initializing_topics),
        initialized=_states(value.initialized_topics),
        deleting={each.topic_id: each.topic_name for each in value.deleting_topics},
    )


def _states(infos: Iterable[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo]) -> States:
    return {each.topic_id: TopicStates(each.topic_name, frozenset(each.partitions)) for each in infos}
