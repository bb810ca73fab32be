"""What counts as a lost record of a compacted topic."""

from __future__ import annotations

import random
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from kafkaproto.records.batch import NewRecord
from kafkaproto.records.record import Record
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.data.tables import TABLE, Tables
from tests.sim.nodes.invariants import NodeInvariant

PLACE: Place = (TABLE, 0)


def record(offset: int, key: bytes, value: bytes | None) -> Record:
    return Record(offset, 0, key, value, ())


@pytest.mark.parametrize(
    ("kept", "is_right"),
    [
        pytest.param([record(5, b"k", b"new"), record(7, b"gone", None)], True, id="all newest ones"),
        pytest.param([record(7, b"gone", None)], False, id="a value is gone"),
        pytest.param([record(5, b"k", b"new")], False, id="a tombstone is gone"),
        pytest.param([record(3, b"k", b"old"), record(7, b"gone", None)], False, id="an older value"),
        pytest.param([record(5, b"k", b"old"), record(7, b"gone", None)], False, id="another value"),
        pytest.param(
            [record(9, b"k", b"later"), record(7, b"gone", None)], True, id="a later one that was sent"
        ),
        pytest.param(
            [record(9, b"k", b"forged"), record(7, b"gone", None)], False, id="a later one that nobody sent"
        ),
    ],
)
def test_the_newest_record_of_a_key_is_kept(
    monkeypatch: pytest.MonkeyPatch, kept: list[Record], is_right: bool
) -> None:
    ledger = Ledger([], random.Random(1), {PLACE: 2}, [PLACE])
    host: Any = SimpleNamespace(id=1)
    monkeypatch.setattr(Ledger, "replicas", lambda _: [(host, PLACE, None)])
    monkeypatch.setattr(Ledger, "note_elections", lambda _: None)
    monkeypatch.setattr(ledger.logs, "records_of", lambda *_: kept)
    tables = Tables(ledger)
    batches: list[tuple[int, list[NewRecord]]] = [
        (3, [NewRecord(b"k", b"old")]),
        (5, [NewRecord(b"k", b"new"), NewRecord(b"gone", b"old"), NewRecord(b"gone", None)]),
        (9, [NewRecord(b"k", b"later")]),
    ]
    for base_offset, records in batches:
        for each in records:
            tables.sent(PLACE, bytes(each.key or b""), None if each.value is None else bytes(each.value))
        if base_offset < 9:
            tables.acknowledged(PLACE, base_offset, records)
    with nullcontext() if is_right else pytest.raises(ViolationError) as caught:
        tables.check_at_last()
    assert (caught is None) is is_right
    assert caught is None or caught.value.invariant is NodeInvariant.NEWEST_IS_KEPT
