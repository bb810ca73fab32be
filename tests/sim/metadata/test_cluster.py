"""Controllers, brokers and administrators under simulated faults; see ``tests.sim.metadata``."""

from __future__ import annotations

import gc

import pytest

from kafkaproto_server.core.controller.machine.table import COMMANDS
from tests.sim.runner import report, timed_run
from tests.sim.seeds import FEW, pieces, run_all_well, run_well


def test_every_invariant_holds_in_a_few_runs() -> None:
    results = [run_well(seed, "cluster") for seed in FEW["cluster"]]
    assert sum(result.acknowledged for result in results) > 300
    assert sum(sum(result.faults.values()) for result in results) > 50
    commands = {command for result in results for command in result.commands}
    assert commands == COMMANDS.keys(), "nobody asks for some of what the controller does"
    assert sum(result.faults.get("proven death", 0) for result in results) > 0


def test_a_run_leaves_nothing_in_memory() -> None:
    def objects() -> int:
        return len(gc.get_objects()) + gc.get_freeze_count()

    run_well(1, "cluster")
    before = objects()
    run_well(1, "cluster")
    assert objects() < before + 500


@pytest.mark.simulation
@pytest.mark.parametrize("seeds", pieces("cluster"), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_every_invariant_holds_in_many_runs(seeds: range) -> None:
    totals = run_all_well(seeds, "cluster")
    assert totals.acknowledged > 50 * totals.runs, "most administrators hear nothing"


def test_a_failure_is_reported_with_the_command_that_shows_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.core.controller.brokers.heartbeats.changes_without", lambda *_: [])
    result = next(
        result for result in (timed_run(seed, "cluster") for seed in range(1, 20)) if result.invariant
    )
    assert report(result).splitlines()[-1] == f"bin/simulate --seed {result.seed} --events 200 --cluster"
