"""Leader epochs in memory."""

from __future__ import annotations

import pytest

from kafkaproto_server.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.types import OffsetAndEpoch


def test_an_epoch_is_noted_once() -> None:
    epochs = LeaderEpochs()
    assert epochs.latest is None
    assert epochs.assign(1, 0)
    assert not epochs.assign(1, 10)
    assert epochs.assign(3, 10)
    assert epochs.entries == ((1, 0), (3, 10))
    assert epochs.latest == 3


@pytest.mark.parametrize(("epoch", "start"), [(2, 20), (4, 10), (4, 5)])
def test_epochs_and_offsets_only_rise(epoch: int, start: int) -> None:
    epochs = LeaderEpochs([(1, 0), (3, 10)])
    with pytest.raises(AssertionError):
        epochs.assign(epoch, start)


@pytest.mark.parametrize(
    ("end", "left"),
    [(0, ()), (1, ((1, 0),)), (10, ((1, 0),)), (11, ((1, 0), (3, 10))), (99, ((1, 0), (3, 10)))],
)
def test_truncation_forgets_epochs_that_have_no_record_left(
    end: int, left: tuple[tuple[int, int], ...]
) -> None:
    epochs = LeaderEpochs([(1, 0), (3, 10)])
    assert epochs.truncate_to(end) == (len(left) < 2)
    assert epochs.entries == left


def test_where_an_epoch_ends_agrees_with_a_walk_through_every_offset() -> None:
    epochs = LeaderEpochs([(2, 5), (4, 8), (5, 9)])
    log_end = 12
    epoch_of = {5: 2, 6: 2, 7: 2, 8: 4, 9: 5, 10: 5, 11: 5}
    for offset in range(4, log_end):
        assert epochs.epoch_at(offset) == epoch_of.get(offset)
    for asked in range(7):
        at_or_below = [epoch for epoch in epoch_of.values() if epoch <= asked]
        end = 1 + max((offset for offset, epoch in epoch_of.items() if epoch <= asked), default=4)
        expected = OffsetAndEpoch(epoch=max(at_or_below, default=asked), offset=end)
        assert epochs.end_offset_for(asked, log_end) == (None if asked > 5 else expected), asked
    assert LeaderEpochs().end_offset_for(0, 0) is None


def test_an_epoch_that_begins_without_a_record_gives_way_to_the_next_one() -> None:
    epochs = LeaderEpochs([(1, 0)])
    assert epochs.begin(4, 10)
    assert epochs.begin(6, 10)
    assert [*epochs.entries] == [(1, 0), (6, 10)]
    for older in (5, 6):
        assert not epochs.begin(older, 12)
    assert epochs.begin(7, 12)
    assert [*epochs.entries] == [(1, 0), (6, 10), (7, 12)]


def test_a_batch_of_an_older_epoch_shows_that_newer_ones_have_no_records() -> None:
    """This replica led epochs 5 and 6 without a record. The leader of epoch 7 had a batch of epoch 4 at that offset."""
    epochs = LeaderEpochs([(1, 0)])
    assert epochs.begin(6, 10)
    assert epochs.begin(4, 10)
    assert [*epochs.entries] == [(1, 0), (4, 10)]
    assert not epochs.begin(4, 12)
    assert epochs.begin(7, 14)
    assert [*epochs.entries] == [(1, 0), (4, 10), (7, 14)]
    # An epoch that has records stays, whatever follows it.
    assert not epochs.begin(5, 16)
    assert [*epochs.entries] == [(1, 0), (4, 10), (7, 14)]
