"""The metadata log of one node: its files, the thread that alone changes them, and its newest batches in memory."""

from __future__ import annotations

from dataclasses import dataclass

from kafkaproto_server.base.ports import Disk
from kafkaproto_server.shell.quorum.disk_worker import DiskWorker
from kafkaproto_server.shell.quorum.log_tail import LogTail
from kafkaproto_server.shell.storage.log.log import Log
from kafkaproto_server.shell.storage.log.retention import RetentionLimits
from kafkaproto_server.shell.storage.metadata.quorum_state_file import QuorumStateFile
from kafkaproto_server.shell.storage.metadata.snapshot_file import SnapshotStore


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumStorage:
    """The recovered files of one metadata log's directory, and the limits for keeping them."""

    disk: Disk
    log: Log
    snapshots: SnapshotStore
    quorum_state_file: QuorumStateFile
    max_bytes_between_snapshots: int
    """``metadata.log.max.record.bytes.between.snapshots``."""
    max_snapshot_interval_ms: int
    """``metadata.log.max.snapshot.interval.ms``; 0 for none."""
    retention: RetentionLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataLog:
    """What writes and reads of the metadata log go through."""

    storage: QuorumStorage
    worker: DiskWorker
    """Does all that changes the directory, in order. Reads from the disk wait in the same lane."""
    tail: LogTail
    """Batches up to the log's end, also those that the worker is still to write."""
