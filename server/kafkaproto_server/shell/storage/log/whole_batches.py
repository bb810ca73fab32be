"""Reads whole batches of a segment, where `batch_walk` reads headers only."""

from __future__ import annotations

from collections.abc import Iterator

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto_server.base.ports import File
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.scan import batch_size

LOCATE_BYTES = 1 << 16
"""How much is read at once to find a batch."""


def locate(file: File, path: str, position: int, size: int, offset: int) -> tuple[int, RecordBatchView]:
    """Position and view of the batch that holds ``offset``, found from ``position`` on in a file of ``size`` bytes.
    Raises CorruptFileError if no whole batch is there, as the disk may have changed what was written."""
    length = LOCATE_BYTES
    while True:
        data = file.read_at(position, length)
        skipped = 0
        for view in batches_in(data, path, position):
            if view.next_offset > offset:
                return position + view.position, view
            skipped = view.position + view.size_in_bytes
        if skipped == 0:
            # The batch is larger than the bytes that were read, or the file ends inside of it.
            needed = batch_size(data) if len(data) == length else 0
            # A damaged length must not make this read a file of gigabytes, or read the same bytes for ever.
            if not length < needed <= size - position:
                text = f"no whole batch is there for offset {offset}, though it was appended"
                raise CorruptFileError(path, text, position=position)
            length = needed
        position += skipped


def batches_in(data: bytes, path: str, position: int) -> Iterator[RecordBatchView]:
    """The whole batches in bytes that were read at a position. Raises CorruptFileError for what is no batch."""
    try:
        yield from iterate_stored_batches(data)
    except RemoteProtocolError as error:
        raise CorruptFileError(path, str(error), position=position) from error
