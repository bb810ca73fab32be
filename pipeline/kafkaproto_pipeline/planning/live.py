"""What is read of a live quorum: a snapshot, or ranges of offsets of its log. Each is a separate piece of work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kafkaproto.records.batch import iterate_batches
from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.decoding.columns import snapshot_timestamp_ms
from kafkaproto_pipeline.options import AsOf, SourceOptions
from kafkaproto_pipeline.planning.files import LOG, SNAPSHOT, Filters
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_pipeline.sources.live_quorum import Address, Chunk, LiveQuorum, LiveState
from kafkaproto_pipeline.views.wanted import Origin

RANGE_OFFSETS = 200_000
"""Offsets that one task reads: some megabytes, which a leader sends in a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePiece:
    """The work of one task: a snapshot, or offsets of the log."""

    servers: tuple[Address, ...]
    origin: Origin
    snapshot: SnapshotId | None = None
    start_offset: int = 0
    end_offset: int = 0
    epoch: int = -1
    """Epoch of the record before the first offset; -1 if it is not known."""
    chunks: tuple[Chunk, ...] = ()
    """All its batches, if they were fetched when the piece was planned."""


def plan_live_batch(options: SourceOptions, filters: Filters) -> list[LivePiece]:
    """The pieces of a batch read. Raises InputError."""
    servers = options.bootstrap_controllers
    with LiveQuorum(servers) as quorum:
        state = quorum.state()
        if options.as_of is None:
            snapshot = state.snapshot if options.include_snapshots else None
            start, end, epoch = state.start, state.high_watermark, -1
        else:
            snapshot, start, end = _as_of(quorum, state, options.as_of)
            epoch = -1 if snapshot is None else snapshot.epoch
    if options.start_offset > state.high_watermark:
        raise InputError(
            f"option 'startOffset' is {options.start_offset}, and the quorum's log is committed before offset "
            f"{state.high_watermark}; allowed is {state.high_watermark} or less"
        )
    first = max(start, options.start_offset, filters.start_offset)
    last = min(each for each in (end, options.end_offset, filters.end_offset) if each is not None)
    pieces: list[LivePiece] = []
    if snapshot is not None and (filters.sources is None or SNAPSHOT in filters.sources):
        pieces.append(snapshot_piece(servers, state.cluster_id, snapshot))
    if filters.sources is None or LOG in filters.sources:
        pieces += log_pieces(servers, state.cluster_id, first, last, epoch if first == start else -1)
    # Rows of a live quorum have no node id.
    return pieces if filters.node_ids is None else []


def snapshot_piece(servers: Sequence[Address], cluster_id: str | None, snapshot: SnapshotId) -> LivePiece:
    """The piece that reads a snapshot."""
    return LivePiece(
        servers=tuple(servers),
        origin=_origin(servers, cluster_id, SNAPSHOT, snapshot),
        snapshot=snapshot,
    )


def log_pieces(
    servers: Sequence[Address], cluster_id: str | None, start: int, end: int, epoch: int
) -> list[LivePiece]:
    """The pieces that read a range of the log. ``epoch`` is that of the record before the range (-1: not known)."""
    origin = _origin(servers, cluster_id, LOG, None)
    return [
        LivePiece(
            servers=tuple(servers),
            origin=origin,
            start_offset=offset,
            end_offset=min(end, offset + RANGE_OFFSETS),
            epoch=epoch if offset == start else -1,
        )
        for offset in range(start, end, RANGE_OFFSETS)
    ]


def _origin(
    servers: Sequence[Address], cluster_id: str | None, source: str, snapshot: SnapshotId | None
) -> Origin:
    host, port = servers[0]
    return Origin(
        cluster_id=cluster_id,
        node_id=None,
        directory=f"kraft://{host}:{port}",
        directory_id=None,
        file=None,
        source=source,
        snapshot=None if snapshot is None else (snapshot.end_offset, snapshot.epoch),
    )


def _as_of(quorum: LiveQuorum, state: LiveState, as_of: AsOf) -> tuple[SnapshotId | None, int, int]:
    """What has to be replayed for the state at a point: at most one snapshot, and the log from one
    offset to another.
    """
    end = None if as_of.offset is None else as_of.offset + 1
    if as_of.offset is None and as_of.timestamp_ms is None:
        end = state.high_watermark
    if end is not None and end > state.high_watermark:
        raise InputError(
            f"option 'asOf' is {as_of.offset}, and the quorum's log is committed to {state.high_watermark - 1}"
        )
    snapshot = state.snapshot
    if snapshot is not None:
        too_late = end is not None and snapshot.end_offset > end
        if as_of.timestamp_ms is not None:
            time_ms = snapshot_timestamp_ms(quorum.read_snapshot(snapshot))
            too_late = time_ms is None or time_ms > as_of.timestamp_ms
        if too_late and state.start > 0:
            raise InputError(
                f"option 'asOf': the quorum's log begins at offset {state.start}, and its newest snapshot, of "
                f"offset {snapshot.end_offset - 1}, is later; a node's directory may hold older ones"
            )
        snapshot = None if too_late else snapshot
    start = 0 if snapshot is None else snapshot.end_offset
    if end is None:
        assert as_of.timestamp_ms is not None
        end = _first_after(quorum, start, state.high_watermark, as_of.timestamp_ms)
    return snapshot, start, end


def _first_after(quorum: LiveQuorum, start: int, end: int, timestamp_ms: int) -> int:
    for chunk in quorum.read(start, end):
        for batch in iterate_batches(chunk.data):
            if batch.max_timestamp > timestamp_ms:
                return max(batch.base_offset, start)
    return end
