"""A stock controller and two of ours on a network that is cut: leaders, followers that are not heard, brokers.

`bin/compat cut-off` is the same at length, with other quorums, more ways to cut, and brokers of Apache Kafka.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import cut_off
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


def test_a_quorum_lives_through_cuts_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    outcome = cut_off.run(
        tmp_path,
        stock=1,
        tell=in_silence,
        times_each=1,
        leader_cuts=["cut off"],
        follower_cuts=["its requests to the leader lost"],
        random_cuts=0,
        brokers=["ours", "ours"],
    )
    assert sorted(outcome.leaders_cut) == ["ours: cut off", "stock: cut off"]
    assert len(outcome.followers_cut) == 2
    assert outcome.brokers_fenced == ["ours", "ours"]
    assert outcome.writes
