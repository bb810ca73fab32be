"""Batches that are found by their headers, in a file that the disk has changed."""

from __future__ import annotations

import pytest

from kafkaproto_server.storage.errors import CorruptFileError
from kafkaproto_server.storage.log.batch_walk import Read, walk
from tests.storage.support.helpers import batch


def read_of(data: bytes) -> Read:
    return lambda position, length: data[position : position + length]


@pytest.mark.parametrize(
    ("position", "content"), [(16, b"\3"), (8, (20).to_bytes(4, "big"))], ids=["magic", "length"]
)
def test_what_has_no_header_of_a_batch_is_told(position: int, content: bytes) -> None:
    data = batch(0)
    changed = data[:position] + content + data[position + len(content) :]
    with pytest.raises(CorruptFileError, match="no valid batch is where one was appended"):
        next(walk(read_of(changed), "0.log", 0, len(data)))


def test_a_file_that_ends_inside_a_header_is_told() -> None:
    data = batch(0) + batch(1)
    found = walk(read_of(data[: len(batch(0)) + 20]), "0.log", 0, len(data))
    assert next(found).base_offset == 0
    with pytest.raises(CorruptFileError, match="the file ends inside a batch that was appended"):
        next(found)
