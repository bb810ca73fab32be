"""The simulated disk: what is durable when, and what a crash may leave."""

from __future__ import annotations

import random

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.values.effects import Effects, PendingBatch, TruncateLog, WriteElectionState
from kafkaproto_server.core.raft.values.election_state import ElectionState
from tests.sim.replica_disk import Entry, LogStep, ReplicaDisk
from tests.sim.replica_log import LogBatch, log_batch
from tests.sim.snapshots import SnapshotLibrary


def batch(offset: int, epoch: int = 1) -> LogBatch:
    return log_batch(PendingBatch(base_offset=offset, epoch=epoch, records=(b"record",)), serial=offset)


def disk() -> ReplicaDisk:
    return ReplicaDisk(b"directory", (), SnapshotLibrary())


def submit(
    target: ReplicaDisk, number: int, *steps: LogStep, epoch: int | None = None, sync: bool = True
) -> None:
    for step in steps:
        if isinstance(step, LogBatch):
            target.log.append(step)
        elif isinstance(step, TruncateLog):
            target.log.truncate_to(step.end_offset)
    write = None
    if epoch is not None:
        write = WriteElectionState(state=ElectionState(epoch=epoch), kraft_version=1, voter_ids=(1,))
    effects = Effects(number=number, election_state=write, must_sync=sync)
    target.submit(Entry(effects, list(steps)))


def test_readers_see_a_batch_before_it_is_durable() -> None:
    target = disk()
    first = batch(0)
    submit(target, 1, first)
    assert target.log.last is first
    assert not target.holds_durably(first)
    target.begin()
    target.finish()
    assert target.holds_durably(first)


def test_a_crash_before_the_disk_worked_loses_everything() -> None:
    target = disk()
    submit(target, 1, batch(0), epoch=3)
    target.crash(random.Random(1))
    assert target.log.end_offset == 0
    assert target.election is None


def test_a_crash_while_the_disk_works_keeps_a_prefix_and_no_later_election_state() -> None:
    seen = set()
    for seed in range(200):
        target = disk()
        submit(target, 1, batch(0), epoch=1)
        submit(target, 2, batch(1), batch(2), epoch=2)
        target.begin()
        target.crash(random.Random(seed))
        seen.add((target.log.end_offset, target.election.epoch if target.election else 0))
    assert {end for end, _ in seen} == {0, 1, 2, 3}
    assert {epoch for _, epoch in seen} == {0, 1, 2}
    assert (3, 0) not in seen
    assert (2, 0) not in seen


def test_an_observer_may_lose_what_was_written_and_never_synced() -> None:
    ends = set()
    for seed in range(50):
        target = disk()
        submit(target, 1, batch(0), sync=False)
        target.begin()
        target.finish()
        target.crash(random.Random(seed))
        ends.add(target.log.end_offset)
    assert ends == {0, 1}


def test_truncation_and_append_become_durable_in_order() -> None:
    target = disk()
    submit(target, 1, batch(0), batch(1))
    other = batch(1, epoch=2)
    submit(target, 2, TruncateLog(end_offset=1), other)
    target.begin()
    target.finish()
    assert target.durable.last is other
    opened = target.recover()
    assert [(start.epoch, start.start_offset) for start in opened.epoch_starts] == [(1, 0), (2, 1)]


def test_recovery_takes_a_snapshot_that_is_ahead_of_the_log() -> None:
    library = SnapshotLibrary()
    target = ReplicaDisk(b"directory", (), library)
    submit(target, 1, batch(0))
    target.begin()
    target.finish()
    target.store(library.write(OffsetAndEpoch(epoch=1, offset=7), 5, 0, None))
    opened = target.recover()
    assert (opened.log_start_offset, opened.log_end_offset) == (7, 7)
    assert opened.epoch_starts == ()
