"""Both parts of the check of a producer's batch."""

from __future__ import annotations

from kafkaproto_server.ports import Buffer
from kafkaproto_server.replica.incoming_batches import IncomingBatch, check_header, check_records
from kafkaproto_server.replica.incoming_rules import IncomingRules
from kafkaproto_server.requests.sender import Sender
from kafkaproto_server.types import run_to_end


def check_incoming(
    records: Buffer,
    rules: IncomingRules,
    now_ms: int,
    *,
    allows_zstd: bool = True,
    sender: Sender | None = None,
) -> IncomingBatch:
    """Both parts: the batch as it is to be stored. Raises BatchRefused as they do."""
    batch = check_header(records, rules, allows_zstd=allows_zstd)
    sender = Sender(request_bytes=len(records)) if sender is None else sender
    return run_to_end(check_records(batch, rules, lambda: now_ms, sender))
