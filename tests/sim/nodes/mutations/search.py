"""The rules of whole nodes that are broken on purpose; ``bin/simulate --nodes --mutations`` prints who notices them."""

from __future__ import annotations

from pathlib import Path

from tests.sim.mutations.known import Finding, Rules
from tests.sim.nodes.mutations import (
    coordination,
    directories,
    late,
    late_peers,
    network,
    quorum,
    record_logs,
    records,
    shares,
    storage,
    streams,
    swarms,
    transactions,
)
from tests.sim.nodes.run import run

MUTATIONS = (
    *storage.MUTATIONS,
    *quorum.MUTATIONS,
    *network.MUTATIONS,
    *records.MUTATIONS,
    *record_logs.MUTATIONS,
    *coordination.MUTATIONS,
    *shares.MUTATIONS,
    *streams.MUTATIONS,
    *transactions.MUTATIONS,
    *directories.MUTATIONS,
    *late.MUTATIONS,
    *swarms.MUTATIONS,
    *late_peers.MUTATIONS,
)

RULES = Rules(
    subject="a node",
    command="bin/simulate --nodes --mutations",
    file=Path(__file__).with_name("known_seeds.txt"),
    mutations=MUTATIONS,
    invariant_of=lambda _level, seed: run(seed).invariant,
    suits=lambda _mutation, _seed: True,
    most_seeds=100,
)


def find(index: int) -> Finding:
    """See ``Rules.find``; another process cannot be handed the method."""
    return RULES.find(index)


def renew(index: int) -> Finding:
    """See ``Rules.renew``."""
    return RULES.renew(index)
