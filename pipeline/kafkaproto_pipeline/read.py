"""Reads a piece of work into Arrow record batches. This is what a Spark task does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa  # type: ignore[import-untyped]

from kafkaproto_pipeline.decoding.columns import decode
from kafkaproto_pipeline.planning.files import PlannedPiece
from kafkaproto_pipeline.planning.live import LivePiece
from kafkaproto_pipeline.sources.directories import InputError, open_file
from kafkaproto_pipeline.sources.live_quorum import LiveQuorum
from kafkaproto_pipeline.views.state import as_view
from kafkaproto_pipeline.views.wanted import Wanted


def read_piece(piece: PlannedPiece | LivePiece, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    """The rows of a piece. Raises InputError, CorruptInputError in mode FAILFAST, and ValueError for view ``state``."""

    def read(decoded: Wanted) -> Iterator[pa.RecordBatch]:
        if isinstance(piece, LivePiece):
            return _read_live(piece, decoded)
        return _read_file(piece, decoded)

    return as_view(wanted, piece.origin, read)


def _read_file(piece: PlannedPiece, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    ends = [piece.end_offset]
    if wanted.committed_only and piece.origin.snapshot is None:
        ends.append(piece.committed_end)
    yield from decode(
        _bytes_of(piece),
        position=piece.position,
        origin=piece.origin,
        wanted=replace(
            wanted,
            start_offset=piece.start_offset,
            end_offset=min((end for end in ends if end is not None), default=None),
            committed_end=piece.committed_end,
        ),
        next_offset=piece.next_offset,
        expects_more=False,
    )


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


def _read_live(piece: LivePiece, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    with LiveQuorum(piece.servers) as quorum:
        if piece.snapshot is not None:
            yield from decode(
                quorum.read_snapshot(piece.snapshot),
                position=0,
                origin=piece.origin,
                wanted=replace(wanted, start_offset=0, end_offset=None),
                next_offset=0,
                expects_more=False,
            )
            return
        wanted = replace(
            wanted,
            start_offset=piece.start_offset,
            end_offset=piece.end_offset,
            committed_end=piece.end_offset,
        )
        chunks = piece.chunks or quorum.read(piece.start_offset, piece.end_offset, piece.epoch)
        for chunk in chunks:
            yield from decode(
                chunk.data,
                position=0,
                origin=piece.origin,
                wanted=wanted,
                next_offset=None,
                expects_more=False,
            )
