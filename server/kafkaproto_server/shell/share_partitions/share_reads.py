"""What is read of one share partition for a ShareFetch: the batches that may be acquired, and what of them may be sent.

Records are acquired by batches, and the log is read by bytes. So the read takes the batches apart that lie near enough
to the first offset, and finds those of aborted transactions and the gaps within batches.

Apache Kafka: ``ShareFetchUtils``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import RecordBatchView
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.core.log_state.transactions import aborted_between
from kafkaproto_server.core.share_partitions.aborted import aborted_batches
from kafkaproto_server.core.share_partitions.acquiring import LogBatch
from kafkaproto_server.core.share_partitions.claims import long_gaps
from kafkaproto_server.requests.share_requests import ShareError
from kafkaproto_server.shell.replicas.requests.log_read import LogRead
from kafkaproto_server.shell.share_partitions.led import LedSharePartition


class ShareLogRead(LogRead):
    """A read by a thread, which also looks at batches that claim many offsets."""

    __slots__ = ("gaps",)
    gaps: Sequence[LogBatch]

    def read(self) -> Buffer:
        records = super().read()
        self.gaps = long_gaps(_whole_batches(records))
        return records


class ShareRead:
    """What was read of one share partition."""

    __slots__ = ("aborted", "batches", "error", "fetch_offset", "gaps", "led", "log_read", "records", "room")

    def __init__(self, led: LedSharePartition, fetch_offset: int, room: int) -> None:
        self.led = led
        self.fetch_offset = fetch_offset
        self.room = room
        """How many bytes may be read."""
        self.records: Buffer = b""
        self.batches: list[RecordBatchView] = []
        self.aborted: Sequence[LogBatch] = ()
        self.gaps: Sequence[LogBatch] = ()
        self.error: ShareError | None = None
        self.log_read: ShareLogRead | None = None
        """What a thread has to read."""

    def take(self, records: Buffer, max_offsets: int, *, is_read_committed: bool, read: LogRead) -> None:
        """Take records. Batches too far behind the first offset are not looked at."""
        self.records = records
        batches: list[RecordBatchView] = []
        self.batches = batches
        end = self.fetch_offset + max_offsets
        for view in _whole_batches(records):
            if view.base_offset >= end and batches:
                break
            batches.append(view)
        if is_read_committed and read.aborted and batches:
            found = aborted_between(read.aborted, self.fetch_offset, batches[-1].next_offset)
            self.aborted = aborted_batches(batches, found) if found else ()

    def is_short(self, max_offsets: int) -> bool:
        """Whether more bytes would bring more records that count."""
        return not self.batches or self.batches[-1].next_offset < self.fetch_offset + max_offsets


def _whole_batches(records: Buffer) -> Iterator[RecordBatchView]:
    # The limit may have cut the last one short.
    with suppress(RemoteProtocolError):
        yield from iterate_stored_batches(records)


def sliced(read: ShareRead, first: int, last: int) -> Buffer:
    """The batches that have the acquired records. If there is only one, what lies behind it stays, as in Kafka."""
    batches = read.batches
    if len(batches) == 1:
        return read.records
    begin = 0
    end = 0
    for view in batches:
        if view.first_offset <= first:
            begin = view.position
        elif view.first_offset > last:
            break
        end = view.position + view.size_in_bytes
    return memoryview(read.records)[begin:end]
