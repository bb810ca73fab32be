"""Swarms: seeds whose runs put together what others have one at a time, so that rare combinations happen.

A swarm has the loads of some other seed, and may have several log directories beside groups. How often each fault
comes, how long nodes are away, how much a follower fetches at a time and how old a checkpoint may be is drawn for each
run anew. Some faults come just when a leader does what they endanger (`Strike`).
"""

from __future__ import annotations

import dataclasses
import random

from tests.sim.nodes.coordination.traffic import (
    FIRST_WITH_COORDINATORS,
    FIRST_WITH_DEAD_LETTERS,
    FIRST_WITH_SHARES,
    FIRST_WITH_STREAMS,
    CoordinationOptions,
)
from tests.sim.nodes.data.operators import MOVE_PAUSE_S
from tests.sim.nodes.data.tables import NODE_CONFIG
from tests.sim.nodes.data.traffic import FIRST_WITH_RECORDS, WITH_NEW_EPOCHS, DataOptions
from tests.sim.nodes.directories.options import FAULTS as DIRECTORY_FAULTS
from tests.sim.nodes.directories.options import FIRST_WITH_DIRECTORIES, DirectoryOptions, draw_directories
from tests.sim.nodes.options import (
    DOWN_S,
    FAULTS,
    LAYOUTS,
    Act,
    Event,
    NodesOptions,
    Strike,
    Victim,
    draw_plain,
)

FIRST_OF_SWARMS = 4_000_000
"""From this seed on, all runs are swarms."""
SWARM_FAULTS = {"several killed": 9.0, "away": 8.0, "returns behind": 9.0}
"""Faults that only swarms have: mean seconds between two."""
FIRST_WITH_LOST_FILES = 5_000_000
"""From this seed on, all runs are swarms with records whose disks lose files while nodes are down."""
LOST_FILES = {"lost files": 2.0, "lost files after a stop of all": 6.0}
"""Faults that only these have: mean seconds between two."""
_KINDS = (
    FIRST_WITH_RECORDS,
    FIRST_WITH_RECORDS,
    WITH_NEW_EPOCHS.start,
    FIRST_WITH_COORDINATORS,
    FIRST_WITH_SHARES,
    FIRST_WITH_DEAD_LETTERS,
    FIRST_WITH_STREAMS,
)
"""The first seeds of the loads that a swarm may have."""
_WITH_ANY_QUORUM = 0.12
"""The part of the swarms that may have five controllers, or voters that come and go, and need not have records."""
_SEEDS_OF_A_KIND = 100_000
_WITH_DIRECTORIES = 0.3
"""The part of the swarms with several log directories."""
_WITH_EARLY_LIMITS = 0.3
_WITH_ODD_BATCHES = 0.2
_AIMED_SHARE = 0.3
"""The part of the swarms with each of the aimed strikes."""
_EVENTS: tuple[Event, ...] = ("asks for an ISR", "has another ISR", "begins to lead")
_HITS: tuple[tuple[tuple[Victim, Act], ...], ...] = (
    (("itself", "kill"),),
    (("itself", "power loss"),),
    (("itself", "cut off"),),
    (("itself", "away"),),
    (("a follower", "kill"),),
    (("a follower", "power loss"),),
    (("the controller", "kill"),),
    (("the controller", "cut off"),),
    (("itself", "kill"), ("a follower", "kill")),
    # The controllers hear of the follower later than they should.
    (("itself", "cut off"), ("a follower", "power loss")),
)


def draw(seed: int) -> NodesOptions:
    """The options of any seed of whole nodes."""
    if seed < FIRST_OF_SWARMS:
        return draw_plain(seed)
    if seed >= FIRST_WITH_LOST_FILES:
        return _with_lost_files(seed)
    rng = random.Random(f"swarm {seed}")
    kind, number = rng.choice(_KINDS), rng.randrange(_SEEDS_OF_A_KIND)
    if _more(seed, "loads").random() < _WITH_ANY_QUORUM:
        kind = 1
    loads = draw_plain(kind + number)
    directories = _directories(rng, loads)
    own = {**FAULTS, **SWARM_FAULTS}
    density = rng.uniform(0.1, 0.7)
    of_directories = DIRECTORY_FAULTS if directories is not None else {}
    faults = {
        name: mean * 2 ** rng.uniform(-1, 2)
        for name, mean in {**own, **of_directories}.items()
        if rng.random() < density
    }
    return dataclasses.replace(
        loads,
        data=None if loads.data is None else _data(rng, loads.data, _more(seed, "data")),
        coordination=None
        if loads.coordination is None
        else _coordination(loads.coordination, _more(seed, "coordination")),
        faults=faults,
        directories=directories,
        config={
            **loads.config,
            **_config(rng, _more(seed, "config")),
            **(directories.config if directories else {}),
        },
        large_partitions=0,
        down_s=DOWN_S * rng.choice((0.2, 1.0, 1.0, 3.0)),
        strikes=(*(_strike(rng) for _ in range(rng.choice((0, 1, 2, 3)))), *_aimed_strikes(seed)),
        has_early_limits=_more(seed, "limits").random() < _WITH_EARLY_LIMITS,
        has_old_brokers=rng.random() < 0.5,
    )


