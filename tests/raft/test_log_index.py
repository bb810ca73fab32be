"""Epochs and offsets of a log, checked against a list of every record's epoch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.raft.log_index import EpochStart, LogIndex
from server.types import OffsetAndEpoch


def log_index(
    *epoch_starts: tuple[int, int], start: int = 0, end: int = 0, snapshot: OffsetAndEpoch | None = None
) -> LogIndex:
    return LogIndex(
        start_offset=start,
        end_offset=end,
        epoch_starts=[EpochStart(epoch=epoch, start_offset=offset) for epoch, offset in epoch_starts],
        snapshot=snapshot,
    )


def test_last_epoch_is_that_of_the_last_record_then_of_the_snapshot_then_0() -> None:
    snapshot = OffsetAndEpoch(offset=10, epoch=3)
    assert log_index((2, 5), (4, 12), start=5, end=15, snapshot=snapshot).last_epoch == 4
    assert log_index(start=10, end=10, snapshot=snapshot).last_epoch == 3
    assert log_index().last_epoch == 0


def test_an_epoch_that_is_older_than_the_log_has_no_end() -> None:
    assert log_index((2, 5), start=5, end=8).end_offset_for_epoch(1) is None
    assert log_index().end_offset_for_epoch(7) is None


@given(
    epochs=st.lists(st.integers(0, 12), min_size=1, max_size=30).map(sorted),
    asked=st.integers(0, 13),
    at_opening=st.integers(0, 30),
)
def test_end_offset_for_epoch_equals_a_walk_over_all_records(
    epochs: list[int], asked: int, at_opening: int
) -> None:
    """``epochs`` has each record's epoch; the first ``at_opening`` records are recovered, the others appended."""
    recovered = epochs[:at_opening]
    starts = [(epoch, recovered.index(epoch)) for epoch in dict.fromkeys(recovered)]
    index = log_index(*starts, end=len(recovered))
    for offset, epoch in list(enumerate(epochs))[at_opening:]:
        index.append(epoch=epoch, base_offset=offset, next_offset=offset + 1)
    older = [offset for offset, epoch in enumerate(epochs) if epoch <= asked]
    expected = OffsetAndEpoch(epoch=epochs[older[-1]], offset=older[-1] + 1) if older else None
    assert index.end_offset_for_epoch(asked) == expected
    assert index.last_epoch == epochs[-1]
    assert index.end_offset == len(epochs)


def test_appends_are_continuous() -> None:
    index = log_index((3, 0), end=5)
    with pytest.raises(AssertionError, match="append at 6 to a log that ends at 5"):
        index.append(epoch=3, base_offset=6, next_offset=7)
    with pytest.raises(AssertionError, match="append of no records at 5"):
        index.append(epoch=3, base_offset=5, next_offset=5)
    with pytest.raises(AssertionError, match="append in epoch 2 to a log in epoch 3"):
        index.append(epoch=2, base_offset=5, next_offset=6)


@pytest.mark.parametrize(
    ("starts", "start", "end", "complaint"),
    [
        ([], 5, 4, "log starts at 5 and ends at 4"),
        ([], -1, 4, "log starts at -1 and ends at 4"),
        ([(2, 0), (1, 3)], 0, 9, "epochs .* do not ascend"),
        ([(1, 3), (2, 3)], 0, 9, "start offsets of epochs .* do not ascend"),
        ([(1, 0), (2, 9)], 0, 9, "epoch 2 starts at 9, but the log ends at 9"),
    ],
)
def test_findings_that_contradict_each_other_stop_the_process(
    starts: list[tuple[int, int]], start: int, end: int, complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        log_index(*starts, start=start, end=end)
