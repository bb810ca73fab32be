"""Which batches of a segment its two indexes name, and the timestamps that the next entry would have.

A batch gets an index entry if it begins more than ``index_interval_bytes`` behind the batch of the previous entry. When
the segment is closed or rolled, the time index gets one more entry, for the newest timestamp. Apache Kafka does the
same in LogSegment.append, and has the two numbers in ``maxTimestampAndOffsetSoFar``.

The indexes contain nothing that the batches do not. So they are synced with the segment at the earliest, made again
from the batches if they do not fit, and trusted only where batches confirm them.
"""

from __future__ import annotations

from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.storage.log import batch_walk
from kafkaproto_server.shell.storage.log.index import (
    MAX_RELATIVE_OFFSET,
    NO_TIMESTAMP,
    OffsetIndex,
    TimeIndex,
)
from kafkaproto_server.shell.storage.log.recovery import ProofOfLoss, RecoveryPolicy


class SegmentIndexes:
    """The indexes of one segment, with the timestamps of its records.

    Only the thread that changes the log calls methods here. Readers in other threads look up positions in ``offsets``
    and ``times``, which only grow while a read runs.
    """

    __slots__ = (
        "_interval_bytes",
        "base_offset",
        "first_timestamp",
        "max_timestamp",
        "offset_of_max_timestamp",
        "offsets",
        "times",
    )

    def __init__(
        self,
        disk: Disk,
        directory: str,
        base_offset: int,
        *,
        interval_bytes: int,
        max_bytes: int,
        suffix: str = "",
    ) -> None:
        """``max_bytes`` is the length of each file while the segment takes appends, ``suffix`` what the names of the
        files end with."""
        self.base_offset = base_offset
        self._interval_bytes = interval_bytes
        self.offsets = OffsetIndex(disk, directory, base_offset, max_bytes, suffix)
        self.times = TimeIndex(disk, directory, base_offset, max_bytes, suffix)
        self.first_timestamp: int | None = None
        """The largest timestamp of the first batch; None if there is none."""
        self.max_timestamp = -1
        """The largest timestamp of all records; -1 if there is none."""
        self.offset_of_max_timestamp = base_offset
        """Of the last record of the first batch that has it."""

    def configure(self, interval_bytes: int) -> None:
        """Use another interval from the next batch on."""
        self._interval_bytes = interval_bytes

    def can_hold(self, offset: int) -> bool:
        """Whether they can have an entry for an offset."""
        return offset - self.base_offset <= MAX_RELATIVE_OFFSET

    def wants_entry(self, position: int, view: RecordBatchView) -> bool:
        """Take the batch at ``position`` into account. Returns whether it gets an index entry."""
        if self.first_timestamp is None:
            self.first_timestamp = view.max_timestamp
        if view.max_timestamp > self.max_timestamp:
            self.max_timestamp = view.max_timestamp
            # Timestamps come from the leaders' clocks and may go back. The index holds the largest so far, so its
            # entries still ascend.
            self.offset_of_max_timestamp = view.last_offset
        return position - self.offsets.last_position > self._interval_bytes

    def add_newest_timestamp(self) -> None:
        """Complete the time index: nothing will be appended to the segment."""
        self.times.maybe_append(self.max_timestamp, self.offset_of_max_timestamp)

    def forget(self) -> None:
        """Remove the entries from memory; the files stay as they are."""
        self.offsets.forget()
        self.times.forget()

    def believe(self, first_timestamp: int) -> None:
        """The batches have confirmed what was loaded: the newest entry has the largest timestamp."""
        if (newest := self.times.last) is not None:
            self.max_timestamp, self.offset_of_max_timestamp = newest
        self.first_timestamp = first_timestamp

    def proof_of_loss(self, next_base: int | None, policy: RecoveryPolicy) -> ProofOfLoss | None:
        """What shows from a topic's segment's indexes that records at its end are gone; None if they prove nothing.

        They prove something unless a crash may have kept them and lost the records: if all that was appended must be
        there, or if the whole segment is durable. A wrong bit in an index is no proof: both numbers of an entry have to
        lie behind what was found.
        """
        reached = policy.reached
        is_durable = next_base is not None and reached is not None and next_base <= reached.offset
        if not policy.cuts_damage or not (policy.is_kept or is_durable):
            return None
        # Before the segment is read: what is read replaces the entries in the files.
        entry, newest = self.offsets.newest_in_file(), self.times.newest_in_file()

        def proof(next_offset: int, size: int) -> int | None:
            found = []
            if entry is not None and entry.offset >= next_offset and entry.position >= size:
                found.append(entry.offset)
            # A position has no place in the time index, so the timestamp is the second number.
            if newest is not None and newest.offset >= next_offset and newest.timestamp > self.max_timestamp:
                found.append(newest.offset)
            return max(found, default=None)

        return proof

    def have_entries_in_files(self) -> bool:
        """Whether one of the files has an entry, whatever was loaded."""
        return bool(self.times.newest_in_file() or self.offsets.newest_in_file())

    def cut(self, next_offset: int) -> None:
        """Remove the entries of ``next_offset`` and after, in the files as well."""
        self.offsets.truncate_to(next_offset)
        self.times.truncate_to(next_offset)

    def find_max_timestamp(self, read: batch_walk.Read, path: str, size: int) -> None:
        """Derive the largest timestamp from the batches that a cut has left: ``size`` bytes of the file."""
        last = self.times.last
        self.max_timestamp, self.offset_of_max_timestamp = (
            (NO_TIMESTAMP, self.base_offset) if last is None else last
        )
        # Batches before the newest entry are in it: each entry has the largest timestamp up to it.
        for place in batch_walk.walk(read, path, self.offsets.last_position, size):
            if place.max_timestamp > self.max_timestamp:
                self.max_timestamp, self.offset_of_max_timestamp = place.max_timestamp, place.next_offset - 1
        if size == 0:
            self.first_timestamp = None

    def preallocate(self) -> None:
        """Give the files their full length, with zeros after the entries."""
        self.offsets.file.preallocate()
        self.times.file.preallocate()

    def trim(self) -> None:
        """Cut the files to their entries."""
        self.offsets.file.trim()
        self.times.file.trim()

    def must_sync(self) -> None:
        """What the files hold may be in the system's memory only."""
        self.offsets.file.must_sync()
        self.times.file.must_sync()

    def sync(self) -> None:
        """Make the files durable. Raises OSError."""
        self.offsets.file.sync()
        self.times.file.sync()

    def close(self) -> None:
        """Give up the descriptors until the files are needed again."""
        self.offsets.file.close()
        self.times.file.close()

    def renamed(self, directory: str, suffix: str) -> None:
        """The closed files have other names now."""
        self.offsets.renamed(directory, suffix)
        self.times.renamed(directory, suffix)


