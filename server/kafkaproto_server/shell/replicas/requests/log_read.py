"""A read of a partition's log for a Fetch or ShareFetch request: now, if what it reads is in memory, or in a thread."""

from __future__ import annotations

from collections.abc import Sequence

from kafkaproto_server.base.file_part import Sendable
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.storage.errors import OffsetOutOfRangeError, StorageError
from kafkaproto_server.shell.storage.log.topic_log import TopicLog


class LogRead:
    """A read of a log, which may have to wait for the disk."""

    __slots__ = ("aborted", "end_offset", "hosted", "log", "max_bytes", "offset", "position", "whole_first")

    def __init__(
        self,
        position: int,
        hosted: Hosted,
        log: TopicLog,
        offset: int,
        max_bytes: int,
        end_offset: int,
        whole_first: bool,
    ) -> None:
        self.position = position
        self.hosted = hosted
        self.log = log
        self.offset = offset
        self.max_bytes = max_bytes
        self.end_offset = end_offset
        self.whole_first = whole_first
        # Compaction and retention replace the list, and a thread may read what was there before.
        self.aborted = hosted.partition.aborted

    def read(self) -> Buffer:
        """See `Log.read_records`; for a thread."""
        return self.log.read_records(
            self.offset, self.max_bytes, self.end_offset, whole_first=self.whole_first
        )

    def read_now(self, *, copied: bool) -> Sendable:
        return self.log.records_now(
            self.offset, self.max_bytes, self.end_offset, whole_first=self.whole_first, copied=copied
        )


def read_all(reads: Sequence[LogRead]) -> Steps[list[Buffer | Exception]]:
    """What they read, one in each step, or their errors; for a thread."""
    found: list[Buffer | Exception] = []
    for each in reads:
        try:
            found.append(each.read())
        except (OSError, StorageError, OffsetOutOfRangeError) as error:
            found.append(error)
        yield
    return found
