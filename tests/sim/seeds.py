"""The seeds of the cores that tests run while nothing is broken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.running.counting import CORES, count_run
from tests.sim.run import Result
from tests.sim.runner import Totals, report, timed_run

SEEDS_A_TEST = 50
FEW: Mapping[str, range] = {"quorum": range(1, 29), "unknown-node": range(1, 16), "cluster": range(1, 9)}
"""Those of quick tests, by what is simulated. Two of the quorum's flap, two are forged; of those with an unknown node
three are refused, and six spoof."""
MANY: Mapping[str, range] = {
    "quorum": range(29, 529),
    "unknown-node": range(16, 266),
    "cluster": range(100, 175),
}
"""The others. Whole nodes run the cores as well; ``bin/test --search`` runs thousands more."""


def pieces(level: str) -> list[range]:
    """The many seeds of a level, cut into what one test runs."""
    seeds = MANY[level]
    firsts = range(seeds.start, seeds.stop, SEEDS_A_TEST)
    return [range(first, min(first + SEEDS_A_TEST, seeds.stop)) for first in firsts]


def run_well(seed: int, level: str) -> Result:
    """Run a seed, in which every invariant has to hold."""
    result = timed_run(seed, level)
    assert result.invariant is None, report(result)
    count_run(CORES, result.simulated_us / 1e6, result.acknowledged)
    return result


def run_all_well(seeds: Iterable[int], level: str) -> Totals:
    """Run several."""
    totals = Totals()
    for seed in seeds:
        totals.add(run_well(seed, level))
    return totals
