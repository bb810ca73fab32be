"""A cluster of Apache Kafka 3.9.1 whose controllers become ours one by one under load, and stock again."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import upgrade
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


def test_controllers_of_an_older_release_become_ours_and_go_back(tmp_path: Path) -> None:
    outcome = upgrade.run(tmp_path, release="3.9.1", tell=in_silence, with_brokers=False)
    assert len(outcome.replaced) == 6
    assert outcome.levels == ["3.9-IV0", "3.9-IV0"]
    assert "101" in outcome.refused
    assert outcome.writes
    assert outcome.records
