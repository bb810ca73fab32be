"""The topics of a stopped Apache Kafka node under our server, and back, after SIGTERM and after kill -9."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import data_disks
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]


def test_records_producers_and_transactions_survive_each_change_of_servers(tmp_path: Path) -> None:
    disks = data_disks.DataDisks(tmp_path, ("SIGTERM", "kill -9", "kill -9"), in_silence)
    disks.run()
    assert disks.outcome.handed_over == [
        "stock, SIGTERM, ours",
        "ours, kill -9, stock",
        "stock, kill -9, ours",
    ]
    assert disks.outcome.records > 1_000
    # All partitions but the compacted one, three times.
    assert disks.outcome.states_compared == 15
