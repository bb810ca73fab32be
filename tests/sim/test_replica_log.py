"""The simulated log: reading, cutting and comparing whole batches."""

from __future__ import annotations

import pytest

from kafkaproto_server.core.raft.values.effects import PendingBatch
from tests.sim.replica_log import LogBatch, ReplicaLog, log_batch


def batch(offset: int, count: int = 2, epoch: int = 1) -> LogBatch:
    records = tuple(b"record" for _ in range(count))
    return log_batch(PendingBatch(base_offset=offset, epoch=epoch, records=records), serial=offset)


def log(*batches: LogBatch) -> ReplicaLog:
    filled = ReplicaLog()
    for each in batches:
        filled.append(each)
    return filled


def test_read_gives_whole_batches_within_the_limits_and_one_at_least() -> None:
    batches = [batch(0), batch(2), batch(4)]
    filled = log(*batches)
    assert filled.read(0, 6, 1) == (batches[0],)
    assert filled.read(2, 6, 10_000) == (batches[1], batches[2])
    assert filled.read(0, 4, 10_000) == (batches[0], batches[1])
    assert filled.read(3, 6, 1) == (batches[1],)


def test_truncation_has_to_hit_a_boundary() -> None:
    filled = log(batch(0), batch(2))
    filled.truncate_to(2)
    assert filled.end_offset == 2
    with pytest.raises(AssertionError, match="inside of a batch"):
        filled.truncate_to(1)


def test_logs_agree_on_a_batch_only_if_it_is_the_same_one() -> None:
    mine, other = batch(0), batch(0)
    filled = log(mine)
    assert filled.holds(mine)
    assert not filled.holds(other)
    filled.append(batch(2))
    filled.move_start_to(2)
    assert filled.holds(other), "what was cut off at the start was committed, and is not compared"


def test_epoch_starts_are_those_of_the_batches_that_are_left() -> None:
    filled = log(batch(0, epoch=1), batch(2, epoch=4), batch(4, epoch=4))
    filled.move_start_to(4)
    assert [(start.epoch, start.start_offset) for start in filled.epoch_starts()] == [(4, 4)]
