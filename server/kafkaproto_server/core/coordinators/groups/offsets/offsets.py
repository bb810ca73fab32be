"""The committed offsets of the groups of one partition of ``__consumer_offsets``.

Each method decides what records a request needs, appends them in one batch, and replays them at once. The caller checks
members, generations, and whether the group may be used in this way at all.

Three rules:

- An offset that is committed in a transaction is pending until the transaction's marker is in the log. If the
  transaction is committed, the newer of the pending and the committed offset counts, by the offsets of their records
  in the log. A tombstone removes both.
- The table of offsets is ahead of the high watermark. A plain fetch returns what is committed in the log; otherwise a
  client could resume from an offset that the next coordinator does not know. A fetch that requires stable offsets
  reads the whole table, and gets its response when all of that is committed (KIP-447).
- A key names group, topic and partition. The topic id is in the value: it tells the offsets of a deleted topic from
  those of a new topic of that name.

Values have the versions that Apache Kafka 4.4.0 writes (offsetCommitValueVersion of GroupCoordinatorRecordHelpers): 1
with an expire timestamp, which no later version has, and otherwise 4. Version 1 has no leader epoch and no topic id.

Apache Kafka has this in OffsetMetadataManager.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Protocol, TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    LegacyOffsetCommitKey,
    LegacyOffsetCommitValue,
    OffsetCommitKey,
    OffsetCommitValue,
)
from kafkaproto_server.base.metrics.coordinators import GroupMetrics
from kafkaproto_server.base.types import BATCH_HEADER_BYTES, ZERO_UUID
from kafkaproto_server.core.coordinators.groups.offsets.config import OffsetsConfig
from kafkaproto_server.core.coordinators.groups.offsets.expiration import Expiration
from kafkaproto_server.core.coordinators.groups.offsets.pending import PendingOffsets
from kafkaproto_server.core.coordinators.groups.offsets.table import (
    NO_TIMESTAMP,
    OffsetAndMetadata,
    OffsetTable,
    UncommittedChanges,
)
from kafkaproto_server.core.coordinators.values import CoordinatorLog, Record, Surroundings
from kafkaproto_server.requests.offset_requests import (
    NO_RETENTION_TIME,
    FetchedPartition,
    FetchedTopic,
    OffsetCommitPartition,
    OffsetsFetched,
    OffsetsGoneError,
    Results,
    TopicPartitions,
)

NO_PRODUCER_ID = -1
ENDED_AT_ONCE = 5_000
"""How many offsets of transactions that have ended are looked at in one turn: 15 ms."""
OFFSETS_AT_ONCE = 5_000
"""How many offsets are deleted in one turn: 30 ms."""
GONE_AT_ONCE = 2_500
"""How many offsets of a group `expire` or `delete_topics` deletes. A turn may call them for more than one group."""
OFFSETS_READ_AT_ONCE = 2_000
"""How many offsets are looked up at once if all of a group are asked for."""
FREED_AT_ONCE = 50_000
"""How many offsets are freed in one turn: ten milliseconds."""
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


class OffsetsLog(CoordinatorLog, Protocol):
    """The partition in which the offsets are kept."""

    @property
    def end_offset(self) -> int:
        """Behind the last record."""

    @property
    def high_watermark(self) -> int:
        """All records before it are committed."""

    @property
    def max_batch_bytes(self) -> int:
        """The largest batch."""

    def append_in_transaction(
        self, records: Sequence[Record], *, producer_id: int, producer_epoch: int
    ) -> int:
        """Append records as part of a producer's transaction, else as `append` does.

        Raises CoordinatorError, also if the producer is fenced; then nothing was written.
        """


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
        self._log = log
        self._surroundings = surroundings
        self._metrics = metrics
        self._offsets = OffsetTable()
        self._pending = PendingOffsets()
        self._open = self._pending.partitions
        self._uncommitted = UncommittedChanges()
        # Fetches that have to see transactions which had ended before them: how many had, and what to call then.
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()
        self._is_over = False
        # The group of which `expire` has not seen all offsets, and those: the next one, and the others.
        self._expiring: tuple[str, tuple[_Offset, ...], Iterator[_Offset]] | None = None
        # Behind the last record that was replayed.
        self._end_offset = 0

    # -- what there is -------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Number of offsets of all groups."""
        return self._offsets.size

    def count(self, group_id: str) -> int:
        """Number of offsets of a group, without pending ones."""
        return self._offsets.count(group_id)

    def has_pending(self, group_id: str) -> bool:
        """Whether an open transaction has an offset of a group."""
        return self._open.has_group(group_id)

    def has_any(self, group_id: str) -> bool:
        """Whether there is an offset of a group, or a pending one."""
        return self.count(group_id) > 0 or self.has_pending(group_id)

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
        self._append(records)
        self._metrics.offset_commits += len(records)
        self._when_settled(lambda code: committed(code, results if code is ErrorCode.NONE else ()))

    def commit_in_transaction(
        self,
        group_id: str,
        partitions: Sequence[OffsetCommitPartition],
        committed: Results,
        *,
        producer_id: int,
        producer_epoch: int,
    ) -> None:
        """The same as part of a producer's transaction. The offsets are pending until `marker` is called."""
        results, records = self._to_records(group_id, partitions, self._surroundings.wall_ms(), NO_TIMESTAMP)
        if records:
            end_offset = self._log.append_in_transaction(
                records, producer_id=producer_id, producer_epoch=producer_epoch
            )
            self._replay_all(records, end_offset, producer_id)
            self._metrics.offset_commits += len(records)
        self._when_settled(lambda code: committed(code, results if code is ErrorCode.NONE else ()))

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

    # -- OffsetFetch ---------------------------------------------------------------------------------------------

    def fetch(
        self,
        group_id: str,
        topics: Sequence[TopicPartitions] | None,
        fetched: OffsetsFetched,
        *,
        require_stable: bool,
    ) -> None:
        """The committed offsets of some partitions, or of all for which the group has one if ``topics`` is None.

        With ``require_stable`` the response comes when all that it depends on is committed, and partitions with pending
        offsets get UNSTABLE_OFFSET_COMMIT. Otherwise ``fetched`` is called now, or once all transactions that have
        ended by now are worked off. All offsets of a group are looked up after that, some at a time; with
        ``require_stable``, UNSTABLE_OFFSET_COMMIT is also for what was changed meanwhile and is not committed yet.
        """
        call = partial(self._fetch_now, group_id, topics, fetched, require_stable)
        can_come_again = topics is not None and require_stable
        if self._pending.has_ended and not can_come_again and self.has_pending(group_id):
            # What is committed has to be seen, and who asks like this cannot be told to come again.
            self._waiting.append((self._pending.ended, call))
        else:
            call()

    def _fetch_now(
        self,
        group_id: str,
        topics: Sequence[TopicPartitions] | None,
        fetched: OffsetsFetched,
        require_stable: bool,
    ) -> None:
        if self._is_over:
            fetched(ErrorCode.NOT_COORDINATOR, ())
        elif topics is None:
            every = self._all(group_id, is_stable=require_stable)
            if require_stable:
                self._when_settled(lambda code: fetched(code, every if code is ErrorCode.NONE else ()))
            else:
                fetched(ErrorCode.NONE, every)
        elif require_stable:
            found = self._fetch(group_id, topics, {}, is_stable=True)
            self._when_settled(lambda code: fetched(code, found if code is ErrorCode.NONE else ()))
        else:
            before = self._committed_before(group_id)
            fetched(ErrorCode.NONE, self._fetch(group_id, topics, before, is_stable=False))

    def _committed_before(self, group_id: str) -> Mapping[tuple[str, int], OffsetAndMetadata | None]:
        """What is committed for the partitions of a group of which the table says something else."""
        self._uncommitted.commit(self._log.high_watermark)
        return self._uncommitted.before(group_id)

    def _fetch(
        self,
        group_id: str,
        topics: Sequence[TopicPartitions],
        before: Mapping[tuple[str, int], OffsetAndMetadata | None],
        *,
        is_stable: bool,
    ) -> list[FetchedTopic]:
        """What there is, except for the partitions in ``before``, of which that is taken."""
        latest = self._offsets.of_group(group_id)
        found = []
        for topic in topics:
            of_topic = latest.get(topic.topic, {})
            partitions = []
            for partition in topic.partitions:
                if is_stable and self._open.has(group_id, topic.topic, partition):
                    code = ErrorCode.UNSTABLE_OFFSET_COMMIT
                    partitions.append(FetchedPartition(partition=partition, code=code))
                    continue
                key = topic.topic, partition
                entry = before[key] if key in before else of_topic.get(partition)
                partitions.append(_fetched(partition, entry, topic.topic_id))
            found.append(
                FetchedTopic(topic=topic.topic, topic_id=topic.topic_id, partitions=tuple(partitions))
            )
        return found

    def _all(self, group_id: str, *, is_stable: bool) -> Iterator[FetchedTopic]:
        """All offsets of a group, `OFFSETS_READ_AT_ONCE` of a topic at most; each part is looked up when its turn
        comes. Raises OffsetsGoneError if another broker has the group then."""
        before = self._committed_before(group_id)
        changing: dict[str, list[int]] = {}
        for topic, index in before:
            changing.setdefault(topic, []).append(index)
        if self._is_over:
            raise OffsetsGoneError
        topics = tuple(self._offsets.of_group(group_id))
        gone = [topic for topic in changing if topic not in self._offsets.of_group(group_id)]
        for topic in chain(topics, gone):
            of_topic = self._offsets.of_group(group_id).get(topic, {})
            rest = iter(tuple(dict.fromkeys((*of_topic, *changing.get(topic, ())))))
            while part := tuple(islice(rest, OFFSETS_READ_AT_ONCE)):
                if self._is_over:
                    raise OffsetsGoneError
                before = self._committed_before(group_id)
                partitions = [
                    each
                    for index in part
                    if (each := self._one_of_all(group_id, topic, index, before, is_stable)) is not None
                ]
                if partitions:
                    yield FetchedTopic(topic=topic, topic_id=ZERO_UUID, partitions=tuple(partitions))

    def _one_of_all(
        self,
        group_id: str,
        topic: str,
        partition: int,
        before: Mapping[tuple[str, int], OffsetAndMetadata | None],
        is_stable: bool,
    ) -> FetchedPartition | None:
        """What is said of a partition if all of a group are asked for; None if it has no offset."""
        is_changing = (topic, partition) in before
        entry = before[topic, partition] if is_changing else self._offsets.get(group_id, topic, partition)
        if is_stable and (is_changing or (entry is not None and self._open.has(group_id, topic, partition))):
            return FetchedPartition(partition=partition, code=ErrorCode.UNSTABLE_OFFSET_COMMIT)
        return None if entry is None else _fetched(partition, entry, ZERO_UUID)

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
                if code is ErrorCode.NONE and self._has(group_id, each.topic, partition):
                    gone[each.topic, partition] = None
        self._append([Record(_key(group_id, topic, partition), None) for topic, partition in gone])
        self._metrics.offset_deletions += len(gone)
        self._when_settled(lambda code: deleted(code, results if code is ErrorCode.NONE else ()))

    def delete_group(
        self, group_id: str, deleted: Callable[[ErrorCode], None], *, last: Sequence[Record] = ()
    ) -> None:
        """Delete all offsets of a group, pending ones too, in one batch. ``deleted`` is called now or later.

        ``last`` are records of the caller that say that the group is no more. They are behind the others, and the
        caller replays them. Raises CoordinatorError, after which nothing has changed.
        """
        self._append([Record(_key(group_id, *each), None) for each in self._partitions(group_id)], last)
        self._when_settled(deleted)

    def is_deleted_at_once(self, group_id: str) -> bool:
        """Whether all offsets of a group can be deleted in one batch and one turn."""
        count = self.count(group_id) + self._open.count(group_id)
        if not 0 < count <= OFFSETS_AT_ONCE:
            return count == 0
        size = sum(_tombstone_bytes(group_id, topic) for topic, _ in self._partitions(group_id))
        return size + OTHER_BYTES <= self._log.max_batch_bytes

    def delete_some(self, group_id: str) -> None:
        """Delete as many offsets of a group as one turn may delete. Raises CoordinatorError; part of them may be
        deleted then."""
        some = list(islice(self._partitions(group_id), OFFSETS_AT_ONCE))
        for batch in self._batches([Record(_key(group_id, *each), None) for each in some]):
            self._append(batch)

    def _partitions(self, group_id: str) -> Iterator[tuple[str, int]]:
        """The partitions for which a group has an offset, or a pending one. Valid until the next change."""
        of_group = self._offsets.of_group(group_id)
        for topic, of_topic in of_group.items():
            for partition in of_topic:
                yield topic, partition
        for topic, partition in self._open.of_group(group_id):
            if partition not in of_group.get(topic, ()):
                yield topic, partition

    def unload(self) -> None:
        """Another broker has these groups now: free the offsets, some at a time."""
        tables = [self._offsets, *self._pending.let_go()]
        self._offsets = OffsetTable()
        self._is_over = True
        while self._waiting:
            self._waiting.popleft()[1]()

        def free_some() -> None:
            most = FREED_AT_ONCE
            while tables and (most := tables[-1].let_go(most)) > 0:
                tables.pop()
                # An empty one takes its time, too.
                most -= 1
            if tables:
                self._surroundings.call_at(self._surroundings.now_ms() + 1, free_some)

        free_some()

    def groups(self) -> list[str]:
        """All groups that have an offset, or a pending one."""
        return list(dict.fromkeys([*self._offsets.groups(), *self._open.groups()]))

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
            self._append(batch)
        return len(gone)

    def _of_topics(self, group_id: str, ids: Mapping[str, set[bytes]]) -> dict[tuple[str, int], None]:
        """The partitions of a group with an offset, or a pending one, of topics with these names and ids, at most
        `GONE_AT_ONCE`."""
        found: dict[tuple[str, int], None] = {}
        of_group = self._offsets.of_group(group_id)
        for topic in sorted(of_group.keys() & ids.keys()):
            for partition, entry in of_group[topic].items():
                if entry.topic_id in ids[topic]:
                    found[topic, partition] = None
                    if len(found) == GONE_AT_ONCE:
                        return found
        for topic, partition in self._open.of_group(group_id):
            for pending in self._pending.of_partition(group_id, topic, partition):
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
        if not self.count(group_id):
            return not self.has_pending(group_id)
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
            and not self._open.has(group_id, topic, partition)
        )
        gone = list(islice(expired, GONE_AT_ONCE))
        if (following := next(rest, None)) is not None:
            self._expiring = group_id, (following,), rest
        for batch in self._batches(gone):
            self._append(batch)
            self._metrics.offsets_expired += len(batch)
        return not self.count(group_id) and not self.has_pending(group_id)

    def is_expiring(self, group_id: str) -> bool:
        """Whether `expire` has not looked at all offsets of a group yet."""
        return self._expiring is not None and self._expiring[0] == group_id

    def _each(self, group_id: str) -> Iterator[_Offset]:
        """The offsets of a group, each as it is when its turn comes; they may change meanwhile."""
        for topic in tuple(self._offsets.of_group(group_id)):
            for partition in tuple(self._offsets.of_group(group_id).get(topic, ())):
                entry = self._offsets.get(group_id, topic, partition)
                if entry is not None:
                    yield topic, partition, entry

    def _has(self, group_id: str, topic: str, partition: int) -> bool:
        """Whether there is an offset, or a pending one."""
        if self._open.has(group_id, topic, partition):
            return True
        return self._offsets.get(group_id, topic, partition) is not None

    # -- the log -------------------------------------------------------------------------------------------------

    def replay(
        self,
        key: OffsetCommitKey | LegacyOffsetCommitKey,
        value: OffsetCommitValue | LegacyOffsetCommitValue | None,
        offset: int,
        producer_id: int = NO_PRODUCER_ID,
    ) -> None:
        """Take over a record that is at an offset of the log. ``producer_id`` is that of a transactional batch."""
        where = key.group, key.topic, key.partition
        self._end_offset = offset + 1
        if value is None:
            before = self._offsets.remove(*where)
            self._pending.remove(*where)
        else:
            entry = _entry(value, offset)
            if producer_id != NO_PRODUCER_ID:
                self._pending.put(*where, entry, producer_id)
                return
            before = self._offsets.put(*where, entry)
        if offset >= self._log.high_watermark:
            self._uncommitted.add(offset, *where, before)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        """A marker at an offset of the log ends a producer's transaction: commit its pending offsets, or drop them. If
        they are many, this goes on after it returns."""
        self._end_offset = offset + 1
        is_under_way = self._pending.has_ended
        self._pending.end(producer_id, is_commit=is_commit, offset=offset)
        if not is_under_way:
            self._end_some()

    def _end_some(self) -> None:
        self._end(ENDED_AT_ONCE)
        while self._waiting and self._waiting[0][0] <= self._pending.worked_off:
            # Not now: very many may wait, and the node ends a turn between two calls.
            self._surroundings.call_at(self._surroundings.now_ms(), self._waiting.popleft()[1])
        if self._pending.has_ended:
            self._surroundings.call_at(self._surroundings.now_ms() + 1, self._end_some)

    def _end(self, most: int) -> None:
        """Take over the pending offsets of transactions that have ended, or drop them; at most so many."""
        for ended, group_id, topic, partition, entry in self._pending.take(most):
            if not ended.is_commit:
                continue
            known = self._offsets.get(group_id, topic, partition)
            # A plain commit between the pending one and the marker is the newer one.
            if known is None or known.record_offset < entry.record_offset:
                self._offsets.put(group_id, topic, partition, entry)
                if ended.offset >= self._log.high_watermark:
                    self._uncommitted.add(ended.offset, group_id, topic, partition, known)

    def _batches(self, tombstones: Sequence[Record]) -> Iterator[Sequence[Record]]:
        """Tombstones of offsets, in batches that the log takes."""
        limit = self._log.max_batch_bytes - BATCH_HEADER_BYTES
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

    def _append(self, records: Sequence[Record], others: Sequence[Record] = ()) -> None:
        """Append records in one batch, with others that are not of offsets behind them, and replay them."""
        if records or others:
            end_offset = self._log.append([*records, *others])
            self._replay_all(records, end_offset - len(others))
            self._end_offset = end_offset

    def _replay_all(
        self, records: Sequence[Record], end_offset: int, producer_id: int = NO_PRODUCER_ID
    ) -> None:
        """Replay own records, which end at an offset."""
        self._uncommitted.commit(self._log.high_watermark)
        for offset, record in enumerate(records, end_offset - len(records)):
            assert isinstance(record.key, OffsetCommitKey), "own records have these keys"
            assert record.value is None or isinstance(record.value, OffsetCommitValue), "and these values"
            self.replay(record.key, record.value, offset, producer_id)

    def _when_settled(self, call: Callable[[ErrorCode], None]) -> None:
        """Call ``call`` with NONE when all records up to now are committed."""
        if self._end_offset <= self._log.high_watermark:
            call(ErrorCode.NONE)
        else:
            self._log.when_committed(self._end_offset, call)


