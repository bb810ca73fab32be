"""When a segment has to be followed by another one: by size, by age, by its offsets, by its indexes.

The rules are those of Apache Kafka's LogSegment.shouldRoll (``segment.bytes``, ``segment.ms``, ``segment.jitter.ms``,
``segment.index.bytes``).
"""

from __future__ import annotations

import zlib

from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.shell.storage.log.index import NO_TIMESTAMP
from kafkaproto_server.shell.storage.log.log_config import LogConfig
from kafkaproto_server.shell.storage.log.segment_file import SegmentFile
from kafkaproto_server.shell.storage.log.segment_indexes import SegmentIndexes


class SegmentRolling:
    """The rules for one segment. Only the thread that changes the log asks, once for each batch that it appends."""

    __slots__ = ("_file", "_first_append_ms", "_indexes", "config")

    def __init__(self, file: SegmentFile, indexes: SegmentIndexes, config: LogConfig) -> None:
        self._file = file
        self._indexes = indexes
        self.config = config
        """The limits from now on."""
        self._first_append_ms: int | None = None

    def is_due(self, view: RecordBatchView, size: int, wall_ms: int | None = None) -> bool:
        """Whether a batch has to begin a new segment. ``size`` is the segment's, with what will be appended to it
        before the batch.

        ``wall_ms`` is the time now: a segment whose first batch has no timestamp is rolled by the time since it was
        first asked for one.
        """
        indexes = self._indexes
        # LogSegment of Kafka rolls for the same reason: an index entry could not hold the offset.
        if not indexes.can_hold(view.last_offset):
            return True
        if size == 0:
            # Any batch goes into an empty segment, however large or old: else none could ever hold it.
            return False
        return (
            size + view.size_in_bytes > self.config.segment_bytes
            or self._waited_ms(view, wall_ms) > self.config.segment_ms - self._jitter_ms
            # A full index would leave ever more of the segment without entries, to be read batch by batch.
            or indexes.offsets.file.is_full
            or indexes.times.file.is_full
        )

    def has_room(self, size: int, end_offset: int) -> bool:
        """Whether the segment can grow to ``size``, up to that offset, without a new segment, whatever the timestamps
        of its batches are."""
        indexes = self._indexes
        return (
            size <= self.config.segment_bytes
            and indexes.can_hold(end_offset)
            and not indexes.offsets.file.is_full
            and not indexes.times.file.is_full
        )

    def _waited_ms(self, view: RecordBatchView, wall_ms: int | None) -> int:
        """How long the segment has waited to be rolled: Kafka's LogSegment.timeWaitedForRoll."""
        first_timestamp = self._indexes.first_timestamp
        # By the batches' own times if they have any (KIP-33): a replica that is made anew gets records of weeks within
        # a minute, and has to have segments of the same ages as its leader.
        if first_timestamp is not None and first_timestamp != NO_TIMESTAMP:
            return view.max_timestamp - first_timestamp
        if wall_ms is None:
            return 0
        if self._first_append_ms is None:
            self._first_append_ms = wall_ms
        return wall_ms - self._first_append_ms

    @property
    def _jitter_ms(self) -> int:
        """Any number up to the jitter, but always the same one for a segment; Kafka's is random."""
        most_ms = min(self.config.segment_jitter_ms, self.config.segment_ms)
        return zlib.crc32(self._file.path.encode()) % most_ms if most_ms > 0 else 0
