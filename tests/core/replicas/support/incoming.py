"""Both parts of the check of a producer's batch."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.core.replicas.incoming_batches import (
    BatchRefused,
    IncomingBatch,
    check_at_once,
    check_header,
    check_records,
)
from kafkaproto_server.core.replicas.incoming_rules import IncomingRules
from kafkaproto_server.requests.sender import Sender


def check_incoming(
    records: Buffer,
    rules: IncomingRules,
    now_ms: int,
    *,
    allows_zstd: bool = True,
    sender: Sender | None = None,
) -> IncomingBatch:
    """Both parts: the batch as it is to be stored. Raises BatchRefused as they do."""
    sender = Sender(request_bytes=len(records)) if sender is None else sender
    batch = check_header(records, rules, sender, allows_zstd=allows_zstd)
    units = sender.budget.units
    at_once = _result(lambda: check_at_once(batch, rules, lambda: now_ms, sender))
    if at_once is not None:
        # Whether it is checked at once or in steps makes no difference.
        taken, sender.budget.units = units - sender.budget.units, units
    in_steps = _result(lambda: run_to_end(check_records(batch, rules, lambda: now_ms, sender)))
    if isinstance(at_once, IncomingBatch):
        assert at_once == in_steps
        assert taken == units - sender.budget.units
    elif at_once is not None:
        assert str(at_once) == str(in_steps)
    if isinstance(in_steps, BatchRefused):
        raise in_steps
    assert in_steps is not None
    return in_steps


def _result(check: Callable[[], IncomingBatch | None]) -> IncomingBatch | BatchRefused | None:
    try:
        return check()
    except BatchRefused as refused:
        return refused
