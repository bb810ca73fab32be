"""What a seed draws of log directories."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from tests.sim.nodes.host import DIRECTORIES
from tests.sim.nodes.late.options import WITH_LATE_REQUESTS

FIRST_WITH_DIRECTORIES = 3_500_000
"""From this seed on, all runs have records, and brokers with several log directories, but for those of
`WITH_LATE_REQUESTS`; none have below."""
FAULTS = {
    "failed directory": 4.0,
    "read-only directory": 12.0,
    "full directory": 8.0,
    "gone directory": 12.0,
    "directory dead at start": 6.0,
    "replaced directory": 8.0,
    "swapped directories": 8.0,
    "added directory": 10.0,
}
"""Mean seconds between two of a kind, where the seed chooses the kind at all."""
_MOST_RATE = "100000"
"""Of moves, in bytes a second: slow enough that something happens while a replica moves, and that all end in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryOptions:
    """What a seed draws of log directories."""

    counts: tuple[int, ...]
    """How many the hosts have at first, in their order."""
    faults: Mapping[str, float]
    moves: bool
    """Whether somebody moves replicas to other directories while there are faults."""
    config: Mapping[str, str]
    loses_one_at_last: bool
    """Whether one directory fails alone, once everything else is healed."""


def draw_directories(seed: int, hosts: int) -> DirectoryOptions | None:
    """The options of a seed; None for a run in which each host has one directory."""
    if seed < FIRST_WITH_DIRECTORIES or seed in WITH_LATE_REQUESTS:
        return None
    rng = random.Random(f"directory options {seed}")
    counts = [rng.randint(1, len(DIRECTORIES)) for _ in range(hosts)]
    counts[rng.randrange(hosts)] = rng.choice((2, len(DIRECTORIES)))
    chosen = [name for name in FAULTS if rng.random() < 0.5]
    config = {
        # Deleted replicas are removed within the run.
        "log.segment.delete.delay.ms": str(rng.choice((500, 5000))),
        "num.replica.alter.log.dirs.threads": str(rng.choice((1, 3))),
    }
    if rng.random() < 0.3:
        config["replica.alter.log.dirs.io.max.bytes.per.second"] = _MOST_RATE
    return DirectoryOptions(
        counts=tuple(counts),
        faults={name: FAULTS[name] for name in chosen},
        moves=rng.random() < 0.8,
        config=config,
        loses_one_at_last=rng.random() < 0.5,
    )
