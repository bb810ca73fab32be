"""The two sparse indexes of a segment. With them a reader starts near the record that it looks for.

``<base>.index`` has entries of 8 bytes: int32 offset relative to the base, int32 position in the ``.log`` file. The
offset is that of a batch's last record, the position that of the batch's start.

``<base>.timeindex`` has entries of 12 bytes: int64 timestamp, int32 relative offset. The timestamp is the largest one
so far, the offset that of the last record of the batch that has it. Both ascend.

While a segment takes appends, its index files have their full length, with zeros after the entries. Afterwards they are
trimmed to the entries. A copy of the entries is in memory, so the files are never searched.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import deque

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import (
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    OffsetIndexEntry,
    TimeIndexEntry,
    encode_offset_index_entry,
    encode_time_index_entry,
    iterate_offset_index,
    iterate_time_index,
    segment_file_name,
)
from kafkaproto_server.base.ports import Buffer, Disk, File

READ_BYTES = 1 << 20
"""How much of an index is read at once."""

NO_TIMESTAMP = -1
"""The timestamp of a batch whose producer gave none."""

MAX_RELATIVE_OFFSET = (1 << 31) - 1
"""An index has 32 bits for an offset."""


class _IndexFile:
    """The file of an index, as entries of one size in bytes. It is opened when it is first needed: most partitions of a
    large cluster hold too few records for an entry."""

    def __init__(self, disk: Disk, path: str, entry_size: int, max_bytes: int) -> None:
        self._disk = disk
        self._path = path
        self._opened: File | None = None
        self._entry_size = entry_size
        # A multiple of the entry's size, as Kafka's AbstractIndex rounds it: 10485756 bytes for the
        # time index. An entry must not be cut in two by the file's end.
        self._max_bytes = max_bytes - max_bytes % entry_size
        self._has_full_length = False
        self._is_synced = True
        self.count = 0

    @property
    def _file(self) -> File:
        if self._opened is None:
            # It may be missing: an index follows from the batches, so the loss of one is no damage.
            self._opened = self._disk.open(self._path, create=True)
        return self._opened

    @property
    def is_full(self) -> bool:
        return self.count * self._entry_size >= self._max_bytes

    def has_room_behind(self, size: int) -> bool:
        """Whether so many bytes of entries leave room for another one."""
        return size < self._max_bytes

    def settle(self, entries: Buffer) -> None:
        """Make the file contain these entries and nothing else."""
        self.count = len(entries) // self._entry_size
        # One entry more than expected is read, because the file may hold further ones or zeros.
        # Indexes of segments that were closed in order are right already, and are not written
        # again.
        if self._file.read_at(0, len(entries) + self._entry_size) != entries:
            self._is_synced = False
            self._file.truncate(0)
            self._file.append([entries])

    def read(self) -> bytes:
        """The bytes of the file, at most as many as it may have. Of the zeros at its end, some are left out: it may be
        preallocated for many more entries than it has."""
        part_bytes = READ_BYTES - READ_BYTES % self._entry_size
        parts = []
        for position in range(0, self._max_bytes, part_bytes):
            part = self._file.read_at(position, min(part_bytes, self._max_bytes - position))
            parts.append(part)
            if len(part) < part_bytes:
                break
            if not any(part[-self._entry_size :]):
                # Whoever reads the entries stops here. That they are whole is still to be seen.
                parts.append(bytes(self._file.size() % self._entry_size))
                break
        return b"".join(parts)

    def peek(self) -> bytes:
        """The same; nothing if there is no file, which stays so."""
        return self.read() if self._opened is not None or self._disk.exists(self._path) else b""

    def preallocate(self) -> None:
        self._is_synced = False
        self._file.truncate(self.count * self._entry_size)
        # Cut to the entries first: what a crash or a cut has left behind them becomes zeros.
        self._file.truncate(self._max_bytes)
        self._has_full_length = True

    def append(self, entry: bytes) -> None:
        # A topic's log leaves this to the first entry (`Segment.become_active`).
        if not self._has_full_length:
            self.preallocate()
        self._is_synced = False
        # Not at the end of the file, which has its full length already.
        self._file.write_at(self.count * self._entry_size, entry)
        self.count += 1

    def cut(self, count: int) -> None:
        """Keep the first ``count`` entries and the full length."""
        self.count = count
        self.preallocate()

    def trim(self) -> None:
        self._is_synced = False
        self._file.truncate(self.count * self._entry_size)
        self._has_full_length = False

    def must_sync(self) -> None:
        self._is_synced = False

    def sync(self) -> None:
        if not self._is_synced:
            self._file.sync()
            self._is_synced = True

    def close(self) -> None:
        if self._opened is not None:
            # It is opened again if an entry is due: most indexes get none for long.
            self._opened.close()
            self._opened = None

    @property
    def size_in_bytes(self) -> int:
        """The length of all entries."""
        return self.count * self._entry_size

    def renamed(self, path: str) -> None:
        """Its closed file has another path now."""
        assert self._opened is None, f"{self._path} is open"
        self._path = path


class OffsetIndex:
    """Maps an offset to a position in the ``.log`` file from which to read."""

    ENTRY_SIZE = 8

    def __init__(
        self, disk: Disk, directory: str, base_offset: int, max_bytes: int, suffix: str = ""
    ) -> None:
        self.path = f"{directory}/{segment_file_name(base_offset, OFFSET_INDEX_SUFFIX)}{suffix}"
        self._base_offset = base_offset
        self.file = _IndexFile(disk, self.path, self.ENTRY_SIZE, max_bytes)
        # Relative to the base, as in the file. A broker has all of its indexes in memory.
        self._offsets = array("i")
        self._positions = array("i")

    def renamed(self, directory: str, suffix: str) -> None:
        """Its closed file was renamed."""
        self.path = f"{directory}/{segment_file_name(self._base_offset, OFFSET_INDEX_SUFFIX)}{suffix}"
        self.file.renamed(self.path)

    @property
    def last(self) -> OffsetIndexEntry | None:
        if not self._offsets:
            return None
        return OffsetIndexEntry(self._base_offset + self._offsets[-1], self._positions[-1])

    @property
    def last_position(self) -> int:
        """The position of the newest entry. Without entries it is 0, where the first batch begins."""
        return self._positions[-1] if self._positions else 0

    def note(self, offset: int, position: int) -> bytes:
        """Add an entry in memory only; returns its bytes."""
        entry = encode_offset_index_entry(self._base_offset, OffsetIndexEntry(offset, position))
        # Readers in other threads look an offset up first, and then its position.
        self._positions.append(position)
        self._offsets.append(offset - self._base_offset)
        return entry

    def load(self, log_size: int) -> bool:
        """Take the entries from the file. False, with no entry taken, if they are not valid for a ``.log`` file of
        ``log_size`` bytes."""
        try:
            for offset, position in iterate_offset_index(self.file.read(), self._base_offset):
                self._positions.append(position)
                self._offsets.append(offset - self._base_offset)
        except RemoteProtocolError:
            self.forget()
            return False
        # The index is not synced with the log. After a crash it may name batches that never reached
        # the disk.
        if self._positions and self._positions[-1] >= log_size:
            self.forget()
            return False
        self.file.count = len(self._offsets)
        return True

    def newest_in_file(self) -> OffsetIndexEntry | None:
        """The newest entry of the file; None if there is none, or if the file is not valid."""
        try:
            return next(
                iter(deque(iterate_offset_index(self.file.peek(), self._base_offset), maxlen=1)), None
            )
        except RemoteProtocolError:
            return None

    def forget(self) -> None:
        """Remove the entries from memory; the file stays as it is."""
        del self._offsets[:], self._positions[:]
        self.file.count = 0

    def append(self, offset: int, position: int) -> None:
        """Add an entry for the batch at ``position`` whose last record is ``offset``."""
        self.file.append(self.note(offset, position))

    def position_for(self, offset: int) -> int:
        """A position at or before the batch that holds ``offset``."""
        index = bisect_right(self._offsets, offset - self._base_offset)
        return self._positions[index - 1] if index else 0

    def last_position_up_to(self, position: int) -> int:
        """The last position at or before ``position`` at which a batch is known to begin."""
        index = bisect_right(self._positions, position)
        return self._positions[index - 1] if index else 0

    def truncate_to(self, offset: int) -> None:
        """Remove the entries of ``offset`` and after."""
        kept = bisect_left(self._offsets, offset - self._base_offset)
        del self._offsets[kept:]
        del self._positions[kept:]
        self.file.cut(kept)


class TimeIndex:
    """Maps a time to the offset that the segment had reached then."""

    ENTRY_SIZE = 12

    def __init__(
        self, disk: Disk, directory: str, base_offset: int, max_bytes: int, suffix: str = ""
    ) -> None:
        self.path = f"{directory}/{segment_file_name(base_offset, TIME_INDEX_SUFFIX)}{suffix}"
        self._base_offset = base_offset
        self.file = _IndexFile(disk, self.path, self.ENTRY_SIZE, max_bytes)
        self._timestamps = array("q")
        self._offsets = array("i")  # Relative to the base.

    def renamed(self, directory: str, suffix: str) -> None:
        """Its closed file was renamed."""
        self.path = f"{directory}/{segment_file_name(self._base_offset, TIME_INDEX_SUFFIX)}{suffix}"
        self.file.renamed(self.path)

    @property
    def last(self) -> TimeIndexEntry | None:
        if not self._timestamps:
            return None
        return TimeIndexEntry(self._timestamps[-1], self._base_offset + self._offsets[-1])

    def note(self, timestamp: int, offset: int) -> bytes:
        """Add an entry in memory only, if the timestamp advanced. Returns its bytes, or none."""
        # The entries must ascend: Kafka looks them up by binary search.
        if timestamp <= (self._timestamps[-1] if self._timestamps else NO_TIMESTAMP):
            return b""
        entry = encode_time_index_entry(self._base_offset, TimeIndexEntry(timestamp, offset))
        self._timestamps.append(timestamp)
        self._offsets.append(offset - self._base_offset)
        return entry

    def load(self) -> bool:
        """Take the entries from the file. False, with no entry taken, if they are not valid."""
        try:
            for timestamp, offset in iterate_time_index(self.file.read(), self._base_offset):
                self._timestamps.append(timestamp)
                self._offsets.append(offset - self._base_offset)
        except RemoteProtocolError:
            self.forget()
            return False
        self.file.count = len(self._timestamps)
        return True

    def newest_in_file(self) -> TimeIndexEntry | None:
        """The newest entry of the file; None if there is none, or if the file is not valid."""
        try:
            return next(iter(deque(iterate_time_index(self.file.peek(), self._base_offset), maxlen=1)), None)
        except RemoteProtocolError:
            return None

    def forget(self) -> None:
        """Remove the entries from memory; the file stays as it is."""
        del self._timestamps[:], self._offsets[:]
        self.file.count = 0

    def maybe_append(self, timestamp: int, offset: int) -> None:
        """Add an entry if the timestamp advanced since the newest one."""
        entry = self.note(timestamp, offset)
        if entry:
            self.file.append(entry)

    def offset_before(self, timestamp: int) -> int:
        """An offset at or before the first record whose timestamp is ``timestamp`` or later."""
        # Up to the offset of an entry, no timestamp is larger than that of the entry.
        index = bisect_left(self._timestamps, timestamp)
        return self._base_offset + (self._offsets[index - 1] if index else 0)

    def truncate_to(self, offset: int) -> None:
        """Remove the entries of ``offset`` and after."""
        kept = bisect_left(self._offsets, offset - self._base_offset)
        del self._timestamps[kept:]
        del self._offsets[kept:]
        self.file.cut(kept)
