"""Tables of offsets, as the offsets of groups are kept in memory.

`OffsetTable` holds offsets by group, topic and partition: the committed offsets of all groups, and the offsets of each
open transaction. `OpenTransactions` says which partitions have offsets in open transactions. `UncommittedChanges` keeps
what changes to the table replaced until the high watermark has passed them, so that the state at the high watermark can
be read although the table is ahead of it.

Apache Kafka has these in OffsetMetadataManager (Offsets, OpenTransactions), and timeline collections for the third.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import msgspec

from kafkaproto_server.base.types import ZERO_UUID
from kafkaproto_server.requests.offset_requests import NO_LEADER_EPOCH

NO_TIMESTAMP = -1

_NOTHING: Mapping[str, Mapping[int, OffsetAndMetadata]] = MappingProxyType({})


class OffsetAndMetadata(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An offset that a group has committed for a partition."""

    offset: int
    leader_epoch: int = NO_LEADER_EPOCH
    """Of the last record that was consumed."""
    metadata: str = ""
    """Whatever the client wants to keep with the offset."""
    commit_timestamp_ms: int
    """Wall time."""
    expire_timestamp_ms: int = NO_TIMESTAMP
    """Wall time. Only clients from before Kafka 2.1 ask for one."""
    topic_id: bytes = ZERO_UUID
    """Zero if the record that committed it has none."""
    record_offset: int
    """Where in the log the record is that committed it."""


class OffsetTable:
    """Offsets by group, topic and partition. What is empty is removed."""

    __slots__ = ("_counts", "_groups", "size")

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, dict[int, OffsetAndMetadata]]] = {}
        self._counts: dict[str, int] = {}
        self.size = 0
        """Number of offsets of all groups."""

    def get(self, group_id: str, topic: str, partition: int) -> OffsetAndMetadata | None:
        """An offset; None if there is none."""
        topics = self._groups.get(group_id)
        partitions = None if topics is None else topics.get(topic)
        return None if partitions is None else partitions.get(partition)

    def put(
        self, group_id: str, topic: str, partition: int, entry: OffsetAndMetadata
    ) -> OffsetAndMetadata | None:
        """Set an offset. Returns the one that was there before."""
        partitions = self._groups.setdefault(group_id, {}).setdefault(topic, {})
        before = partitions.get(partition)
        partitions[partition] = entry
        if before is None:
            self._counts[group_id] = self._counts.get(group_id, 0) + 1
            self.size += 1
        return before

    def remove(self, group_id: str, topic: str, partition: int) -> OffsetAndMetadata | None:
        """Remove an offset. Returns it; None if there is none."""
        topics = self._groups.get(group_id)
        partitions = None if topics is None else topics.get(topic)
        if topics is None or partitions is None:
            return None
        before = partitions.pop(partition, None)
        if before is None:
            return None
        if not partitions:
            del topics[topic]
        self._counts[group_id] -= 1
        self.size -= 1
        if not topics:
            assert not self._counts[group_id], "no offset of the group is left"
            del self._groups[group_id]
            del self._counts[group_id]
        return before

    def let_go(self, most: int) -> int:
        """Remove so many offsets, or those of one topic of a group if there are more. Returns how many are not removed
        then that might have been: 1 or more if none is left. The table is of no other use."""
        while self._groups and most > 0:
            group_id, topics = self._groups.popitem()
            while topics and most > 0:
                most -= len(topics.popitem()[1])
            if topics:
                self._groups[group_id] = topics
        return most

    def count(self, group_id: str) -> int:
        """Number of offsets of a group."""
        return self._counts.get(group_id, 0)

    def groups(self) -> Iterator[str]:
        return iter(self._groups)

    def of_group(self, group_id: str) -> Mapping[str, Mapping[int, OffsetAndMetadata]]:
        """The offsets of a group by topic and partition. Valid until the next change."""
        return self._groups.get(group_id, _NOTHING)

    def __iter__(self) -> Iterator[tuple[str, str, int, OffsetAndMetadata]]:
        for group_id, topics in self._groups.items():
            for topic, partitions in topics.items():
                for partition, entry in partitions.items():
                    yield group_id, topic, partition, entry


