"""AllocateProducerIds (67, v0): blocks of producer ids, for brokers to hand out to idempotent producers (KIP-730).

A block has 1,000 ids, and no id is ever given out twice: a record says where the next block begins, and it is committed
before the broker gets its block. The broker's registration must be the newest one; whether the broker is fenced does
not matter.

Apache Kafka: ``ProducerIdControlManager``.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AllocateProducerIdsRequest, AllocateProducerIdsResponse, ProducerIdsRecord
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation

BLOCK_SIZE = 1_000
"""Ids in a block, Kafka's number."""
_LAST_ID = 2**63 - 1
"""Highest producer id that batches of records can hold."""


def allocate_producer_ids(situation: Situation, request: AllocateProducerIdsRequest) -> CommandResult:
    """Give the broker the next block.

    Raises ApiError: STALE_BROKER_EPOCH unless the broker is registered with that epoch, UNKNOWN_SERVER_ERROR if no
    whole block is left.
    """
    image = situation.image
    broker = image.brokers.get(request.broker_id)
    if broker is None or broker.epoch != request.broker_epoch:
        raise ApiError(ErrorCode.STALE_BROKER_EPOCH)
    start = image.next_producer_id
    # Kafka's ProducerIdControlManager also stops before the last incomplete block: every block has
    # the same length, so brokers need not expect a shorter one.
    assert start >= 0, f"the next producer id is {start}"
    if start > _LAST_ID - BLOCK_SIZE:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    # The record holds the next free id, not the block. So a block whose commit fails is given out
    # again, and a committed one never is.
    record = ProducerIdsRecord(
        broker_id=request.broker_id,
        broker_epoch=request.broker_epoch,
        next_producer_id=start + BLOCK_SIZE,
    )
    response = AllocateProducerIdsResponse(producer_id_start=start, producer_id_len=BLOCK_SIZE)
    return CommandResult(response=response, records=(record,))
