"""The committed offsets of the groups of one partition of ``__consumer_offsets``.

Each method decides what records a request needs, appends them in one batch, and replays them at once. The caller checks
members, generations, and whether the group may be used in this way at all.

A key names group, topic and partition. The topic id is in the value: it tells the offsets of a deleted topic from those
of a new topic of that name.

Values have the versions that Apache Kafka 4.4.0 writes (offsetCommitValueVersion of GroupCoordinatorRecordHelpers): 1
with an expire timestamp, which no later version has, and otherwise 4. Version 1 has no leader epoch and no topic id.

Apache Kafka has this in OffsetMetadataManager.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    OffsetCommitKey,
    OffsetCommitValue,
)
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.base.types import BATCH_HEADER_BYTES, ZERO_UUID
from kafkaproto_server.core.coordinators.groups.offsets.config import OffsetsConfig
from kafkaproto_server.core.coordinators.groups.offsets.expiration import Expiration
from kafkaproto_server.core.coordinators.groups.offsets.fetches import OffsetFetches
from kafkaproto_server.core.coordinators.groups.offsets.logged import LoggedOffsets, OffsetsLog
from kafkaproto_server.core.coordinators.groups.offsets.table import (
    NO_TIMESTAMP,
    OffsetAndMetadata,
)
from kafkaproto_server.core.coordinators.values import Record, Surroundings
from kafkaproto_server.requests.offset_requests import (
    NO_RETENTION_TIME,
    OffsetCommitPartition,
    Results,
    TopicPartitions,
)

OFFSETS_AT_ONCE = 5_000
"""How many offsets are deleted in one turn: 30 ms."""
GONE_AT_ONCE = 2_500
"""How many offsets of a group `expire` or `delete_topics` deletes. A turn may call them for more than one group."""
SEEN_AT_ONCE = 20_000
"""How many offsets of a group `expire` looks at: some ten milliseconds."""
TOMBSTONES_PER_BATCH = 500
"""Of deleted topics and expiry, which may concern any number of offsets."""
TOMBSTONE_BYTES = 40
"""Of a tombstone in a batch, at most, without the names of group and topic."""
OTHER_BYTES = 100_000
"""Room in a batch for its header and for the records that remove a group."""

VALUE_VERSION = 4
VALUE_VERSION_WITH_EXPIRE_TIMESTAMP = 1

_MAX_TIMESTAMP = 2**63 - 1


_Offset: TypeAlias = tuple[str, int, OffsetAndMetadata]
"""Topic, partition, and what is committed."""


class OffsetMetadataManager:
    """The offsets of all groups of one partition of the internal topic."""

    def __init__(
        self,
        config: Callable[[], OffsetsConfig],
        log: OffsetsLog,
        surroundings: Surroundings,
        metrics: GroupMetrics,
    ) -> None:
        self._config = config
        self._surroundings = surroundings
        self._metrics = metrics
        self.logged = LoggedOffsets(log, surroundings)
        self.fetches = OffsetFetches(self.logged)
        # The group of which `expire` has not seen all offsets, and those: the next one, and the others.
        self._expiring: tuple[str, tuple[_Offset, ...], Iterator[_Offset]] | None = None

    # -- OffsetCommit, TxnOffsetCommit ---------------------------------------------------------------------------

    def commit(
        self,
        group_id: str,
        partitions: Sequence[OffsetCommitPartition],
        committed: Results,
        *,
        retention_time_ms: int = NO_RETENTION_TIME,
    ) -> None:
        """Commit offsets of a group. ``committed`` is called now or later.

        Partitions with too long metadata are refused, the others are committed. Raises CoordinatorError.
        """
        now_ms = self._surroundings.wall_ms()
        expire_ms = NO_TIMESTAMP
        if retention_time_ms != NO_RETENTION_TIME:
            # Kafka's sum wraps around, so that what was meant to stay for ever expires at once.
            expire_ms = min(now_ms + retention_time_ms, _MAX_TIMESTAMP)
        results, records = self._to_records(group_id, partitions, now_ms, expire_ms)
        self.logged.append(records)
        self._metrics.offset_commits += len(records)
        self.logged.when_settled(lambda code: committed(code, results if code is ErrorCode.NONE else ()))

    def commit_in_transaction(
        self,
        group_id: str,
        partitions: Sequence[OffsetCommitPartition],
        committed: Results,
        *,
        producer_id: int,
        producer_epoch: int,
    ) -> None:
        """The same as part of a producer's transaction. The offsets are pending until its marker is replayed."""
        results, records = self._to_records(group_id, partitions, self._surroundings.wall_ms(), NO_TIMESTAMP)
        if records:
            self.logged.append_in_transaction(records, producer_id=producer_id, producer_epoch=producer_epoch)
            self._metrics.offset_commits += len(records)
        self.logged.when_settled(lambda code: committed(code, results if code is ErrorCode.NONE else ()))

    def _to_records(
        self, group_id: str, partitions: Sequence[OffsetCommitPartition], now_ms: int, expire_ms: int
    ) -> tuple[list[ErrorCode], list[Record]]:
        """The result of each partition, and the records of those that are accepted."""
        limit = self._config().metadata_max_bytes
        results = []
        records = []
        for each in partitions:
            if _is_longer(each.committed_metadata or "", limit):
                results.append(ErrorCode.OFFSET_METADATA_TOO_LARGE)
                continue
            results.append(ErrorCode.NONE)
            value = OffsetCommitValue(
                offset=each.committed_offset,
                metadata=each.committed_metadata or "",
                commit_timestamp=now_ms,
                expire_timestamp=expire_ms,
            )
            version = VALUE_VERSION_WITH_EXPIRE_TIMESTAMP
            if expire_ms == NO_TIMESTAMP:
                # Only what the version can hold is set, so that this coordinator knows what the next one will read.
                value.leader_epoch = each.committed_leader_epoch
                value.topic_id = each.topic_id
                version = VALUE_VERSION
            records.append(Record(_key(group_id, each.topic, each.partition), value, version))
        return results, records

    # -- deletion and expiry -------------------------------------------------------------------------------------

    def delete(
        self,
        group_id: str,
        topics: Sequence[TopicPartitions],
        is_subscribed: Callable[[str], bool],
        deleted: Results,
    ) -> None:
        """Delete offsets of a group, pending ones too (OffsetDelete). ``deleted`` is called now or later.

        Partitions of a topic to which the group is subscribed get GROUP_SUBSCRIBED_TO_TOPIC, partitions without an
        offset get NONE. Raises CoordinatorError.
        """
        results: list[ErrorCode] = []
        gone: dict[tuple[str, int], None] = {}
        for each in topics:
            code = ErrorCode.NONE
            if is_subscribed(each.topic):
                code = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
            results += [code] * len(each.partitions)
            for partition in each.partitions:
                if code is ErrorCode.NONE and self.logged.has(group_id, each.topic, partition):
                    gone[each.topic, partition] = None
        self.logged.append([Record(_key(group_id, topic, partition), None) for topic, partition in gone])
        self._metrics.offset_deletions += len(gone)
        self.logged.when_settled(lambda code: deleted(code, results if code is ErrorCode.NONE else ()))

    def delete_group(
        self, group_id: str, deleted: Callable[[ErrorCode], None], *, last: Sequence[Record] = ()
    ) -> None:
        """Delete all offsets of a group, pending ones too, in one batch. ``deleted`` is called now or later.

        ``last`` are records of the caller that say that the group is no more. They are behind the others, and the
        caller replays them. Raises CoordinatorError, after which nothing has changed.
        """
        self.logged.append([Record(_key(group_id, *each), None) for each in self._partitions(group_id)], last)
        self.logged.when_settled(deleted)

    def is_deleted_at_once(self, group_id: str) -> bool:
        """Whether all offsets of a group can be deleted in one batch and one turn."""
        count = self.logged.count(group_id) + self.logged.open.count(group_id)
        if not 0 < count <= OFFSETS_AT_ONCE:
            return count == 0
        size = sum(_tombstone_bytes(group_id, topic) for topic, _ in self._partitions(group_id))
        return size + OTHER_BYTES <= self.logged.log.max_batch_bytes

    def delete_some(self, group_id: str) -> None:
        """Delete as many offsets of a group as one turn may delete. Raises CoordinatorError; part of them may be
        deleted then."""
        some = list(islice(self._partitions(group_id), OFFSETS_AT_ONCE))
        for batch in self._batches([Record(_key(group_id, *each), None) for each in some]):
            self.logged.append(batch)

    def _partitions(self, group_id: str) -> Iterator[tuple[str, int]]:
        """The partitions for which a group has an offset, or a pending one. Valid until the next change."""
        of_group = self.logged.table.of_group(group_id)
        for topic, of_topic in of_group.items():
            for partition in of_topic:
                yield topic, partition
        for topic, partition in self.logged.open.of_group(group_id):
            if partition not in of_group.get(topic, ()):
                yield topic, partition

    def delete_topics(self, topics: Iterable[tuple[str, bytes]], group_id: str) -> int:
        """Topics, given by their names and ids, are deleted: delete their offsets in a group, pending ones too.

        Offsets with another topic id stay. Returns the number of partitions whose offsets are deleted, at most
        `GONE_AT_ONCE`. Raises CoordinatorError; part of the offsets may be deleted then.
        """
        ids: dict[str, set[bytes]] = {}
        for topic, topic_id in topics:
            ids.setdefault(topic, {ZERO_UUID}).add(topic_id)
        some = self._of_topics(group_id, ids)
        gone = [Record(_key(group_id, topic, partition), None) for topic, partition in some]
        for batch in self._batches(gone):
            self.logged.append(batch)
        return len(gone)

    def _of_topics(self, group_id: str, ids: Mapping[str, set[bytes]]) -> dict[tuple[str, int], None]:
        """The partitions of a group with an offset, or a pending one, of topics with these names and ids, at most
        `GONE_AT_ONCE`."""
        found: dict[tuple[str, int], None] = {}
        of_group = self.logged.table.of_group(group_id)
        for topic in sorted(of_group.keys() & ids.keys()):
            for partition, entry in of_group[topic].items():
                if entry.topic_id in ids[topic]:
                    found[topic, partition] = None
                    if len(found) == GONE_AT_ONCE:
                        return found
        for topic, partition in self.logged.open.of_group(group_id):
            for pending in self.logged.pending.of_partition(group_id, topic, partition):
                if topic in ids and pending.topic_id in ids[topic]:
                    found[topic, partition] = None
                    if len(found) == GONE_AT_ONCE:
                        return found
        return found

    def expire(self, group_id: str, expiration: Expiration | None) -> bool:
        """Delete what has expired of a group, at most `GONE_AT_ONCE` of `SEEN_AT_ONCE`; ``expiration`` is None if
        nothing may expire now. Who calls again goes on behind those, as long as `is_expiring`.

        Returns whether the group has no offset left, also no pending one: then an empty group may be deleted. Raises
        CoordinatorError; part of the offsets may be deleted then.
        """
        expiring, self._expiring = self._expiring, None
        if not self.logged.count(group_id):
            return not self.logged.has_pending(group_id)
        if expiration is None:
            return False
        _, first, rest = (
            expiring if expiring is not None and expiring[0] == group_id else ("", (), self._each(group_id))
        )
        now_ms = self._surroundings.wall_ms()
        retention_ms = self._config().retention_ms
        expired = (
            Record(_key(group_id, topic, partition), None)
            for topic, partition, entry in islice(chain(first, rest), SEEN_AT_ONCE)
            if not expiration.is_subscribed(topic)
            if expiration.has_expired(entry, wall_ms=now_ms, retention_ms=retention_ms)
            # The tombstone would remove the pending offset too.
            and not self.logged.open.has(group_id, topic, partition)
        )
        gone = list(islice(expired, GONE_AT_ONCE))
        if (following := next(rest, None)) is not None:
            self._expiring = group_id, (following,), rest
        for batch in self._batches(gone):
            self.logged.append(batch)
            self._metrics.offsets_expired += len(batch)
        return not self.logged.count(group_id) and not self.logged.has_pending(group_id)

    def is_expiring(self, group_id: str) -> bool:
        """Whether `expire` has not looked at all offsets of a group yet."""
        return self._expiring is not None and self._expiring[0] == group_id

    def _each(self, group_id: str) -> Iterator[_Offset]:
        """The offsets of a group, each as it is when its turn comes; they may change meanwhile."""
        for topic in tuple(self.logged.table.of_group(group_id)):
            for partition in tuple(self.logged.table.of_group(group_id).get(topic, ())):
                entry = self.logged.table.get(group_id, topic, partition)
                if entry is not None:
                    yield topic, partition, entry

    def _batches(self, tombstones: Sequence[Record]) -> Iterator[Sequence[Record]]:
        """Tombstones of offsets, in batches that the log takes."""
        limit = self.logged.log.max_batch_bytes - BATCH_HEADER_BYTES
        batch: list[Record] = []
        size = 0
        for each in tombstones:
            assert isinstance(each.key, OffsetCommitKey), "tombstones of offsets have these keys"
            more = _tombstone_bytes(each.key.group, each.key.topic)
            if batch and (len(batch) == TOMBSTONES_PER_BATCH or size + more > limit):
                yield batch
                batch, size = [], 0
            batch.append(each)
            size += more
        if batch:
            yield batch


def _key(group_id: str, topic: str, partition: int) -> OffsetCommitKey:
    return OffsetCommitKey(group=group_id, topic=topic, partition=partition)


def _is_longer(text: str, limit: int) -> bool:
    """Whether a text is longer than a limit. Kafka counts UTF-16 code units, though the key's name says bytes."""
    if len(text) > limit:
        return True
    if text.isascii() or 2 * len(text) <= limit:
        return False
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * limit


def _tombstone_bytes(group_id: str, topic: str) -> int:
    """Size of a tombstone in a batch, at most: a character has up to four bytes."""
    names = len(group_id) + len(topic)
    if not (group_id.isascii() and topic.isascii()):
        names *= 4
    return names + TOMBSTONE_BYTES
