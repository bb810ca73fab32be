"""Both steps of the check of a producer's batch."""

from __future__ import annotations

from kafkaproto_server.ports import Buffer
from kafkaproto_server.replica.incoming_batches import IncomingBatch, check_header, check_records
from kafkaproto_server.replica.incoming_rules import IncomingRules


def check_incoming(
    records: Buffer, rules: IncomingRules, now_ms: int, *, allows_zstd: bool = True
) -> IncomingBatch:
    """Both steps: the batch as it is to be stored. Raises BatchRefused as they do."""
    batch = check_header(records, rules, now_ms, allows_zstd=allows_zstd)
    return batch if batch.is_checked else check_records(batch, rules, now_ms)
