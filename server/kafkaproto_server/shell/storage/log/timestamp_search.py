"""Finds the first record of a segment that is as late as a time: ListOffsets with a timestamp.

The time index leads near to it, headers of batches lead to the batch, and only that batch is decompressed. A header's
timestamp is its producer's claim. So a batch whose header claims too much is remembered, and its records are not read
again for each search. Apache Kafka has this in FileRecords.searchForTimestamp.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import NamedTuple

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.legacy import view_of_batch
from kafkaproto.records.times import record_times
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log import batch_walk
from kafkaproto_server.shell.storage.log.segment_file import SegmentFile
from kafkaproto_server.shell.storage.log.segment_indexes import SegmentIndexes

_log = logging.getLogger("kafkaproto.server.replicas")

MAX_FALSE_TIMESTAMPS = 1000
"""How many batches are remembered whose headers claim a later timestamp than their records have."""


class TimestampedOffset(NamedTuple):
    """A record, as a search by time finds it."""

    offset: int
    timestamp: int
    leader_epoch: int


class TimestampSearch:
    """The searches by time in one segment. They run in any thread, under the lock of the log's readers, so that nothing
    is cut meanwhile."""

    __slots__ = ("_file", "_has_told_of_lie", "_indexes", "_largest_timestamps")

    def __init__(self, file: SegmentFile, indexes: SegmentIndexes) -> None:
        self._file = file
        self._indexes = indexes
        # By position, of batches whose headers claim a later one: a search by time goes through their records once.
        self._largest_timestamps: dict[int, int] = {}
        self._has_told_of_lie = False

    def find(self, timestamp: int, start_offset: int, size: int) -> TimestampedOffset | None:
        """The first record at or behind ``start_offset`` whose timestamp is ``timestamp`` or later; None if there is
        none in the first ``size`` bytes. If the records of a batch are not what its header says, the header answers
        for them. Raises CorruptFileError, OSError."""
        path = self._file.path
        indexes = self._indexes
        start = indexes.offsets.position_for(max(start_offset, indexes.times.offset_before(timestamp)))
        for place in batch_walk.walk(self._file.file.read_at, path, start, size):
            claimed = min(
                place.max_timestamp, self._largest_timestamps.get(place.position, place.max_timestamp)
            )
            if claimed >= timestamp and place.next_offset > start_offset:
                largest = -1
                for offset, found in self._times_at(place, start_offset):
                    if found >= timestamp and offset >= start_offset:
                        return TimestampedOffset(offset, found, place.leader_epoch)
                    largest = max(largest, found)
                # A producer could write any number of such batches.
                if len(self._largest_timestamps) < MAX_FALSE_TIMESTAMPS:
                    self._largest_timestamps[place.position] = largest
        return None

    def forget(self) -> None:
        """The segment was cut: other batches may come to the positions of those that are remembered."""
        self._largest_timestamps.clear()

    def _times_at(self, place: batch_walk.BatchPlace, start_offset: int) -> Iterator[tuple[int, int]]:
        path = self._file.path
        try:
            view = view_of_batch(self._file.file.read_at(place.position, place.size_in_bytes))
        except RemoteProtocolError as error:
            # The file was whole when it was opened: somebody has shortened it since.
            raise CorruptFileError(path, str(error), position=place.position) from error
        try:
            for offset, timestamp in record_times(view):
                if not view.first_offset <= offset < place.next_offset:
                    raise RemoteProtocolError(f"offset {offset} is not one of the batch's")
                yield offset, timestamp
        except RemoteProtocolError as error:
            # Only now: a search that finds its record costs no crc.
            try:
                view.check()
            except RemoteProtocolError:
                raise CorruptFileError(path, str(error), position=place.position) from error
            # A producer wrote this; the file is as it was written. Releases of old, and other servers, took such
            # batches, and consumers have to get past them.
            if not self._has_told_of_lie:
                self._has_told_of_lie = True
                _log.warning(
                    "%s: the records of the batch at offset %d are not what its header says (%s); searches by time"
                    " go by the header",
                    path,
                    place.base_offset,
                    error.reason,
                )
            yield max(place.base_offset, start_offset), place.max_timestamp