def _with_lost_files(seed: int) -> NodesOptions:
    rng, layouts = _more(seed, "lost files"), ("three combined", "one and brokers", "three and two")
    loads = draw_plain(FIRST_WITH_RECORDS + rng.randrange(_SEEDS_OF_A_KIND))
    assert loads.data is not None, "it is a seed with records"
    kept = {name: mean for name, mean in loads.faults.items() if rng.random() < 0.5}
    return dataclasses.replace(
        loads,
        layout=loads.layout if loads.layout in layouts else layouts[0],
        data=_data(rng, loads.data, _more(seed, "data")),
        faults={**kept, **LOST_FILES},
        config={**loads.config, **_config(rng, _more(seed, "config"))},
    )


def _more(seed: int, what: str) -> random.Random:
    """Dice of their own for a part of a swarm: what they say leaves the other parts as they are."""
    return random.Random(f"{what} of swarm {seed}")


def _coordination(options: CoordinationOptions, more: random.Random) -> CoordinationOptions:
    return dataclasses.replace(options, keeps_ids=more.random() < 0.5)


def _data(rng: random.Random, options: DataOptions, more: random.Random) -> DataOptions:
    segment_bytes = rng.choice((1500, 1500, options.segment_bytes))
    return dataclasses.replace(
        options,
        segment_bytes=segment_bytes,
        others=rng.choice((0, 1, 2)),
        retention_bytes=3000 if segment_bytes == 1500 and rng.random() < 0.6 else -1,
        table_keys=rng.choice((0, 3, 8)),
        movers=rng.choice((0, 1, 3)),
        move_pause_s=more.choice((0.15, MOVE_PAUSE_S)),
        deletes_boldly=more.random() < 0.5,
        has_odd_batches=more.random() < _WITH_ODD_BATCHES,
    )


def _directories(rng: random.Random, loads: NodesOptions) -> DirectoryOptions | None:
    if rng.random() >= _WITH_DIRECTORIES or loads.segment_bytes_of_topics is None:
        return None
    return draw_directories(
        FIRST_WITH_DIRECTORIES + rng.randrange(_SEEDS_OF_A_KIND), len(LAYOUTS[loads.layout])
    )


def _config(rng: random.Random, more: random.Random) -> dict[str, str]:
    session_ms, heartbeat_ms = rng.choice(((3000, 500), (3000, 500), (1500, 200)))
    return {
        **NODE_CONFIG,
        "replica.high.watermark.checkpoint.interval.ms": str(rng.choice((1000, 5000, 60_000))),
        "replica.fetch.max.bytes": str(rng.choice((600, 1_048_576))),
        "replica.lag.time.max.ms": str(rng.choice((1000, 2000, 2000, 6000))),
        "num.replica.fetchers": str(rng.choice((1, 2))),
        "broker.session.timeout.ms": str(session_ms),
        "broker.heartbeat.interval.ms": str(heartbeat_ms),
        "max.incremental.fetch.session.cache.slots": str(more.choice((2, 1000))),
        "log.cleaner.min.compaction.lag.ms": str(more.choice((0, 0, 1500))),
        "log.cleaner.max.compaction.lag.ms": str(more.choice((3000, 2**63 - 1))),
        "transactional.id.expiration.ms": str(more.choice((4000, 604_800_000))),
        "transaction.remove.expired.transaction.cleanup.interval.ms": "1000",
        "group.share.partition.max.record.locks": str(more.choice((100, 2000))),
    }


def _aimed_strikes(seed: int) -> list[Strike]:
    """Strikes at moments which chance alone hardly ever brings about."""
    rng = _more(seed, "strikes")
    left_behind = Strike(
        event="loses a follower",
        share=rng.choice((0.2, 0.5)),
        # Who leads next may have an old high watermark, and what it waits for is a follower that lags.
        hits=(("itself", "kill"), ("the others", "kill"), ("a follower", "start")),
        within_s=rng.choice((0.5, 2.0)),
    )
    hidden = Strike(
        event=rng.choice(_EVENTS),
        share=rng.choice((0.2, 0.5)),
        # The leader knows what the follower had fetched, and not what it has.
        hits=(("a follower", "power loss"), ("a follower", "hide")),
        within_s=rng.choice((0.5, 2.0)),
    )
    aimed = [each for each in (left_behind, hidden) if rng.random() < _AIMED_SHARE]
    unanswered = _unanswered(rng)
    if rng.random() < _AIMED_SHARE:
        aimed.append(unanswered)
    return aimed


def _unanswered(rng: random.Random) -> Strike:
    return Strike(
        event="ends a transaction",
        share=rng.choice((0.2, 0.5)),
        # The producer does not hear what was decided, or the coordinator not whether it is committed.
        hits=(("itself", rng.choice(("reset", "reset", "kill", "cut off"))),),
        within_s=rng.choice((0.002, 0.02)),
    )


def _strike(rng: random.Random) -> Strike:
    return Strike(
        event=rng.choice(_EVENTS),
        share=rng.choice((0.05, 0.2, 0.5)),
        hits=rng.choice(_HITS),
        within_s=rng.choice((0.002, 0.02, 0.2)),
    )
