"""Brokers of Apache Kafka and of ours replicate the same partitions, and each is killed under load."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import replication

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


def in_silence(_: str) -> None:
    """Nobody reads along."""


def test_a_mixed_cluster_loses_nothing_while_its_brokers_die(tmp_path: Path) -> None:
    outcome = replication.run(tmp_path, stock=1, tell=in_silence, burst=20)
    assert outcome.killed_while_leading == {"stock": 1, "ours": 2}
    assert outcome.acknowledged > 1_000
    assert outcome.replicas_compared == 18
    assert outcome.bytes_compared
