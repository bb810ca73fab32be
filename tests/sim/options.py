"""The options of one run: its quorum, its load and its faults, all drawn from the seed.

Most faults are off in most runs, and strong if they are on. Runs that have every fault at once are all alike, and one
fault hides behind the other ("swarm testing").
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass

SCENARIOS = ("chaos", "flapping", "forged")
"""Everything fails; one link flaps in a healthy quorum; an outsider sends forged requests to a healthy quorum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings of one run. Intervals are means, in milliseconds of simulated time; 0 means that a fault is off."""

    scenario: str = "chaos"
    format: str = "initial"
    """static: controller.quorum.voters; initial: --initial-controllers; standalone: one voter that is joined."""
    voters: int = 3
    """Controllers that are voters from the start; of a standalone quorum, that are meant to join."""
    observers: int = 0
    """Further controllers, formatted without voters."""
    brokers: int = 0
    """Replicas without the controller role."""
    auto_join: bool = False
    upgrade: bool = False
    """Whether a static quorum is taken to kraft.version 1."""
    balanced_bootstrap: bool = False
    """Whether one address, balanced over all controllers, is the only bootstrap server."""
    fault_ms: int = 20_000
    """How long faults last before everything is repaired."""
    election_timeout_ms: int = 1000
    fetch_timeout_ms: int = 2000
    linger_ms: int = 25
    fetch_max_bytes: int = 1024
    chunk_bytes: int = 100
    max_batch_bytes: int = 1024
    latency_us: int = 500
    """Mean delay of a message."""
    disk_us: int = 1000
    """Mean time of a sync."""
    append_interval_ms: int = 50
    oversized_appends: bool = False
    loss: float = 0.0
    """Share of messages lost; the next ones likewise."""
    duplicates: float = 0.0
    stragglers: float = 0.0
    """Share of messages that come seconds late."""
    late_responses: bool = False
    """Whether the core receives responses to requests that are over."""
    bad_responses: float = 0.0
    """Share of responses that are turned into nonsense or a top-level error."""
    corrupt_chunks: float = 0.0
    clock_skew: int = 0
    """Clocks run up to so many thousandths fast or slow."""
    clock_jump_ms: int = 0
    late_timers_ms: int = 0
    """Timers fire up to so much too late."""
    crash_ms: int = 0
    crash_all_ms: int = 0
    crash_at_election: float = 0.0
    """Share of the quorum-state files after whose sync the replica crashes, before or after it sends anything."""
    silent_hosts: bool = False
    """Whether a crash may take the whole host along, so that nobody refuses connections."""
    down_ms: int = 1000
    """Mean time until a crashed replica starts again."""
    shutdown_ms: int = 0
    resign_ms: int = 0
    """The active controller gives up on an epoch."""
    pause_ms: int = 0
    partition_ms: int = 0
    one_way_ms: int = 0
    broken_links_ms: int = 0
    joint_persisted: bool = False
    """Whether the core is notified once of everything that one sync made durable."""
    stall_ms: int = 0
    failed_sync_ms: int = 0
    wipe_ms: int = 0
    snapshot_ms: int = 0
    clean_ms: int = 0
    voter_change_ms: int = 0
    endpoint_changes: bool = False
    """Whether a restart may bring another port."""

    other_epochs: bool = False
    """Whether brokers send older and future epochs, and claim to have read what they have not; only with controllers on
    top of the quorum.
    """
    unknown_node: str = ""
    """What an unknown node does: ``unknown``: it sends requests under ids that are no voter's, for ever; ``spoofing``:
    under voters' ids as well, until everything is repaired; ``refused``: an authorizer refuses its requests.
    """

    def __str__(self) -> str:
        """What differs from the defaults."""
        parts = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                parts.append(
                    f"{field.name}={value:.3f}" if isinstance(value, float) else f"{field.name}={value}"
                )
        return " ".join(parts)


def draw(seed: int) -> Options:
    """The options of a seed."""
    rng = random.Random(f"options {seed}")
    scenario = "chaos"
    if seed % 20 == 7:
        scenario = "flapping"
    elif seed % 20 == 13:
        scenario = "forged"
    quorum = _draw_quorum(rng, is_calm=scenario != "chaos")
    if scenario == "flapping" and quorum["voters"] == 2:
        # One link is all that this quorum has.
        quorum["voters"] = 3
    return Options(scenario=scenario, **quorum, **({} if scenario != "chaos" else _draw_faults(rng, quorum)))  # type: ignore[arg-type]


UNKNOWN_NODE_MODES = ("refused", "unknown", "spoofing", "unknown", "spoofing")


def with_unknown_node(drawn: Options, seed: int) -> Options:
    """The options of a seed, and an unknown node."""
    mode = UNKNOWN_NODE_MODES[seed % len(UNKNOWN_NODE_MODES)]
    return dataclasses.replace(drawn, scenario="chaos", unknown_node=mode)


def draw_with_unknown_node(seed: int) -> Options:
    """The options of a seed of the level ``unknown-node``."""
    return with_unknown_node(draw(seed), seed)


def _draw_quorum(rng: random.Random, *, is_calm: bool) -> dict[str, object]:
    kind = rng.choices(["static", "initial", "standalone"], [3, 4, 3 if not is_calm else 0])[0]
    fast = rng.random() < 0.3
    return {
        "format": kind,
        "voters": rng.choices([1, 2, 3, 4, 5], [1, 2, 6, 2, 3] if not is_calm else [0, 1, 4, 2, 3])[0],
        "observers": rng.choice([0, 0, 1, 2]),
        "brokers": rng.choice([0, 0, 0, 1, 2]),
        "auto_join": kind != "static" and rng.random() < 0.4 and not is_calm,
        "upgrade": kind == "static" and rng.random() < 0.5,
        "balanced_bootstrap": kind != "static" and rng.random() < 0.15,
        "fault_ms": rng.choice([10_000, 20_000, 30_000]),
        "election_timeout_ms": 300 if fast else 1000,
        "fetch_timeout_ms": 700 if fast else 2000,
        "linger_ms": rng.choice([0, 5, 25, 25]),
        "fetch_max_bytes": rng.choice([1, 200, 1000, 1_000_000]),
        "chunk_bytes": rng.choice([30, 100, 400]),
        "max_batch_bytes": rng.choice([250, 1000, 1_000_000]),
        "latency_us": rng.choice([200, 500, 2000, 20_000]),
        "disk_us": rng.choice([100, 1000, 5000, 20_000]),
        "append_interval_ms": rng.choice([20, 50, 100, 400]),
    }


def _draw_faults(rng: random.Random, quorum: dict[str, object]) -> dict[str, object]:
    def maybe(share: float, *choices: object) -> object:
        picked = rng.choice(choices)
        return picked if rng.random() < share else type(picked)()

    dynamic = quorum["format"] != "static" or quorum["upgrade"]
    return {
        "oversized_appends": quorum["max_batch_bytes"] != 1_000_000 and rng.random() < 0.3,
        "loss": maybe(0.4, 0.01, 0.05, 0.2),
        "duplicates": maybe(0.4, 0.02, 0.1, 0.3),
        "stragglers": maybe(0.4, 0.005, 0.02, 0.1),
        "late_responses": rng.random() < 0.5,
        "bad_responses": maybe(0.2, 0.005, 0.03),
        "corrupt_chunks": maybe(0.3, 0.02, 0.1),
        "clock_skew": maybe(0.4, 20, 150),
        "clock_jump_ms": maybe(0.2, 3000, 10_000),
        "crash_ms": maybe(0.6, 1000, 3000, 10_000),
        "crash_all_ms": maybe(0.25, 5000, 15_000),
        "crash_at_election": maybe(0.4, 0.05, 0.2, 0.5),
        "resign_ms": maybe(0.2, 1000, 5000),
        "late_timers_ms": maybe(0.3, 5, 50),
        "joint_persisted": rng.random() < 0.3,
        "silent_hosts": rng.random() < 0.4,
        "down_ms": rng.choice([50, 1000, 5000]),
        "shutdown_ms": maybe(0.4, 1500, 6000),
        "pause_ms": maybe(0.4, 2000, 8000),
        "partition_ms": maybe(0.6, 700, 2000, 6000),
        "one_way_ms": maybe(0.4, 1000, 4000),
        "broken_links_ms": maybe(0.4, 100, 1000),
        "stall_ms": maybe(0.4, 1500, 6000),
        "failed_sync_ms": maybe(0.3, 3000, 10_000),
        "wipe_ms": maybe(0.5, 1000, 4000) if dynamic else 0,
        "snapshot_ms": maybe(0.8, 100, 300, 2000),
        "clean_ms": maybe(0.8, 100, 400, 2000),
        "voter_change_ms": maybe(0.75, 200, 700, 3000) if dynamic else 0,
        "endpoint_changes": bool(dynamic) and not quorum["upgrade"] and rng.random() < 0.3,
    }
