"""Our brokers beside a stock one on stock controllers: whatever a broker does without records of topics.

`bin/compat our-brokers` is the same at length: both ways to find the quorum, all tools, every wait as long as Kafka's.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import our_brokers
from compat.runs.same_responses import TOOLS
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


def test_our_brokers_live_and_answer_on_stock_controllers_as_a_stock_broker_does(tmp_path: Path) -> None:
    outcome = our_brokers.run(
        tmp_path,
        tell=in_silence,
        leaders=1,
        session_ms=3000,
        tools=TOOLS[:1],
        trims_log=False,
    )
    assert outcome.responses_compared > 100
    assert outcome.lines_compared
    assert outcome.lines
    assert (outcome.leaders_killed, outcome.snapshots_fetched) == (1, 1)
    assert outcome.replicas == 6
    assert outcome.writes
