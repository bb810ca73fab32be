"""How a stream moves on: each offset once, a snapshot in place of what is gone, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.planning.progress import Available, StreamProgress, advance, contents, first
from kafkaproto_pipeline.sources.directories import InputError

AVAILABLE = Available(cluster_id="c", start=0, end=100, snapshots=())
SNAPSHOTS = (SnapshotId(epoch=1, end_offset=40), SnapshotId(epoch=2, end_offset=60))
LATER = replace(AVAILABLE, start=35, snapshots=SNAPSHOTS)


def step(
    start: StreamProgress,
    available: Available,
    *,
    takes_snapshot: bool = False,
    max_records: int | None = None,
) -> StreamProgress:
    return advance(start, available, takes_snapshot=takes_snapshot, max_records=max_records)


@given(
    moves=st.lists(
        st.tuples(st.integers(0, 30), st.booleans(), st.none() | st.integers(1, 9), st.booleans()),
        max_size=60,
    )
)
def test_each_offset_is_emitted_once_or_stood_for_by_a_snapshot(
    moves: list[tuple[int, bool, int | None, bool]],
) -> None:
    """The log grows, its start moves to a snapshot's end, the query restarts from its checkpoint at any time."""
    available = replace(AVAILABLE, end=0)
    start = first(available, "earliest", takes_snapshot=True)
    covered = 0
    for growth, moves_start, max_records, is_restarted in moves:
        available = replace(available, end=available.end + growth)
        if moves_start and available.end > available.start:
            snapshot = SnapshotId(epoch=1, end_offset=available.end - growth // 2)
            available = replace(available, start=snapshot.end_offset, snapshots=(snapshot,))
        end = step(start, available, takes_snapshot=True, max_records=max_records)
        if is_restarted:
            start, end = (StreamProgress.from_json(each.to_json()) for each in (start, end))
        snapshot_id, first_offset, last_offset = contents(start, end)
        if snapshot_id is not None:
            assert snapshot_id.end_offset > covered
            assert first_offset == last_offset == snapshot_id.end_offset
        else:
            assert first_offset == covered
            assert max_records is None or last_offset - first_offset <= max_records
        assert last_offset <= available.end
        assert last_offset >= covered
        covered, start = last_offset, end


def test_nothing_new_is_the_same_offset() -> None:
    start = StreamProgress(offset=100, epoch=3, cluster_id="c")
    assert step(start, AVAILABLE) is start
    ahead = StreamProgress(offset=120, epoch=3, cluster_id="c")
    assert step(ahead, AVAILABLE) is ahead
    after_snapshot = StreamProgress(offset=60, epoch=2, cluster_id="c", snapshot=SNAPSHOTS[1])
    assert step(after_snapshot, replace(LATER, end=60)) is after_snapshot
    assert contents(after_snapshot, after_snapshot) == (None, 60, 60)


def test_what_is_gone_is_an_error_or_a_snapshot() -> None:
    start = StreamProgress(offset=20, cluster_id="c")
    with pytest.raises(InputError, match=r"offsets 20 to 34 are not there any more.*'onMissingOffsets'"):
        step(start, LATER)
    end = step(start, LATER, takes_snapshot=True)
    assert end == StreamProgress(offset=60, epoch=2, cluster_id="c", snapshot=SNAPSHOTS[1])
    assert contents(start, end) == (SNAPSHOTS[1], 60, 60)
    following = step(end, LATER, takes_snapshot=True, max_records=15)
    assert following == StreamProgress(offset=75, cluster_id="c")
    assert contents(end, following) == (None, 60, 75)


def test_no_snapshot_may_stand_for_what_is_gone() -> None:
    start = StreamProgress(offset=20)
    with pytest.raises(InputError, match="no snapshot ends from there to offset 100"):
        step(start, replace(LATER, snapshots=SNAPSHOTS, start=70), takes_snapshot=True)
    # It has to be of committed records as far as that is known.
    end = step(start, replace(LATER, end=50), takes_snapshot=True)
    assert end.snapshot == SNAPSHOTS[0]


def test_where_a_stream_begins() -> None:
    assert first(LATER, "earliest", takes_snapshot=False).offset == 35
    assert first(LATER, "earliest", takes_snapshot=True).offset == 0
    assert first(LATER, "latest", takes_snapshot=True).offset == 100
    assert first(LATER, 47, takes_snapshot=True) == StreamProgress(offset=47, cluster_id="c")


def test_a_checkpoint_of_another_cluster_or_source_is_refused() -> None:
    with pytest.raises(InputError, match="the checkpoint is of cluster d, the source of c"):
        step(StreamProgress(offset=1, cluster_id="d"), AVAILABLE)
    for value in (
        {},
        {"offset": "1"},
        {"offset": True, "epoch": 1},
        {"offset": 1, "epoch": 1, "snapshotEndOffset": 5},
    ):
        with pytest.raises(InputError, match="the checkpoint's offset"):
            StreamProgress.from_json(value)


@given(
    offset=st.integers(0, 2**63 - 1),
    epoch=st.integers(-1, 2**31 - 1),
    cluster_id=st.none() | st.just("c"),
    snapshot=st.none() | st.just(SNAPSHOTS[0]),
)
def test_an_offset_survives_the_checkpoint(
    offset: int, epoch: int, cluster_id: str | None, snapshot: SnapshotId | None
) -> None:
    progress = StreamProgress(offset=offset, epoch=epoch, cluster_id=cluster_id, snapshot=snapshot)
    assert StreamProgress.from_json(progress.to_json()) == progress
