"""Disks change hands between Apache Kafka and ours, after SIGTERM and after kill -9, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import disks
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


def test_either_make_goes_on_with_the_others_disk(tmp_path: Path) -> None:
    outcome = disks.run(tmp_path, tell=in_silence)
    of_quorum = {
        "stock, SIGTERM, ours",
        "stock, kill -9, ours",
        "ours, SIGTERM, stock",
        "ours, kill -9, stock",
    }
    of_sole = {"stock, SIGTERM", "stock, kill -9", "ours, SIGTERM", "ours, kill -9"}
    assert set(outcome.taken_over) == of_quorum | of_sole
    assert outcome.led == ["ours", "stock"]
    assert outcome.writes
    assert outcome.lines_compared
