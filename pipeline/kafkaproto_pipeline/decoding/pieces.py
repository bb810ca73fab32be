"""Splits a step of a scan into pieces of plain, uncompressed records.

A step without compressed batches is one piece, and its records stay where they are. Otherwise all its batches are
copied one after the other into new memory, decompressed. A piece ends when it is large, because a step of a few MiB
may hold a thousand times as much decompressed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.primitives import Buffer
from kafkaproto.records.batch import COMPRESSION_MASK, HEADER_SIZE
from kafkaproto.records.compression import decompress
from kafkaproto_pipeline.decoding.frames import Bodies
from kafkaproto_pipeline.decoding.scan import Fault, Headers, Int64s, Octets, Step

PIECE_BYTES = 16 * 1024 * 1024
"""A piece of decompressed batches ends after the batch with which it reaches this size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPiece:
    """Some batches and their records."""

    headers: Headers
    faults: tuple[tuple[int, Fault], ...]
    """As in `Step`."""
    octets: Octets
    """The bytes that hold the records."""
    bodies: Bodies


def pieces(buffer: Buffer, step: Step) -> Iterator[LogPiece]:
    """The pieces of a step, in order. A batch that cannot be decompressed gets an empty body, which no records can
    fill.
    """
    headers = step.headers
    starts = headers.positions + HEADER_SIZE
    ends = headers.positions + headers.sizes
    compressed = (headers.attributes & COMPRESSION_MASK).tolist()
    if not any(compressed):
        octets = np.frombuffer(buffer, np.uint8)
        yield LogPiece(
            headers=headers, faults=step.faults, octets=octets, bodies=_bodies(headers, starts, ends)
        )
        return
    view = memoryview(buffer)
    first = size = 0
    parts: list[bytes] = []
    for index, (start, end, compression) in enumerate(
        zip(starts.tolist(), ends.tolist(), compressed, strict=True)
    ):
        try:
            parts.append(decompress(compression, view[start:end]))
        except RemoteProtocolError:
            parts.append(b"")
        size += len(parts[-1])
        if size >= PIECE_BYTES:
            yield _joined(step, first, parts, is_last=index + 1 == len(compressed))
            first, size, parts = index + 1, 0, []
    if parts:
        yield _joined(step, first, parts, is_last=True)


def _joined(step: Step, first: int, parts: list[bytes], *, is_last: bool) -> LogPiece:
    """The piece of the batches from ``first`` on; these are their records."""
    end = first + len(parts)
    headers = Headers(
        **{field.name: getattr(step.headers, field.name)[first:end] for field in fields(Headers)}
    )
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    starts = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
    # One extra byte, so that every position that is read has a byte.
    octets = np.frombuffer(b"".join((*parts, b"\0")), np.uint8)
    faults = tuple(
        (before - first, fault)
        for before, fault in step.faults
        if first <= before < end or (is_last and before == end)
    )
    return LogPiece(headers=headers, faults=faults, octets=octets, bodies=_bodies(headers, starts, ends))


def _bodies(headers: Headers, starts: Int64s, ends: Int64s) -> Bodies:
    return Bodies(
        starts=starts,
        ends=ends,
        counts=headers.record_counts,
        last_offset_deltas=headers.last_offset_deltas,
        base_timestamps=headers.base_timestamps,
    )
