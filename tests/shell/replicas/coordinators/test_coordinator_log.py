"""A coordinator waits for commits: in any order, for so long, until its partition goes to another broker.

Tests: `shell.replicas.coordinators.coordinator_partitions`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import GroupMetadataKey, GroupMetadataValue, OffsetCommitKey, OffsetCommitValue
from kafkaproto.records.coordinator import encode_coordinator_record
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.core.coordinators.values import CoordinatorError, Record
from kafkaproto_server.core.log_state.producer_state_entry import ProducerRefused
from kafkaproto_server.core.replicas.partition import PartitionError
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import COMPRESSED_TO, PartitionLog

TIMEOUT_MS = 100
MAX_BATCH_BYTES = 10_000
COMMITTED, NOT_IN_TIME, GONE = ErrorCode.NONE, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR


@dataclass
class World:
    """A partition, and the time."""

    now: int = 0
    timers: list[tuple[int, Callable[[], None]]] = field(default_factory=list)
    told: list[tuple[str, ErrorCode]] = field(default_factory=list)
    times: Histogram = field(default_factory=Histogram)
    error: Exception | None = None
    codec: int = 0

    def __post_init__(self) -> None:
        limits = SimpleNamespace(max_message_bytes=MAX_BATCH_BYTES)
        self.partition = SimpleNamespace(topic_id=b"t" * 16, index=3, high_watermark=10, watchers={})
        self.log = PartitionLog(
            cast(Any, SimpleNamespace(partition=self.partition, settings=SimpleNamespace(incoming=limits))),
            cast(Any, SimpleNamespace(append_own=self.append_own)),
            cast(Any, SimpleNamespace(now_ms=lambda: self.now)),
            cast(Any, SimpleNamespace(add=lambda at_ms, call: self.timers.append((at_ms, call)))),
            lambda: TIMEOUT_MS,
            self.times,
            lambda: self.codec,
        )

    def append_own(self, *arguments: Any, **named: Any) -> int:
        if self.error is not None:
            raise self.error
        return 11

    def wait(self, name: str, end_offset: int) -> None:
        self.log.when_committed(end_offset, lambda code: self.told.append((name, code)))

    def commit(self, high_watermark: int) -> None:
        self.partition.high_watermark = high_watermark
        for watcher in tuple(self.partition.watchers):
            watcher.partition_changed(self.partition)

    def pass_time(self, ms: int = 0) -> None:
        """Call what is due."""
        self.now += ms
        while due := [each for each in self.timers if each[0] <= self.now]:
            self.timers.remove(due[0])
            due[0][1]()


@pytest.fixture
def world() -> World:
    return World()


def test_what_is_committed_already_is_told_at_once(world: World) -> None:
    world.wait("committed", 10)
    world.wait("not yet", 11)
    assert world.told == [("committed", COMMITTED)]


def test_the_coordinator_hears_of_a_commit_a_moment_later(world: World) -> None:
    for name, end_offset in (("a", 12), ("b", 14), ("earlier", 11), ("c", 14), ("between", 13)):
        world.wait(name, end_offset)
    world.commit(10)
    world.pass_time()
    assert world.told == []
    world.commit(13)
    assert world.told == []
    world.pass_time()
    assert world.told == [("earlier", COMMITTED), ("a", COMMITTED), ("between", COMMITTED)]
    world.now = 50
    world.commit(14)
    world.pass_time()
    assert world.told[3:] == [("b", COMMITTED), ("c", COMMITTED)]
    assert (world.times.count, world.times.sum_ms) == (5, 100)


def test_what_is_not_committed_in_time_is_told_so(world: World) -> None:
    world.wait("first", 20)
    world.pass_time(40)
    world.wait("second", 15)
    world.pass_time(TIMEOUT_MS - 41)
    assert world.told == []
    world.pass_time(1)
    assert world.told == [("first", NOT_IN_TIME)]
    world.pass_time(39)
    assert len(world.told) == 1
    world.pass_time(1)
    assert world.told[1:] == [("second", NOT_IN_TIME)]
    # Nobody waits, so that there is no timer.
    assert world.timers == []


def test_what_is_committed_at_the_end_of_its_time_counts_as_committed(world: World) -> None:
    world.wait("first", 20)
    world.partition.high_watermark = 20
    world.pass_time(TIMEOUT_MS)
    assert (world.told, world.timers) == ([("first", COMMITTED)], [])


def test_there_is_one_timer_for_all(world: World) -> None:
    for number in range(3):
        world.wait(str(number), 20)
        world.pass_time(10)
    assert [at_ms for at_ms, _ in world.timers] == [TIMEOUT_MS]
    world.commit(20)
    world.pass_time()
    world.wait("later", 30)
    assert [at_ms for at_ms, _ in world.timers] == [TIMEOUT_MS]
    world.pass_time(TIMEOUT_MS - 30)
    assert [at_ms for at_ms, _ in world.timers] == [30 + TIMEOUT_MS]


def test_at_the_end_all_that_wait_hear_of_it_and_nobody_waits_any_more(world: World) -> None:
    world.wait("first", 20)
    world.wait("second", 15)
    world.log.close()
    assert world.told == [("second", GONE), ("first", GONE)]
    assert world.partition.watchers == {}
    world.wait("late", 5)
    assert world.told[2:] == [("late", GONE)]
    world.pass_time(TIMEOUT_MS)
    assert len(world.told) == 3
    with pytest.raises(CoordinatorError) as found:
        world.log.append([])
    assert found.value.code == GONE


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER), ErrorCode.NOT_COORDINATOR),
        (ProducerRefused(ErrorCode.INVALID_PRODUCER_EPOCH, "fenced"), ErrorCode.INVALID_PRODUCER_EPOCH),
    ],
)
def test_a_coordinator_is_told_why_nothing_was_written(
    world: World, error: Exception, code: ErrorCode
) -> None:
    world.error = error
    with pytest.raises(CoordinatorError) as found:
        world.log.append_in_transaction([], producer_id=1, producer_epoch=2)
    assert found.value.code == code
    world.error = None
    assert world.log.append([]) == 11


def test_a_record_with_a_string_that_is_too_long_is_an_unknown_error(world: World) -> None:
    record = Record(OffsetCommitKey(group="g" * 32768, topic="t", partition=0), None)
    with pytest.raises(CoordinatorError) as found:
        world.log.append([record])
    assert found.value.code == ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The values that were encoded."""
    values: list[object] = []

    def note(key: Any, value: Any, version: int) -> Any:
        values.append(value)
        return encode_coordinator_record(key, value, version)

    monkeypatch.setattr(f"{PartitionLog.__module__}.encode_coordinator_record", note)
    return values


