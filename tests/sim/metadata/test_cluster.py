"""Controllers, brokers and administrators under simulated faults; see ``tests.sim.metadata``."""

from __future__ import annotations

import pytest

from kafkaproto_server.controller.core.table import COMMANDS
from tests.sim.runner import Totals, report, run_many, timed_run

PROCESSES = 2
QUICK_RUN = range(1, 9)
BOUNDED_RUN = [range(first, first + 150) for first in (100,)]


def test_every_invariant_holds_in_a_few_runs() -> None:
    totals = Totals()
    commands: set[int | None] = set()
    failed_brokers = 0
    for seed in QUICK_RUN:
        result = timed_run(seed, "cluster")
        totals.add(result)
        assert result.invariant is None, report(result)
        commands |= result.commands
        failed_brokers += result.faults.get("proven death", 0)
    assert totals.acknowledged > 300
    assert totals.faults > 50
    assert commands == COMMANDS.keys(), "nobody asks for some of what the controller does"
    assert failed_brokers > 0


@pytest.mark.simulation
@pytest.mark.parametrize("seeds", BOUNDED_RUN, ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_every_invariant_holds_in_many_runs(seeds: range, capsys: pytest.CaptureFixture[str]) -> None:
    totals = Totals()
    for result in run_many(seeds, PROCESSES, "cluster"):
        totals.add(result)
        assert result.invariant is None, report(result)
    with capsys.disabled():
        print(f"\n{totals}")
    assert totals.acknowledged > 50 * totals.runs, "most administrators hear nothing"


def test_a_failure_is_reported_with_the_command_that_shows_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkaproto_server.controller.brokers.heartbeats.changes_without", lambda *_: [])
    result = next(
        result for result in (timed_run(seed, "cluster") for seed in range(1, 20)) if result.invariant
    )
    assert report(result).splitlines()[-1] == f"bin/simulate --seed {result.seed} --events 200 --cluster"
