"""What a seed draws of whole nodes: machines, network, faults, configs, and which clients there are."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tests.sim.nodes.coordination.traffic import (
    FIRST_WITH_COORDINATORS,
    CoordinationOptions,
    draw_coordination,
)
from tests.sim.nodes.data.traffic import CONFIG as DATA_CONFIG
from tests.sim.nodes.data.traffic import FIRST_WITH_RECORDS, WITH_NEW_EPOCHS, DataOptions, draw_data
from tests.sim.nodes.directories.options import DirectoryOptions, draw_directories
from tests.sim.nodes.late_peers.peer import WITH_LATE_PEERS

DATA_DESCRIPTORS = 4096
DOWN_S = 1.5

LAYOUTS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "one": (("controller", "broker"),),
    "one and brokers": (("controller", "broker"), ("broker",), ("broker",)),
    "three combined": (("controller", "broker"),) * 3,
    "three and two": (("controller",),) * 3 + (("broker",),) * 2,
    "three, a joiner and one": (("controller",),) * 4 + (("broker",),),
    "five and one": (("controller",),) * 5 + (("broker",),),
}
_LAYOUTS_WITH_RECORDS = ["one and brokers", "three combined", "three and two"]
_LAYOUTS_WITH_COORDINATORS = _LAYOUTS_WITH_RECORDS[:2]
"""Of two replicas, one that stops keeps coordinators from working."""
JOINERS = {"three, a joiner and one": (4,)}
"""Controllers that are no voters at first. Where there is one, voters come and go."""
FAULTS = {
    "kill": 6.0,
    "power loss": 8.0,
    "power loss in an operation": 6.0,
    "stop": 12.0,
    "cut link": 5.0,
    "cut off": 8.0,
    "one way": 8.0,
    "reset": 2.0,
    "slow network": 6.0,
    "slow disk": 6.0,
    "failed sync": 15.0,
    "failed read": 15.0,
    "failed write": 15.0,
    "full disk": 15.0,
    "bit rot": 3.0,
    "clock jump": 5.0,
    "silent name": 8.0,
}
"""Mean seconds between two of a kind, where the seed chooses the kind at all."""


SHORTER_WITH_COORDINATORS = 0.7
"""There is more going on in each second."""


Event = Literal[
    "asks for an ISR", "has another ISR", "loses a follower", "begins to lead", "ends a transaction"
]
Victim = Literal["itself", "a follower", "the others", "the controller"]
Act = Literal["kill", "power loss", "cut off", "hide", "reset", "away", "start"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """Faults that come when a partition's leader does something, and not at any time."""

    event: Event
    share: float
    """The part of these events that they follow."""
    hits: tuple[tuple[Victim, Act], ...]
    """Who is hit by what, in order. The follower is the one that joins or leaves the ISR, or any; the others are all
    brokers but the leader and this follower. Who is hidden is cut off from the leader alone; who is reset loses all of
    its connections."""
    within_s: float
    """The mean time until they come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesOptions:
    """What a seed draws."""

    layout: str
    delay_ms: tuple[float, float]
    fault_s: float
    clients: int
    strangers: int
    has_static_voters: bool
    """Their quorum starts with kraft.version 0, and is upgraded."""
    descriptors: int
    faults: Mapping[str, float]
    config: Mapping[str, str]
    segment_bytes: int
    large_partitions: int
    """Of a topic beside the others; 0 for none."""
    narrow_share: float
    """The part of the connections that take little at a time."""
    data: DataOptions | None
    """None for a run without records, or with groups."""
    coordination: CoordinationOptions | None = None
    """None for a run without groups and transactions."""
    directories: DirectoryOptions | None = None
    """None for a run with one log directory on each host."""
    down_s: float = DOWN_S
    """The mean time until a node that ended starts again."""
    strikes: tuple[Strike, ...] = ()
    has_early_limits: bool = False
    """Whether epochs of producers and sessions, and generations of groups, begin anew after a few."""
    has_old_brokers: bool = False
    """Whether somebody asks the controllers in the name of brokers as they were registered before."""
    has_late_peer: bool = False
    """Whether somebody sends what peers send whose knowledge is outdated."""

    @property
    def segment_bytes_of_topics(self) -> int | None:
        """None if topics have no records."""
        options = self.coordination or self.data
        return None if options is None else options.segment_bytes


def draw_plain(seed: int) -> NodesOptions:
    """The options of a seed below those of `swarms`."""
    if seed in WITH_LATE_PEERS:
        like = draw_plain(FIRST_WITH_RECORDS + seed - WITH_LATE_PEERS.start)
        return dataclasses.replace(like, has_late_peer=True)
    rng, more = random.Random(f"options {seed}"), random.Random(f"more options {seed}")
    chosen = [name for name in FAULTS if rng.random() < 0.5]
    delay_ms = rng.choice(((0.05, 1.0), (0.5, 5.0), (2.0, 25.0)))
    layouts = list(LAYOUTS) if seed < FIRST_WITH_RECORDS else _LAYOUTS_WITH_RECORDS
    if seed >= FIRST_WITH_COORDINATORS and seed not in WITH_NEW_EPOCHS:
        layouts = _LAYOUTS_WITH_COORDINATORS
    layout = rng.choice(layouts)
    # An election that takes longer than its timeout is no fault of the nodes.
    election_ms = rng.choice((150, 300, 1000)) if delay_ms[1] < 10 else 1000
    brokers = sum("broker" in roles for roles in LAYOUTS[layout])
    coordination = draw_coordination(seed, brokers)
    data = None if coordination else draw_data(seed, brokers)
    has_topics = data is not None or coordination is not None
    directories = draw_directories(seed, len(LAYOUTS[layout]))
    return NodesOptions(
        layout=layout,
        delay_ms=delay_ms,
        fault_s=rng.uniform(6, 20) * (SHORTER_WITH_COORDINATORS if coordination else 1),
        clients=rng.randint(1, 4) if coordination is None else 1,
        strangers=rng.choice((0, 0, 1, 3)),
        has_static_voters=layout not in JOINERS and rng.random() < 0.3,
        # Each segment of a topic has three files open.
        descriptors=max(rng.choice((300, 1024)), DATA_DESCRIPTORS if has_topics else 0),
        faults={name: FAULTS[name] for name in chosen} | dict(directories.faults if directories else {}),
        config={
            "controller.quorum.election.timeout.ms": str(election_ms),
            "controller.quorum.fetch.timeout.ms": str(2 * election_ms),
            "controller.quorum.request.timeout.ms": str(2 * election_ms),
            "broker.heartbeat.interval.ms": "500",
            "broker.session.timeout.ms": "3000",
            "metadata.log.max.record.bytes.between.snapshots": str(rng.choice((2_000, 20_000, 1_000_000))),
            "metadata.log.segment.ms": str(rng.choice((2_000, 604_800_000))),
            "metadata.max.retention.bytes": str(rng.choice((20_000, 1_000_000))),
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            **(coordination.config if coordination else DATA_CONFIG if data else {}),
            **(directories.config if directories else {}),
        },
        segment_bytes=more.choice((2_000, 20_000, 2**30)),
        narrow_share=more.choice((0, 0.3)),
        # Who looks at directories looks at every partition.
        large_partitions=8000 if more.random() < 0.01 and directories is None else 0,
        data=data,
        coordination=coordination,
        directories=directories,
    )
