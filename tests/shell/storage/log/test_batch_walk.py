"""Batches that are found by their headers, in a file that the disk has changed."""

from __future__ import annotations

import pytest

from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.batch_walk import Read, walk
from tests.shell.storage.support.helpers import batch
from tests.support.old_logs import LOGS, files


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


@pytest.mark.parametrize("log", LOGS)
def test_batches_of_old_formats_are_found(log: str) -> None:
    """Some have fewer bytes than the header of a newer one."""
    for name, data in files(log).items():
        if name.endswith(".log"):
            places = [
                (each.position, each.size_in_bytes, each.base_offset, each.next_offset, each.max_timestamp)
                for each in walk(read_of(data), "file", 0, len(data))
            ]
            assert places == [
                (each.position, each.size_in_bytes, each.base_offset, each.next_offset, each.max_timestamp)
                for each in iterate_stored_batches(data)
            ]


@pytest.mark.parametrize("log", ["v0-none", "v1-gzip"])
def test_a_file_that_ends_inside_an_old_batch_is_told(log: str) -> None:
    data = next(content for name, content in files(log).items() if name.endswith(".log") and content)
    for size in (len(data) - 1, len(data) - 20, len(data) - 30, 5):
        with pytest.raises(CorruptFileError):
            list(walk(read_of(data[:size]), "file", 0, size))
