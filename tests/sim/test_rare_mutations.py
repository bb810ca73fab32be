"""Rules that hardly any seed touches: a scenario has to notice if they are broken."""

from __future__ import annotations

from pathlib import Path

from tests.core.raft.support.voters_scenario import VotersRunner
from tests.sim.mutations.mutation import mutated
from tests.sim.mutations.unknown_nodes import RARE
from tests.support.scenarios import run_scenario

SCENARIO = (
    Path(__file__).parents[1] / "core" / "raft" / "data" / "voters" / "removed_voter_in_a_later_epoch.txt"
)


def test_a_scenario_notices_that_a_former_voter_is_asked_only_where_the_log_had_it() -> None:
    expected = SCENARIO.read_text()
    assert run_scenario(expected, VotersRunner()) == expected
    with mutated(RARE):
        assert run_scenario(expected, VotersRunner()) != expected
