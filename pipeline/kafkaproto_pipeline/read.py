"""Reads a piece of work into Arrow record batches. This is what a Spark task does.

The views of the state's tables have one piece of work, which is made of all others: they are replayed in their order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto.primitives import Buffer
from kafkaproto_pipeline.decoding.columns import decode, fault_rows
from kafkaproto_pipeline.decoding.replaying import Replaying
from kafkaproto_pipeline.inspection import Fault, inspect
from kafkaproto_pipeline.planning.files import PlannedPiece
from kafkaproto_pipeline.planning.lineages import describe
from kafkaproto_pipeline.planning.live import LivePiece
from kafkaproto_pipeline.sources.directories import InputError, open_file
from kafkaproto_pipeline.sources.live_quorum import LiveQuorum
from kafkaproto_pipeline.sources.survey import snapshot_faults
from kafkaproto_pipeline.views.state import as_view
from kafkaproto_pipeline.views.state_tables import table_batches
from kafkaproto_pipeline.views.wanted import CorruptInputError, Origin, Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPiece:
    """The work of one task: to replay these pieces in their order, a snapshot first."""

    pieces: tuple[PlannedPiece | LivePiece, ...]


def read_piece(piece: PlannedPiece | LivePiece | ReplayPiece, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    """The rows of a piece.

    Raises InputError, CorruptInputError in mode FAILFAST and for views of the state, and ValueError for view ``state``.
    """
    if isinstance(piece, ReplayPiece):
        return _tables(piece, wanted)

    def read(decoded: Wanted) -> Iterator[pa.RecordBatch]:
        return _rows(_parts(piece, decoded), piece.origin, decoded)

    return as_view(wanted, piece.origin, read)


def read_bytes(data: Buffer, origin: Origin, base_offset: int, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    """The rows of a whole segment or snapshot that is in memory. Raises as `read_piece` does."""
    view = memoryview(data)

    def at(position: int, size: int) -> bytes:
        return bytes(view[position : position + size])

    found = inspect(at, len(view), base_offset, has_epochs=origin.snapshot is None)
    faults = found.faults if origin.snapshot is None else snapshot_faults(found, at)
    piece = PlannedPiece(
        path="",
        position=0,
        end_position=found.end_position,
        next_offset=base_offset,
        origin=origin,
        faults=faults,
    )

    def read(decoded: Wanted) -> Iterator[pa.RecordBatch]:
        return _rows(_between_faults(piece, view, decoded), origin, decoded)

    return as_view(wanted, origin, read)


def _rows(parts: Iterator[_Part | Fault], origin: Origin, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    for part in parts:
        if isinstance(part, Fault):
            yield from fault_rows(part, origin, wanted)
            continue
        data, position, next_offset, wants = part
        yield from decode(
            data,
            position=position,
            origin=origin,
            wanted=wants,
            next_offset=next_offset,
            expects_more=False,
        )


def _tables(piece: ReplayPiece, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    replaying = Replaying()
    for each in piece.pieces:
        for part in _parts(each, wanted):
            if isinstance(part, Fault):
                raise CorruptInputError(
                    f"{each.origin.directory}/{describe(each.origin.file or 'log', part)}"
                )
            data, position, next_offset, wants = part
            replaying.take(
                data,
                position=position,
                origin=each.origin,
                wanted=wants,
                next_offset=next_offset,
            )
    yield from table_batches(
        wanted.view, replaying.image(), wanted.columns, shows_secrets=wanted.shows_secrets
    )


_Part = tuple[Buffer, int, int | None, Wanted]
"""Batches, their position in the file, the offset that the first of them must have (None: any), and what is wanted of
them.
"""


def _parts(piece: PlannedPiece | LivePiece, wanted: Wanted) -> Iterator[_Part | Fault]:
    return _of_live(piece, wanted) if isinstance(piece, LivePiece) else _of_file(piece, wanted)


def _of_file(piece: PlannedPiece, wanted: Wanted) -> Iterator[_Part | Fault]:
    """The whole batches, and the faults between them."""
    ends = [piece.end_offset]
    if wanted.committed_only and piece.origin.snapshot is None:
        ends.append(piece.committed_end)
    wanted = replace(
        wanted,
        start_offset=piece.start_offset,
        end_offset=min((end for end in ends if end is not None), default=None),
        committed_end=piece.committed_end,
    )
    yield from _between_faults(piece, memoryview(_bytes_of(piece)), wanted)


def _between_faults(piece: PlannedPiece, data: memoryview, wanted: Wanted) -> Iterator[_Part | Fault]:
    position, next_offset = piece.position, piece.next_offset
    for fault in piece.faults:
        before = min(max(fault.position, position), piece.end_position)
        if before > position:
            yield data[position - piece.position : before - piece.position], position, next_offset, wanted
            next_offset = None
        yield fault
        if fault.end_position > position:
            # What comes behind damage need not continue what is before it; the plan has checked that.
            position, next_offset = min(max(fault.end_position, position), piece.end_position), None
    if position < piece.end_position:
        yield data[position - piece.position :], position, next_offset, wanted


def _bytes_of(piece: PlannedPiece) -> bytes:
    """All bytes at once, because damage in them may span all of them. The file has that length, or had it when it was
    listed.
    """
    file = open_file(piece.path)
    try:
        wanted_bytes = piece.end_position - piece.position
        parts, position = [], piece.position
        while wanted_bytes > 0:
            part = os.pread(file, wanted_bytes, position)
            if not part:
                raise InputError(
                    f"{piece.path} ends at byte {position}, it was to be read up to {piece.end_position}: "
                    "a running node cut it off; read again"
                )
            parts.append(part)
            position += len(part)
            wanted_bytes -= len(part)
    except OSError as error:
        raise InputError(f"{piece.path} cannot be read: {error.strerror}") from error
    finally:
        os.close(file)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _of_live(piece: LivePiece, wanted: Wanted) -> Iterator[_Part]:
    with LiveQuorum(piece.servers) as quorum:
        if piece.snapshot is not None:
            whole = replace(wanted, start_offset=0, end_offset=None)
            yield quorum.read_snapshot(piece.snapshot), 0, 0, whole
            return
        wanted = replace(
            wanted,
            start_offset=piece.start_offset,
            end_offset=piece.end_offset,
            committed_end=piece.end_offset,
        )
        for chunk in piece.chunks or quorum.read(piece.start_offset, piece.end_offset, piece.epoch):
            yield chunk.data, 0, None, wanted