class IndexRebuild:
    """The entries of a segment's indexes, made again from its batches while they are read. For one thread."""

    def __init__(self, indexes: SegmentIndexes) -> None:
        self._indexes = indexes
        self._offset_entries = bytearray()
        self._time_entries = bytearray()

    def note(self, position: int, view: RecordBatchView) -> None:
        """The next batch, and where it begins."""
        indexes = self._indexes
        # With a shorter interval than when they were appended, batches may want more entries than there is room.
        if (
            indexes.wants_entry(position, view)
            and indexes.offsets.file.has_room_behind(len(self._offset_entries))
            and indexes.times.file.has_room_behind(len(self._time_entries))
        ):
            self._offset_entries.extend(indexes.offsets.note(view.last_offset, position))
            self._time_entries.extend(
                indexes.times.note(indexes.max_timestamp, indexes.offset_of_max_timestamp)
            )

    def settle(self) -> None:
        """Make the files contain these entries and nothing else."""
        indexes = self._indexes
        self._time_entries.extend(indexes.times.note(indexes.max_timestamp, indexes.offset_of_max_timestamp))
        # The indexes follow from the batches. Those that a crash left may name batches that were cut off.
        indexes.offsets.file.settle(self._offset_entries)
        indexes.times.file.settle(self._time_entries)
