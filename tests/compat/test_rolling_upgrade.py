"""A whole cluster of Apache Kafka 3.9.1 becomes ours node by node, with records, groups and transactions meanwhile.

`bin/compat upgrade` does the same from every line since.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import rolling_upgrade
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


def test_nothing_acknowledged_is_lost_while_a_cluster_becomes_ours(tmp_path: Path) -> None:
    outcome = rolling_upgrade.run(tmp_path, release="3.9.1", tell=in_silence)
    assert len(outcome.replaced) == 5
    assert sum("3.9.1 again" in each for each in outcome.replaced) == 1
    assert outcome.records
    assert outcome.transactions
    assert outcome.aborted