def _key(group_id: str, topic: str, partition: int) -> OffsetCommitKey:
    return OffsetCommitKey(group=group_id, topic=topic, partition=partition)


def _entry(value: OffsetCommitValue | LegacyOffsetCommitValue, offset: int) -> OffsetAndMetadata:
    if isinstance(value, LegacyOffsetCommitValue):
        return OffsetAndMetadata(
            offset=value.offset,
            metadata=value.metadata,
            commit_timestamp_ms=value.commit_timestamp,
            record_offset=offset,
        )
    return OffsetAndMetadata(
        offset=value.offset,
        leader_epoch=value.leader_epoch,
        metadata=value.metadata,
        commit_timestamp_ms=value.commit_timestamp,
        expire_timestamp_ms=value.expire_timestamp,
        topic_id=value.topic_id,
        record_offset=offset,
    )


def _fetched(partition: int, entry: OffsetAndMetadata | None, topic_id: bytes) -> FetchedPartition:
    if entry is None or (ZERO_UUID not in (entry.topic_id, topic_id) and entry.topic_id != topic_id):
        return FetchedPartition(partition=partition)
    return FetchedPartition(
        partition=partition,
        committed_offset=entry.offset,
        committed_leader_epoch=entry.leader_epoch,
        metadata=entry.metadata,
    )


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
