"""What tests have proved, counted: seeds, simulated hours, writes acknowledged, rules broken. ``bin/test`` tells it.

What a test has counted goes into the sums if it passes.
"""

from __future__ import annotations

from collections import Counter

NODES, CORES = "whole nodes", "the cores"
SEEDS = "seeds of {}"
HOURS = "simulated hours of {}"
ACKNOWLEDGED = "writes acknowledged by {}"
BROKEN_RULES = "broken rules"
SCENARIOS = "scenarios"

_counts: Counter[str] = Counter()


def count(what: str, number: float = 1) -> None:
    """Add to what the running test has proved."""
    # The type of a Counter's values is int by its annotation only.
    _counts[what] += number  # type: ignore[assignment]


def count_run(of: str, simulated_s: float, acknowledged: int) -> None:
    """Add a seed of whole nodes or of the cores."""
    count(SEEDS.format(of))
    count(HOURS.format(of), simulated_s / 3600)
    count(ACKNOWLEDGED.format(of), acknowledged)


def take_counts() -> dict[str, float]:
    """What was counted since the last call."""
    taken: dict[str, float] = dict(_counts)
    _counts.clear()
    return taken
