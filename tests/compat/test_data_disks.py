"""The topics of a stopped Apache Kafka node under our server, and back, after SIGTERM and after kill -9."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import data_disks
from compat.runs.disks import ENDS
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]


@pytest.mark.parametrize("how", ENDS)
def test_records_producers_and_transactions_survive_each_change_of_servers(tmp_path: Path, how: str) -> None:
    disks = data_disks.DataDisks(tmp_path, how, in_silence)
    disks.run()
    assert disks.outcome.handed_over == [
        f"stock, {how}, ours",
        f"ours, {how}, stock",
        f"stock, {how}, ours",
    ]
    assert disks.outcome.records > 1_000
    # All partitions but the compacted one, three times.
    assert disks.outcome.states_compared == 15
