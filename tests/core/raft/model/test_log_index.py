"""Epochs and offsets of a log, checked against a list of every record's epoch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.base.types import OffsetAndEpoch
from kafkaproto_server.core.raft.model.log_index import Diverging, LogIndex, NeedsSnapshot
from kafkaproto_server.core.raft.values.epoch_start import EpochStart


def log_index(
    *epoch_starts: tuple[int, int], start: int = 0, end: int = 0, snapshots: tuple[OffsetAndEpoch, ...] = ()
) -> LogIndex:
    return LogIndex(
        start_offset=start,
        end_offset=end,
        epoch_starts=[EpochStart(epoch=epoch, start_offset=offset) for epoch, offset in epoch_starts],
        snapshots=[(snapshot, 100) for snapshot in snapshots],
    )


def at(offset: int, epoch: int) -> OffsetAndEpoch:
    return OffsetAndEpoch(offset=offset, epoch=epoch)


def test_last_epoch_is_that_of_the_last_record_then_of_the_snapshot_then_0() -> None:
    assert log_index((2, 5), (4, 12), start=5, end=15, snapshots=(at(10, 3),)).last_epoch == 4
    assert log_index(start=10, end=10, snapshots=(at(10, 3),)).last_epoch == 3
    assert log_index().last_epoch == 0


def test_an_epoch_older_than_the_log_ends_where_the_log_begins() -> None:
    assert log_index((2, 5), start=5, end=8, snapshots=(at(6, 2),)).end_offset_for_epoch(1) == at(5, 1)
    assert log_index((2, 0), end=8).end_offset_for_epoch(0) == at(0, 0)


def test_an_epoch_that_ended_with_the_oldest_snapshot_is_that_snapshot() -> None:
    assert log_index((5, 7), start=7, end=9, snapshots=(at(7, 3),)).end_offset_for_epoch(3) == at(7, 3)
    assert log_index((5, 7), start=7, end=9, snapshots=(at(7, 3),)).end_offset_for_epoch(4) == at(7, 3)


def test_the_end_of_an_empty_log() -> None:
    assert log_index().end_offset_for_epoch(7) == at(0, 0)
    assert log_index(start=10, end=10, snapshots=(at(10, 3),)).end_offset_for_epoch(7) == at(10, 3)


records = st.lists(st.integers(1, 12), min_size=1, max_size=30).map(sorted)


def index_of(epochs: list[int], at_opening: int = 99) -> LogIndex:
    """The log whose record at each offset has that epoch; the first ``at_opening`` are recovered, others appended."""
    recovered = epochs[:at_opening]
    starts = [(epoch, recovered.index(epoch)) for epoch in dict.fromkeys(recovered)]
    index = log_index(*starts, end=len(recovered))
    for offset, epoch in list(enumerate(epochs))[at_opening:]:
        index.append(epoch=epoch, base_offset=offset, next_offset=offset + 1)
    return index


@given(epochs=records, asked=st.integers(0, 13), at_opening=st.integers(0, 30))
def test_end_offset_for_epoch_equals_a_walk_over_all_records(
    epochs: list[int], asked: int, at_opening: int
) -> None:
    index = index_of(epochs, at_opening)
    older = [offset for offset, epoch in enumerate(epochs) if epoch <= asked]
    assert index.end_offset_for_epoch(asked) == (
        at(older[-1] + 1, epochs[older[-1]]) if older else at(0, asked)
    )
    assert index.end == at(len(epochs), epochs[-1])


@given(leader=records, follower=records)
def test_by_the_leaders_responses_a_follower_cuts_its_log_to_what_both_have(
    leader: list[int], follower: list[int]
) -> None:
    """Two logs agree up to an offset if the epochs of the records before it do, as one leader wrote each epoch. After
    they part they share no epoch, and the leader's own is later than all."""
    leader = [*leader, 13]
    common = next(
        (offset for offset, pair in enumerate(zip(leader, follower, strict=False)) if pair[0] != pair[1]),
        min(len(leader), len(follower)),
    )
    forked = [*follower[:common], *(epoch for epoch in follower[common:] if epoch not in leader[common:])]
    serving, fetching = index_of(leader), index_of(forked) if forked else log_index()
    for _ in range(60):
        verdict = serving.validate(fetching.end_offset, fetching.last_epoch)
        if verdict is None:
            break
        assert isinstance(verdict, Diverging)
        cut = fetching.truncation_offset(verdict.end)
        assert cut < fetching.end_offset
        fetching.truncate_to(cut)
    assert forked[: fetching.end_offset] == leader[: fetching.end_offset]


@given(epochs=records, cuts=st.lists(st.integers(0, 30), max_size=4))
def test_truncation_leaves_the_log_of_the_records_that_stay(epochs: list[int], cuts: list[int]) -> None:
    index = index_of(epochs)
    for cut in sorted((cut for cut in cuts if cut <= len(epochs)), reverse=True):
        index.truncate_to(cut)
        kept = epochs[:cut]
        assert index.end == at(cut, kept[-1] if kept else 0)
        for asked in range(14):
            older = [offset for offset, epoch in enumerate(kept) if epoch <= asked]
            expected = at(older[-1] + 1, kept[older[-1]]) if older else at(0, asked if kept else 0)
            assert index.end_offset_for_epoch(asked) == expected


