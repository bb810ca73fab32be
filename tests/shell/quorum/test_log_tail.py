"""The end of the metadata log in memory: what is found there, what makes room, what a truncation takes along."""

from __future__ import annotations

import random

import pytest

from kafkaproto_server.shell.quorum.log_tail import MAX_DURABLE_BATCHES, LogTail, TailBatch


def batch(base_offset: int, next_offset: int, size: int = 10) -> TailBatch:
    return TailBatch(base_offset=base_offset, next_offset=next_offset, payload=bytes(size))


def offsets(found: list[TailBatch] | None) -> list[int] | None:
    return None if found is None else [each.base_offset for each in found]


def tail_of(*ends: int, start: int = 0, max_bytes: int = 1000) -> LogTail:
    """A tail with batches of 10 bytes that end at these offsets."""
    tail = LogTail(end_offset=start, max_bytes=max_bytes)
    for end in ends:
        tail.append(batch(tail.end_offset, end))
    return tail


def test_reading_starts_with_the_batch_that_holds_the_offset() -> None:
    tail = tail_of(3, 4, 8)
    assert offsets(tail.read(0, 8, 1000)) == [0, 3, 4]
    assert offsets(tail.read(2, 8, 1000)) == [0, 3, 4]
    assert offsets(tail.read(4, 8, 1000)) == [4]


def test_reading_ends_before_the_end_that_is_asked_for_and_at_the_size_that_is_asked_for() -> None:
    tail = tail_of(3, 4, 8)
    assert offsets(tail.read(0, 4, 1000)) == [0, 3]
    assert offsets(tail.read(0, 8, 20)) == [0, 3]
    assert offsets(tail.read(0, 8, 19)) == [0]


def test_the_first_batch_comes_whole_however_few_bytes_are_asked_for() -> None:
    assert offsets(tail_of(3, 4).read(0, 4, 0)) == [0]


def test_what_is_not_in_memory_is_not_answered() -> None:
    tail = tail_of(12, 14, start=10)
    assert tail.read(9, 14, 1000) is None
    assert tail.read(14, 14, 1000) is None
    assert LogTail(end_offset=5).read(5, 5, 1000) is None


def test_the_oldest_batches_make_room_and_the_newest_stays() -> None:
    tail = tail_of(1, 2, 3, 4, max_bytes=25)
    assert (tail.start_offset, tail.end_offset) == (2, 4)
    tail.append(batch(4, 5, size=500))
    assert (tail.start_offset, tail.end_offset) == (4, 5)
    assert offsets(tail.read(4, 5, 1)) == [4]


def test_many_small_batches_stay_until_they_are_durable() -> None:
    tail = LogTail(end_offset=0)
    for base_offset in range(MAX_DURABLE_BATCHES + 100):
        tail.append(batch(base_offset, base_offset + 1, size=1))
    assert tail.start_offset == 0
    tail.all_are_durable()
    assert (tail.start_offset, tail.end_offset) == (100, MAX_DURABLE_BATCHES + 100)
    assert tail.read(99, 200, 1000) is None
    assert offsets(tail.read(100, 102, 1000)) == [100, 101]


def test_what_was_dropped_as_durable_takes_no_room_any_more() -> None:
    tail = LogTail(end_offset=0, max_bytes=MAX_DURABLE_BATCHES + 1)
    for base_offset in range(MAX_DURABLE_BATCHES + 1):
        tail.append(batch(base_offset, base_offset + 1, size=1))
    tail.all_are_durable()
    tail.append(batch(tail.end_offset, tail.end_offset + 1, size=1))
    assert tail.start_offset == 1


def test_a_truncation_forgets_whole_batches() -> None:
    tail = tail_of(3, 4, 8)
    tail.truncate_to(4)
    assert tail.end_offset == 4
    assert offsets(tail.read(3, 8, 1000)) == [3]
    tail.append(batch(4, 6))
    assert offsets(tail.read(3, 6, 1000)) == [3, 4]
    with pytest.raises(AssertionError, match="inside of a batch"):
        tail.truncate_to(5)


def test_a_truncation_below_what_is_in_memory_leaves_nothing() -> None:
    tail = tail_of(12, 14, start=10)
    tail.truncate_to(7)
    assert (tail.start_offset, tail.end_offset) == (7, 7)
    tail.append(batch(7, 9))
    assert offsets(tail.read(7, 9, 1000)) == [7]


def test_a_new_start_forgets_everything() -> None:
    tail = tail_of(3, 4)
    tail.restart_at(100)
    assert (tail.start_offset, tail.end_offset) == (100, 100)


def test_a_batch_that_does_not_follow_is_our_own_mistake() -> None:
    with pytest.raises(AssertionError, match="does not follow 4"):
        tail_of(4).append(batch(5, 6))


def test_it_agrees_with_a_plain_list() -> None:
    rng = random.Random(4)
    tail = LogTail(end_offset=0, max_bytes=200)
    log: list[TailBatch] = []
    for _ in range(3000):
        end = log[-1].next_offset if log else 0
        if log and rng.random() < 0.05:
            cut = rng.choice(log[-5:])
            tail.truncate_to(cut.base_offset)
            log = [each for each in log if each.base_offset < cut.base_offset]
            continue
        log.append(batch(end, end + rng.randint(1, 4), size=rng.randint(1, 40)))
        tail.append(log[-1])
        offset = rng.randint(tail.start_offset, tail.end_offset - 1)
        until = rng.randint(offset, tail.end_offset)
        limit = rng.randint(0, 100)
        expected: list[TailBatch] = []
        for each in log:
            fits = not expected or sum(len(one.payload) for one in (*expected, each)) <= limit
            if each.next_offset > offset and each.base_offset < until:
                if not fits:
                    break
                expected.append(each)
        assert tail.read(offset, until, limit) == expected
