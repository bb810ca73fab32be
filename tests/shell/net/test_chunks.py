"""Pieces to send: joined where small, cut where long, never copied for being long."""

from __future__ import annotations

import os

from kafkaproto_server.base.file_part import Descriptor, FilePart, Sendable
from kafkaproto_server.shell.net.chunks import chunked


def test_small_buffers_are_joined_and_long_ones_cut_without_copying() -> None:
    long = memoryview(b"0123456789")
    pieces = list(chunked([b"ab", b"cd", b"", long, b"ef", b"ghij", b"k"], 4))
    assert [bytes(piece) for piece in pieces] == [b"abcd", b"0123", b"4567", b"89", b"ef", b"ghij", b"k"]
    assert all(isinstance(piece, memoryview) and piece.obj is long.obj for piece in pieces[1:4])
    assert [bytes(piece) for piece in chunked([b"01234"], 4)] == [b"0123", b"4"]
    assert list(chunked([], 4)) == []


def test_parts_of_files_stay_whole_and_in_their_place() -> None:
    part, nothing = FilePart(Descriptor(os.dup(0)), 0, 10), FilePart(Descriptor(os.dup(0)), 0, 0)
    pieces: list[Sendable] = [b"a", b"b", part, nothing, b"c"]
    assert list(chunked(pieces, 4)) == [b"ab", part, b"c"]


def test_no_piece_is_empty() -> None:
    """The task that writes what a socket does not take at once would write nothing, again and again."""
    assert [bytes(each) for each in chunked([b"", b"012345", b""], 4)] == [b"0123", b"45"]
    assert list(chunked([b"", memoryview(b"")], 4)) == []
