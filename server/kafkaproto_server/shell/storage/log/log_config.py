"""The limits and promises of one log: what its topic's configs, or the metadata log's, come to for its files."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto.log import MAX_OFFSET


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """Limits of a log; the defaults are those of the metadata log."""

    segment_bytes: int = 1 << 30
    """A batch that would exceed this size begins a new segment (``metadata.log.segment.bytes``)."""
    segment_ms: int = 7 * 24 * 3600 * 1000
    """A batch that is younger than a segment's first one by more than this begins a new segment
    (``metadata.log.segment.ms``)."""
    segment_jitter_ms: int = 0
    """By how much less than ``segment_ms`` it may be, so that not all logs roll at the same time."""
    index_interval_bytes: int = 4096
    segment_index_bytes: int = 10 * 1024 * 1024
    """Length of an index file while its segment takes appends."""
    has_gaps: bool = False
    """Whether offsets may be missing, because compaction removes records."""
    cuts_at_gaps: bool = False
    """Whether offsets that are missing before a segment above the recovery point mean that a crash of the machine took
    them. The log then ends there. Without compaction there is no other reason."""
    is_durable_at_once: bool = True
    """Whether rolls and cuts return only once they are durable. If not, the owner calls `Log.flush` from time to time,
    as Apache Kafka does for topics: replication keeps the records, not the disk of one broker."""
    flush_messages: int = MAX_OFFSET
    """How many offsets may be appended to such a log before all of it is made durable (``flush.messages``)."""
