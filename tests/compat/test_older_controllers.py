"""Our brokers under a controller of Apache Kafka 3.9.1. `bin/compat older-controllers` has every line since."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import older_controllers
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


def test_our_brokers_do_all_their_work_under_a_controller_of_3_9(tmp_path: Path) -> None:
    outcome = older_controllers.run(tmp_path, release="3.9.1", tell=in_silence)
    assert len(outcome.done) == 4
    assert outcome.records
    assert outcome.transactions
