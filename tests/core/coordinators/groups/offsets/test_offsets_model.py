"""Committed offsets against a plain model, through commits, transactions, deletions, expiry, replication and failover.

The model keeps a list of what should be in the log. From the whole list it says what is committed at an offset: of the
records of a partition after its last tombstone, the last one that is plain or whose transaction was committed.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.groups.offsets.expiration import Expiration
from kafkaproto_server.requests.offset_requests import OffsetCommitPartition, TopicPartitions
from tests.core.coordinators.support.offsets import (
    METADATA_MAX,
    RETENTION_MS,
    UNSTABLE,
    Fetched,
    Offsets,
    Seen,
    Told,
)

GROUPS = ("g", "h")
TOPICS = ("t", "u")
PARTITIONS = (0, 1)
IDS = (bytes(16), b"\1" * 16, b"\2" * 16)
PRODUCERS = (1, 2)

Key = tuple[str, str, int]


class Put(NamedTuple):
    """A commit."""

    offset: int
    key: Key
    producer_id: int | None
    visible: tuple[int, int, str]
    committed_ms: int
    expires_ms: int | None
    topic_id: bytes


class Tombstone(NamedTuple):
    """A deletion."""

    offset: int
    key: Key


class End(NamedTuple):
    """A marker."""

    offset: int
    producer_id: int
    is_commit: bool


class Model:
    """What should be in the log."""

    def __init__(self) -> None:
        self.events: list[Put | Tombstone | End] = []

    def upto(self, end: int) -> list[Put | Tombstone | End]:
        return [event for event in self.events if event.offset < end]

    def puts(self, end: int) -> list[Put]:
        """The commits that no tombstone has removed."""
        events = self.upto(end)
        tombstones = {event.key: event.offset for event in events if isinstance(event, Tombstone)}
        return [
            event
            for event in events
            if isinstance(event, Put) and event.offset > tombstones.get(event.key, -1)
        ]

    def end_of(self, put: Put, end: int) -> End | None:
        """The end of the transaction of a commit."""
        for event in self.upto(end):
            if isinstance(event, End) and event.producer_id == put.producer_id and event.offset > put.offset:
                return event
        return None

    def committed(self, end: int) -> dict[Key, Put]:
        found = {}
        for put in self.puts(end):
            marker = None if put.producer_id is None else self.end_of(put, end)
            if put.producer_id is None or (marker is not None and marker.is_commit):
                found[put.key] = put
        return found

    def pending(self, end: int) -> dict[Key, list[Put]]:
        found: dict[Key, dict[int, Put]] = {}
        for put in self.puts(end):
            if put.producer_id is not None and self.end_of(put, end) is None:
                found.setdefault(put.key, {})[put.producer_id] = put
        return {key: list(puts.values()) for key, puts in found.items()}


def partitions() -> st.SearchStrategy[list[OffsetCommitPartition]]:
    return st.lists(
        st.builds(
            OffsetCommitPartition,
            topic=st.sampled_from(TOPICS),
            topic_id=st.sampled_from(IDS),
            partition=st.sampled_from(PARTITIONS),
            committed_offset=st.integers(0, 99),
            committed_leader_epoch=st.integers(-1, 3),
            committed_metadata=st.sampled_from([None, "", "m", "m" * METADATA_MAX, "m" * (METADATA_MAX + 1)]),
        ),
        min_size=1,
        max_size=3,
    )


groups = st.sampled_from(GROUPS)
producers = st.sampled_from(PRODUCERS)
subscriptions = st.sets(st.sampled_from(TOPICS), max_size=1)


class Comparison(RuleBasedStateMachine):
    """Both get the same requests, and have to say the same."""

    def __init__(self) -> None:
        super().__init__()
        self.offsets = Offsets(commits_at_once=False)
        self.model = Model()
        # Responses that wait: the log's end that they wait for, and what they should be.
        self.waiting: list[tuple[int, Told, list[ErrorCode]]] = []
        self.asked: list[tuple[int, Seen, Fetched | str]] = []

    @property
    def end(self) -> int:
        return len(self.model.events)

    @property
    def high_watermark(self) -> int:
        return self.offsets.log.high_watermark

    # -- requests

    def _put(
        self,
        group_id: str,
        committed: list[OffsetCommitPartition],
        producer_id: int | None,
        retention_ms: int | None,
    ) -> list[ErrorCode]:
        now_ms = self.offsets.world.wall_ms()
        results = []
        for each in committed:
            metadata = each.committed_metadata or ""
            if len(metadata) > METADATA_MAX:
                results.append(ErrorCode.OFFSET_METADATA_TOO_LARGE)
                continue
            results.append(ErrorCode.NONE)
            has_all = retention_ms is None
            epoch = each.committed_leader_epoch if has_all else -1
            self.model.events.append(
                Put(
                    offset=self.end,
                    key=(group_id, each.topic, each.partition),
                    producer_id=producer_id,
                    visible=(each.committed_offset, epoch, metadata),
                    committed_ms=now_ms,
                    expires_ms=None if retention_ms is None else now_ms + retention_ms,
                    topic_id=each.topic_id if has_all else IDS[0],
                )
            )
        return results

    @rule(
        group_id=groups,
        committed=partitions(),
        retention_ms=st.none() | st.integers(0, RETENTION_MS * 2),
    )
    def commit(self, group_id: str, committed: list[OffsetCommitPartition], retention_ms: int | None) -> None:
        if retention_ms is None:
            told = self.offsets.commit(group_id, *committed)
        else:
            told = self.offsets.commit(group_id, *committed, retention_ms=retention_ms)
        results = self._put(group_id, committed, None, retention_ms)
        self.waiting.append((self.end, told, results))

    @rule(group_id=groups, producer_id=producers, committed=partitions())
    def commit_in_transaction(
        self, group_id: str, producer_id: int, committed: list[OffsetCommitPartition]
    ) -> None:
        told = self.offsets.commit_in_transaction(producer_id, group_id, *committed)
        results = self._put(group_id, committed, producer_id, None)
        self.waiting.append((self.end, told, results))

    @rule(producer_id=producers, is_commit=st.booleans())
    def end_transaction(self, producer_id: int, is_commit: bool) -> None:
        self.offsets.end(producer_id, is_commit)
        self.model.events.append(End(self.end, producer_id, is_commit))

    def _delete(self, keys: list[Key]) -> None:
        for key in keys:
            self.model.events.append(Tombstone(self.end, key))

    def _keys(self) -> list[Key]:
        """All that has an offset or a pending one."""
        return sorted({*self.model.committed(self.end), *self.model.pending(self.end)})

    @rule(group_id=groups, topic=st.sampled_from(TOPICS), subscribed=subscriptions)
    def delete(self, group_id: str, topic: str, subscribed: set[str]) -> None:
        told = self.offsets.delete(group_id, topic, *PARTITIONS, is_subscribed=subscribed.__contains__)
        code = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if topic in subscribed else ErrorCode.NONE
        if topic not in subscribed:
            self._delete([key for key in self._keys() if key[:2] == (group_id, topic)])
        self.waiting.append((self.end, told, [code] * len(PARTITIONS)))

    @rule(group_id=groups)
    def delete_group(self, group_id: str) -> None:
        told = Told()
        self.offsets.manager.delete_group(group_id, told)
        self._delete([key for key in self._keys() if key[0] == group_id])
        self.waiting.append((self.end, told, []))

    @rule(topic=st.sampled_from(TOPICS), topic_id=st.sampled_from(IDS[1:]))
    def delete_topic(self, topic: str, topic_id: bytes) -> None:
        committed = self.model.committed(self.end)
        pending = self.model.pending(self.end)
        keys = [
            key
            for key in self._keys()
            if key[1] == topic
            and any(
                put.topic_id in (IDS[0], topic_id)
                for put in [*pending.get(key, []), *([committed[key]] if key in committed else [])]
            )
        ]
        manager = self.offsets.manager
        assert sum(
            manager.delete_topics([(topic, topic_id)], each) for each in manager.logged.groups()
        ) == len(keys)
        self._delete(keys)

    @rule(
        group_id=groups, empty_for_ms=st.none() | st.integers(0, RETENTION_MS * 2), subscribed=subscriptions
    )
    def expire(self, group_id: str, empty_for_ms: int | None, subscribed: set[str]) -> None:
        now_ms = self.offsets.world.wall_ms()
        since_ms = None if empty_for_ms is None else now_ms - empty_for_ms
        expiration = Expiration(empty_since_ms=since_ms, is_subscribed=subscribed.__contains__)
        is_empty = self.offsets.manager.expire(group_id, expiration)
        pending = self.model.pending(self.end)
        gone = []
        for key, put in self.model.committed(self.end).items():
            ends_ms = (put.committed_ms if since_ms is None else since_ms) + RETENTION_MS
            ends_ms = ends_ms if put.expires_ms is None else put.expires_ms
            if key[0] == group_id and key[1] not in subscribed and key not in pending and ends_ms <= now_ms:
                gone.append(key)
        self._delete(gone)
        assert is_empty is not any(key[0] == group_id for key in self._keys())

    @rule(group_id=groups, topic_id=st.sampled_from(IDS), is_stable=st.booleans())
    def fetch_by_topic_id(self, group_id: str, topic_id: bytes, is_stable: bool) -> None:
        end = self.end if is_stable else self.high_watermark
        topics = [TopicPartitions(topic=topic, topic_id=topic_id, partitions=PARTITIONS) for topic in TOPICS]
        seen = self.offsets.ask(group_id, topics, stable=is_stable)
        committed, pending = self.model.committed(end), self.model.pending(end)
        expected = {}
        for topic in TOPICS:
            for partition in PARTITIONS:
                key = group_id, topic, partition
                put = committed.get(key)
                expected[topic, partition] = (-1, -1, "")
                if is_stable and key in pending:
                    expected[topic, partition] = UNSTABLE
                elif put is not None and (put.topic_id in (IDS[0], topic_id) or topic_id == IDS[0]):
                    expected[topic, partition] = put.visible
        self.asked.append((end, seen, expected))

    # -- what happens meanwhile

    @rule(by_ms=st.integers(1, RETENTION_MS))
    def advance(self, by_ms: int) -> None:
        self.offsets.world.advance(by_ms)

    @rule(batches=st.integers(1, 3))
    def replicate(self, batches: int) -> None:
        self.offsets.log.commit(batches)

    @precondition(lambda self: self.waiting or self.asked)
    @rule()
    def give_up(self) -> None:
        self.offsets.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
        self._forget_waiting(ErrorCode.COORDINATOR_NOT_AVAILABLE)

    @rule()
    def fail_over_without_uncommitted(self) -> None:
        self.offsets.log.lose_uncommitted()
        self._forget_waiting(ErrorCode.NOT_COORDINATOR)
        self.model.events = self.model.upto(self.high_watermark)
        self.offsets.load()

    @rule()
    def fail_over_with_all(self) -> None:
        self.offsets.log.give_up(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        self._forget_waiting(ErrorCode.NOT_COORDINATOR)
        self.offsets.load()

    def _forget_waiting(self, code: ErrorCode) -> None:
        """Whoever waits is told a code."""
        for end, told, results in self.waiting:
            is_due = end <= self.high_watermark
            assert told.responses == [(ErrorCode.NONE, results) if is_due else (code, [])]
        for end, seen, expected in self.asked:
            is_due = end <= self.high_watermark
            assert (seen.code, seen.offsets) == ((ErrorCode.NONE, expected) if is_due else (code, {}))
        self.waiting, self.asked = [], []

    # -- what has to hold

    @invariant()
    def the_log_has_what_it_should(self) -> None:
        assert self.offsets.log.end_offset == self.end

    @invariant()
    def responses_are_in_time(self) -> None:
        for end, told, results in self.waiting:
            if end <= self.high_watermark:
                assert told.responses == [(ErrorCode.NONE, results)]
            else:
                assert told.responses == []
        for end, seen, expected in self.asked:
            if end > self.high_watermark:
                assert seen.code is None
            else:
                now = self._all_stable(expected) if isinstance(expected, str) else expected
                assert (seen.code, seen.offsets) == (ErrorCode.NONE, now)
        self.waiting = [each for each in self.waiting if each[0] > self.high_watermark]
        self.asked = [each for each in self.asked if each[0] > self.high_watermark]

    @invariant()
    def a_fetch_returns_what_is_committed_in_the_log(self) -> None:
        committed = self.model.committed(self.high_watermark)
        for group_id in GROUPS:
            expected = {key[1:]: put.visible for key, put in committed.items() if key[0] == group_id}
            assert self.offsets.fetch(group_id) == expected

    @invariant()
    def a_stable_fetch_returns_all_there_is(self) -> None:
        for group_id in GROUPS:
            seen = self.offsets.ask(group_id, stable=True)
            if seen.code is None:
                self.asked.append((self.end, seen, group_id))
            else:
                assert (seen.code, seen.offsets) == (ErrorCode.NONE, self._all_stable(group_id))

    def _all_stable(self, group_id: str) -> Fetched:
        """What a response says now of all partitions of a group: what is committed, if it will not change soon."""
        committed, pending = self.model.committed(self.high_watermark), self.model.pending(self.end)
        expected = {
            key[1:]: UNSTABLE if key in pending else put.visible
            for key, put in committed.items()
            if key[0] == group_id
        }
        changing = self.offsets.manager.logged._uncommitted.before(group_id)
        return expected | dict.fromkeys(changing, UNSTABLE)

    @invariant()
    def groups_are_counted(self) -> None:
        committed, pending = self.model.committed(self.end), self.model.pending(self.end)
        assert self.offsets.manager.logged.size == len(committed)
        # What is nobody's takes no memory.
        assert all(self.offsets.manager.logged._uncommitted._before.values())
        counts = Counter(key[0] for key in committed)
        assert self.offsets.manager.logged.table._counts == dict(counts)
        assert self.offsets.manager.logged.table._groups.keys() == counts.keys()
        assert self.offsets.manager.logged.open._groups.keys() == {key[0] for key in pending}
        assert self.offsets.manager.logged.pending._open.keys() == {
            put.producer_id for puts in pending.values() for put in puts
        }
        for group_id in GROUPS:
            count = sum(key[0] == group_id for key in committed)
            assert self.offsets.manager.logged.count(group_id) == count
            assert self.offsets.manager.logged.has_pending(group_id) is any(
                key[0] == group_id for key in pending
            )


Comparison.TestCase.settings = settings(stateful_step_count=60)
TestOffsetsAgainstTheModel = Comparison.TestCase