class OpenTransactions:
    """The producers with offsets in open transactions, by group and partition."""

    __slots__ = ("_groups",)

    def __init__(self) -> None:
        # The dicts of producers have no values: a set has no order.
        self._groups: dict[str, dict[tuple[str, int], dict[int, None]]] = {}

    def add(self, group_id: str, topic: str, partition: int, producer_id: int) -> None:
        """A producer's open transaction has an offset for a partition."""
        self._groups.setdefault(group_id, {}).setdefault((topic, partition), {})[producer_id] = None

    def remove(self, group_id: str, topic: str, partition: int, producer_id: int) -> None:
        """A producer's transaction has ended."""
        producers = self._groups[group_id][topic, partition]
        del producers[producer_id]
        if not producers:
            self.clear(group_id, topic, partition)

    def clear(self, group_id: str, topic: str, partition: int) -> tuple[int, ...]:
        """No open transaction has an offset for a partition any more. Returns the producers whose had one."""
        partitions = self._groups.get(group_id)
        if partitions is None:
            return ()
        producers = partitions.pop((topic, partition), {})
        if not partitions:
            del self._groups[group_id]
        return tuple(producers)

    def has(self, group_id: str, topic: str, partition: int) -> bool:
        """Whether an open transaction has an offset for a partition."""
        partitions = self._groups.get(group_id)
        return partitions is not None and (topic, partition) in partitions

    def producers(self, group_id: str, topic: str, partition: int) -> Iterator[int]:
        """The producers whose open transactions have an offset for a partition."""
        return iter(self._groups.get(group_id, {}).get((topic, partition), ()))

    def groups(self) -> Iterator[str]:
        """The groups with offsets in open transactions."""
        return iter(self._groups)

    def count(self, group_id: str) -> int:
        """Number of partitions for which open transactions have offsets of a group."""
        return len(self._groups.get(group_id, ()))

    def has_group(self, group_id: str) -> bool:
        """Whether an open transaction has an offset of a group."""
        return group_id in self._groups

    def of_group(self, group_id: str) -> Iterator[tuple[str, int]]:
        """The partitions for which open transactions have offsets of a group."""
        return iter(self._groups.get(group_id, ()))


class UncommittedChanges:
    """What the changes beyond the high watermark replaced. There are as many as records wait for replication."""

    __slots__ = ("_before", "_changes")

    def __init__(self) -> None:
        # Offset of the record that made the change, group, topic and partition, ascending by offset.
        self._changes: deque[tuple[int, str, str, int]] = deque()
        # For each change of a partition, what was there before it, in the order of the changes.
        self._before: dict[str, dict[tuple[str, int], deque[OffsetAndMetadata | None]]] = {}

    def add(
        self, offset: int, group_id: str, topic: str, partition: int, before: OffsetAndMetadata | None
    ) -> None:
        """The record at an offset of the log has replaced what was there before."""
        self._changes.append((offset, group_id, topic, partition))
        partitions = self._before.setdefault(group_id, {})
        partitions.setdefault((topic, partition), deque()).append(before)

    def commit(self, end_offset: int) -> None:
        """All records before an offset are committed."""
        while self._changes and self._changes[0][0] < end_offset:
            _, group_id, topic, partition = self._changes.popleft()
            partitions = self._before[group_id]
            before = partitions[topic, partition]
            before.popleft()
            if not before:
                del partitions[topic, partition]
                if not partitions:
                    del self._before[group_id]

    def before(self, group_id: str) -> Mapping[tuple[str, int], OffsetAndMetadata | None]:
        """What is committed for the partitions of a group of which the table says something else."""
        partitions = self._before.get(group_id)
        return {} if partitions is None else {key: changes[0] for key, changes in partitions.items()}