@given(epochs=records, moves=st.lists(st.integers(1, 30), max_size=3))
def test_a_moved_start_leaves_the_log_of_the_records_that_stay(epochs: list[int], moves: list[int]) -> None:
    index = index_of(epochs)
    for start in sorted(move for move in set(moves) if move <= len(epochs)):
        index.add_snapshot(at(start, epochs[start - 1]), 10)
        index.move_start(start)
        kept = epochs[start:]
        assert index.start_offset == start
        assert index.earliest_snapshot == index.latest_snapshot == at(start, epochs[start - 1])
        assert index.end == at(len(epochs), kept[-1] if kept else epochs[start - 1])
        # Who has all up to the snapshot's end goes on from there.
        assert index.validate(start, epochs[start - 1]) is None
        assert isinstance(index.validate(start - 1, epochs[start - 1]), NeedsSnapshot)
        for offset in range(start + 1, len(epochs) + 1):
            assert index.validate(offset, epochs[offset - 1]) is None


def test_an_older_snapshot_than_the_start_leads_nobody_there() -> None:
    index = log_index((4, 152), start=152, end=153, snapshots=(at(59, 1), at(152, 3)))
    assert index.validate(152, 3) is None
    assert index.snapshot_size(at(59, 1)) is None
    assert index.validate(100, 1) == NeedsSnapshot(snapshot=at(152, 3))


def test_an_installed_snapshot_replaces_the_log_and_older_snapshots() -> None:
    index = log_index((1, 0), end=60, snapshots=(at(50, 1),))
    index.install(at(80, 3), 7)
    assert (index.start_offset, index.end) == (80, at(80, 3))
    assert index.earliest_snapshot == at(80, 3)
    assert index.snapshot_size(at(80, 3)) == 7
    index.append(epoch=4, base_offset=80, next_offset=85)
    index.append(epoch=5, base_offset=85, next_offset=90)
    assert index.end_offset_for_epoch(4) == at(85, 4)


@pytest.mark.parametrize("epoch", [0, 1, 2, 3])
def test_who_has_nothing_begins_with_the_newest_snapshot_if_there_is_one(epoch: int) -> None:
    index = log_index((1, 0), (2, 30), end=60, snapshots=(at(20, 1), at(40, 2)))
    assert index.validate(0, epoch) == NeedsSnapshot(snapshot=at(40, 2))
    assert log_index((1, 0), (2, 30), end=60).validate(0, epoch) is None


def test_a_snapshot_or_a_cleaning_that_was_overtaken_by_an_installed_one_is_of_no_use() -> None:
    index = log_index((1, 0), end=60)
    index.install(at(80, 3), 7)
    index.add_snapshot(at(40, 1), 5)
    index.add_snapshot(at(80, 2), 5)
    index.move_start(40)
    assert (index.start_offset, index.earliest_snapshot, index.latest_snapshot) == (80, at(80, 3), at(80, 3))


def test_a_start_moved_to_a_snapshot_keeps_later_ones() -> None:
    index = log_index((1, 0), (2, 30), end=60, snapshots=(at(20, 1), at(40, 2)))
    index.move_start(20)
    assert (index.earliest_snapshot, index.latest_snapshot) == (at(20, 1), at(40, 2))
    assert index.end_offset_for_epoch(1) == at(30, 1)


def test_appends_are_continuous() -> None:
    index = log_index((3, 0), end=5)
    with pytest.raises(AssertionError, match="append at 6 to a log that ends at 5"):
        index.append(epoch=3, base_offset=6, next_offset=7)
    with pytest.raises(AssertionError, match="append of no records at 5"):
        index.append(epoch=3, base_offset=5, next_offset=5)
    with pytest.raises(AssertionError, match="append in epoch 2 to a log in epoch 3"):
        index.append(epoch=2, base_offset=5, next_offset=6)


def test_what_is_not_there_cannot_be_cut_moved_to_or_snapshot() -> None:
    index = log_index((3, 0), end=5)
    with pytest.raises(AssertionError, match="truncation to 6 of a log from 0 to 5"):
        index.truncate_to(6)
    with pytest.raises(AssertionError, match="a snapshot to offset 6 of a log that ends at 5"):
        index.add_snapshot(at(6, 3), 1)
    with pytest.raises(AssertionError, match="start moves to 6 in a log that ends at 5"):
        index.move_start(6)
    with pytest.raises(AssertionError, match="log starts at 4, and no snapshot reaches that far"):
        index.move_start(4)


@pytest.mark.parametrize(
    ("starts", "start", "end", "snapshots", "complaint"),
    [
        ([], 5, 4, (), "log starts at 5 and ends at 4"),
        ([], -1, 4, (), "log starts at -1 and ends at 4"),
        ([(2, 0), (1, 3)], 0, 9, (), "epochs .* do not ascend"),
        ([(1, 3), (2, 3)], 0, 9, (), "start offsets of epochs .* do not ascend"),
        ([(1, 0), (2, 9)], 0, 9, (), "epoch 2 starts at 9, but the log ends at 9"),
        ([(1, 5)], 5, 9, (at(4, 1),), "log starts at 5, and no snapshot reaches that far"),
        ([(1, 0)], 0, 9, (at(4, 1), at(3, 1)), "end offsets of snapshots .* do not ascend"),
    ],
)
def test_findings_that_contradict_each_other_stop_the_process(
    starts: list[tuple[int, int]], start: int, end: int, snapshots: tuple[OffsetAndEpoch, ...], complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        log_index(*starts, start=start, end=end, snapshots=snapshots)
