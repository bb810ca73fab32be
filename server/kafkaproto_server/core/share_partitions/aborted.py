"""Which batches of the log belong to aborted transactions (KIP-98).

Apache Kafka: ``SharePartition.fetchAbortedTransactionRecordBatches``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.records.batch import RecordBatchView
from kafkaproto_server.core.log_state.transactions import end_transaction_marker
from kafkaproto_server.core.share_partitions.acquiring import LogBatch


def aborted_batches(batches: Iterable[RecordBatchView], aborted: Sequence[tuple[int, int]]) -> list[LogBatch]:
    """The batches of aborted transactions. ``aborted`` has the producer id and the first offset of those
    transactions."""
    waiting = deque(sorted((first_offset, producer_id) for producer_id, first_offset in aborted))
    open_now: set[int] = set()
    found: list[LogBatch] = []
    for view in batches:
        header = view.header()
        if not header.has_producer_id:
            continue
        # By the last offset, as consumers do.
        while waiting and waiting[0][0] <= header.last_offset:
            open_now.add(waiting.popleft()[1])
        if header.is_control:
            if _is_abort(view):
                # Behind its marker the producer may have another transaction, which is committed.
                open_now.discard(header.producer_id)
        elif header.is_transactional and header.producer_id in open_now:
            found.append(LogBatch(header.base_offset, header.last_offset))
    return found


def _is_abort(view: RecordBatchView) -> bool:
    try:
        marker = end_transaction_marker(view)
    except RemoteProtocolError:
        return False
    return marker is not None and marker.is_abort
