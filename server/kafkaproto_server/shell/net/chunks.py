"""Cuts the data to send into pieces that fit one write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from kafkaproto_server.base.file_part import FilePart, Sendable
from kafkaproto_server.base.ports import Buffer


@overload
def chunked(buffers: Sequence[Buffer], chunk_bytes: int) -> Iterator[Buffer]: ...


@overload
def chunked(buffers: Sequence[Sendable], chunk_bytes: int) -> Iterator[Sendable]: ...


def chunked(buffers: Sequence[Sendable], chunk_bytes: int) -> Iterator[Sendable]:
    """The buffers, in order, as pieces of at most ``chunk_bytes``: small neighbours joined, long buffers cut without
    copying. Parts of files stay whole.

    A response of a few hundred bytes has to leave in one packet; one of megabytes must not be copied for that. No piece
    is empty: whoever waits until a piece was written would wait for ever.
    """
    small: list[Buffer] = []
    small_bytes = 0
    for buffer in buffers:
        if not len(buffer):
            continue
        if isinstance(buffer, FilePart):
            if small:
                yield b"".join(small)
                small, small_bytes = [], 0
            yield buffer
            continue
        if small_bytes + len(buffer) <= chunk_bytes:
            small.append(buffer)
            small_bytes += len(buffer)
            continue
        if small:
            yield b"".join(small)
            small, small_bytes = [], 0
        if len(buffer) <= chunk_bytes:
            small, small_bytes = [buffer], len(buffer)
            continue
        # Cut as views: a copy of a response of megabytes would cost memory and time at once.
        view = memoryview(buffer)
        for start in range(0, len(view), chunk_bytes):
            yield view[start : start + chunk_bytes]
    if small:
        yield b"".join(small)
