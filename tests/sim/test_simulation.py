"""The quorum under simulated faults: seeds that once failed, then many; see ``tests.sim.world``."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.running.counting import CORES, count_run
from tests.sim.checkers.invariants import Invariant
from tests.sim.nodes.runner import NodesTotals
from tests.sim.options import SCENARIOS, UNKNOWN_NODE_MODES, draw, draw_with_unknown_node
from tests.sim.run import run
from tests.sim.runner import SEEDS_FILE, Totals, command, known_seeds, pace, report, timed_run
from tests.sim.seeds import FEW, pieces, run_all_well

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("seed", "level", "cause"), [each for each in known_seeds() if each[1] != "nodes"])
def test_seed_that_failed_once_holds(seed: int, level: str, cause: str) -> None:
    result = timed_run(seed, level)
    assert result.invariant is None, f"{cause}\n{report(result)}"
    count_run(CORES, result.simulated_us / 1e6, result.acknowledged)


def test_every_invariant_holds_in_a_few_runs() -> None:
    totals = run_all_well(FEW["quorum"], "quorum")
    assert {draw(seed).scenario for seed in FEW["quorum"]} == set(SCENARIOS)
    assert totals.acknowledged > 1000
    assert totals.faults > 300
    assert totals.voter_changes > 10


def test_an_unknown_node_achieves_nothing_in_a_few_runs() -> None:
    totals = run_all_well(FEW["unknown-node"], "unknown-node")
    modes = {draw_with_unknown_node(seed).unknown_node for seed in FEW["unknown-node"]}
    assert modes == set(UNKNOWN_NODE_MODES)
    assert totals.acknowledged > 1000


@pytest.mark.simulation
@pytest.mark.parametrize("seeds", pieces("unknown-node"), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_an_unknown_node_achieves_nothing_in_many_runs(seeds: range) -> None:
    totals = run_all_well(seeds, "unknown-node")
    assert totals.acknowledged > 50 * totals.runs, "most runs do nothing"


@pytest.mark.simulation
@pytest.mark.parametrize("seeds", pieces("quorum"), ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_every_invariant_holds_in_many_runs(seeds: range) -> None:
    totals = run_all_well(seeds, "quorum")
    assert totals.runs == len(seeds)
    assert totals.acknowledged > 50 * totals.runs, "most runs do nothing"
    assert totals.epochs > 4 * totals.runs, "leaders hardly change"
    assert totals.voter_changes > totals.runs, "voters hardly change"


def test_a_seed_is_one_run_whatever_the_order_of_sets() -> None:
    first, second = (_digests(hash_seed) for hash_seed in (1, 77))
    assert [(seed, level) for seed, level, _ in first] == SEEDS_OF_EACH_LEVEL
    assert first == second


SEEDS_OF_EACH_LEVEL = [
    (5, "quorum"),
    (7, "quorum"),
    (13, "quorum"),
    (21, "quorum"),
    (2, "unknown-node"),
    (9, "cluster"),
]


def _digests(hash_seed: int) -> Sequence[tuple[int, str, str]]:
    """What each of some seeds comes to in a new process."""
    program = (
        "from tests.sim.runner import LEVELS\n"
        "from tests.sim.trace import LineTrace\n"
        f"for seed, level in {SEEDS_OF_EACH_LEVEL}:\n"
        "    simulate, options_of = LEVELS[level]\n"
        "    trace = LineTrace(0)\n"
        "    simulate(seed, options_of(seed), trace)\n"
        "    print(seed, level, trace.digest)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONHASHSEED": str(hash_seed),
            "PYTHONPATH": os.pathsep.join((".", "server", "pipeline")),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    found = [line.split() for line in ran.stdout.splitlines()]
    assert all(len(digest) == 64 for _, _, digest in found)
    return [(int(seed), level, digest) for seed, level, digest in found]


def test_a_failure_is_reported_with_the_command_that_shows_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "kafkaproto_server.core.raft.roles.voting._is_up_to_date", lambda _core, _request: True
    )
    result = next(result for result in map(run, range(1, 200)) if result.invariant is not None)
    assert result.invariant is Invariant.LEADER_COMPLETENESS
    lines = report(result).splitlines()
    assert lines[0].startswith(f"SEED={result.seed} ")
    assert lines[-1] == f"bin/simulate --seed {result.seed} --events 200"


def test_a_rerun_takes_the_options_that_were_given() -> None:
    options = dataclasses.replace(draw(3), loss=0.5)
    result = run(3, options)
    assert command(result) == "bin/simulate --seed 3 --events 200 --option loss=0.5"


def test_known_seeds_say_what_they_found() -> None:
    assert SEEDS_FILE.exists()
    assert all(cause for _, _, cause in known_seeds())


def test_the_pace_is_told() -> None:
    assert pace(30, 20.0) == "30 runs (90.0 a minute of processor time)"
    assert pace(0, 0.0) == "0 runs (0.0 a minute of processor time)"
    assert str(NodesTotals(runs=3, seconds=4.0)).startswith(pace(3, 4.0))
    assert str(Totals(runs=3, process_seconds=4.0)).startswith(pace(3, 4.0))