def offsets(count: int) -> list[Record]:
    """Commits, each of which has a little more than 1,000 bytes."""
    value = OffsetCommitValue(offset=1, metadata="m" * 1_000)
    return [Record(OffsetCommitKey(group="g", topic="t", partition=each), value, 4) for each in range(count)]


def test_no_more_is_encoded_than_fits_into_a_batch(world: World, encoded: list[object]) -> None:
    assert world.log.append(offsets(9)) == 11
    encoded.clear()
    for append in (
        world.log.append,
        lambda records: world.log.append_in_transaction(records, producer_id=1, producer_epoch=2),
    ):
        with pytest.raises(CoordinatorError) as found:
            append(offsets(4_000))
        assert found.value.code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert len(encoded) == 2 * 10


def test_what_is_compressed_may_be_larger(world: World, encoded: list[object]) -> None:
    world.codec = 4
    assert world.log.append(offsets(9 * COMPRESSED_TO)) == 11
    with pytest.raises(CoordinatorError):
        world.log.append(offsets(10 * COMPRESSED_TO))


def test_a_group_whose_members_have_sent_too_much_is_not_encoded(world: World, encoded: list[object]) -> None:
    def group(members: int) -> Record:
        member = GroupMetadataValue.MemberMetadata(
            member_id="m", client_id="c", client_host="h", subscription=bytes(600), assignment=bytes(500)
        )
        return Record(GroupMetadataKey(group="g"), GroupMetadataValue(members=[member] * members), 3)

    assert world.log.append([group(8)]) == 11
    encoded.clear()
    with pytest.raises(CoordinatorError) as found:
        world.log.append([group(10)])
    assert (found.value.code, encoded) == (ErrorCode.UNKNOWN_SERVER_ERROR, [])
