"""What judges runs beside real Kafka: replicas that differ, and acknowledged writes that are gone, are noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.agreement import ReplicasDifferError, check_agreement
from compat.quota_load import Accounts
from kafkaproto_pipeline.synthetic import HistoryOptions, generate
from tests.pipeline import planting

OPTIONS = HistoryOptions(seed=5, records=400, replicas=2, brokers=3, partitions=10, segment_bytes=1 << 20)


def test_a_record_that_differs_is_noticed(tmp_path: Path) -> None:
    nodes = generate(tmp_path / "made", OPTIONS).nodes
    copies = planting.copy_nodes(nodes, tmp_path / "copies")
    assert check_agreement(copies).keys() == {1, 2}
    place = planting.find(copies[1], 200)
    data = bytearray(place.batch.raw)
    data[-1] ^= 1
    planting.put(place, bytes(data))
    with pytest.raises(ReplicasDifferError, match=r"corrupt batch at offset \d+"):
        check_agreement(copies)


def test_held_may_be_what_was_acknowledged_last_or_sent_later() -> None:
    accounts = Accounts()
    for value in (1, 2):
        accounts.sent("a", value)
    accounts.acknowledged("a", 2)
    accounts.sent("a", 3)
    assert accounts.wrong({"a": 2.0}) == accounts.wrong({"a": 3.0}) == []
    assert accounts.wrong({"a": 1.0}) == ["a: acknowledged 2, held 1.0"]
    assert accounts.wrong({}) == ["a: acknowledged 2, held None"]
