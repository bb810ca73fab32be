"""Appends the records of a decided change: encodes them, divides them into batches, replays and appends, in steps.

Apache Kafka: ``QuorumController.ControllerWriteEvent.run`` and ``appendRecords``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.base.later import Steps
from kafkaproto_server.base.types import MAX_BATCH_BYTES
from kafkaproto_server.core.controller.machine.log_states import LogStates
from kafkaproto_server.core.controller.machine.metadata_transactions import fitted
from kafkaproto_server.core.controller.values import batches
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult
from kafkaproto_server.core.controller.values.effects import AppendRecords
from kafkaproto_server.core.controller.values.election_counts import count_elections
from kafkaproto_server.metadata.image.loader import load_steps
from kafkaproto_server.metadata.image.records import record_version

Batches: TypeAlias = tuple[deque[Message], deque[bytes], tuple[int, ...]]
"""Records, their bytes, and the end of each batch (index after its last record)."""


def batches_of(result: CommandResult, metadata_version: int) -> Steps[Batches]:
    """The records as batches; raises ApiError (POLICY_VIOLATION) if an atomic result does not fit into one batch."""
    # Checked before the records are encoded: to refuse a request must not take as long as to carry
    # it out.
    if result.atomic and len(result.records) > batches.MAX_RECORDS_PER_BATCH:
        raise _too_large(len(result.records))
    values = []
    for record in result.records:
        # The level at which the change was decided. UpdateFeatures itself is written at the old
        # level: a reader knows the new one only after the record.
        values.append(encode_metadata_record(record, record_version(record, metadata_version)))
        yield
    records, encoded, ends = yield from fitted(result.records, values)
    if result.atomic and len(ends) > 1:
        raise _too_large(len(result.records))
    assert len(records) == len(encoded), f"{len(records)} records, {len(encoded)} of them encoded"
    return deque(records), deque(encoded), ends


def append_steps(
    log: LogStates, epoch: int, found: Batches, append: Callable[[AppendRecords], None]
) -> Steps[None]:
    """Replay and append batch by batch. Each batch is taken from the deques as it is appended.

    ``append`` gets each batch before ``log`` does.
    """
    records, values, ends = found
    start = 0
    for end in ends:
        # Popped, not sliced: each record is freed soon after. To free a hundred thousand at once
        # would hold up the loop.
        batch = [records.popleft() for _ in range(start, end)]
        is_replayed = False
        while not is_replayed:
            newest, base_offset = log.newest, log.next_offset
            # The append time is not known before the driver writes the batch; the commit sets it.
            state = yield from load_steps(
                newest,
                base_offset=base_offset,
                epoch=epoch,
                timestamp_ms=newest.latest.timestamp_ms,
                records=batch,
            )
            # If not, the quorum has appended control records meanwhile: replay at the new offset.
            is_replayed = base_offset == log.next_offset
        # Replay comes before the append, as in Kafka's QuorumController: a record that contradicts
        # the image must never reach the log, where every node would stop at it.
        append(
            AppendRecords(
                epoch=epoch,
                base_offset=base_offset,
                records=tuple([values.popleft() for _ in batch]),
                # The image before the batch: in the one after it, the new leader has already left
                # the ELR.
                elections=count_elections(newest.latest, batch),
            )
        )
        log.append(state)
        assert len(records) == len(values), "records and their bytes leave together"
        start = end


def _too_large(record_count: int) -> ApiError:
    return ApiError(
        ErrorCode.POLICY_VIOLATION,
        f"The request leads to {record_count} metadata records, more than one batch holds:"
        f" at most {batches.MAX_RECORDS_PER_BATCH} records and {MAX_BATCH_BYTES} bytes.",
    )
