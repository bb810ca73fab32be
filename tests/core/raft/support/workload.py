"""A long life of one node drawn from a seed: appends, waits, slow disks, crashes and shutdowns, all checked.

``python -m tests.core.raft.support.workload SEED`` prints a digest of everything that the core said and did.
"""

from __future__ import annotations

import hashlib
import random
import sys

from kafkaproto_server.core.raft.describe.core import describe_effects, describe_state
from kafkaproto_server.core.raft.model.states import Leader
from tests.core.raft.support.machine import Disk, Machine, bootstrap_records, config, voter

STEPS = 400


def digest(seed: int) -> str:
    """Digest of the trace that this seed gives; every check of ``Machine`` holds on the way."""
    return hashlib.sha256("\n".join(trace(seed)).encode()).hexdigest()


def trace(seed: int) -> list[str]:
    """One line for each effects object and each life."""
    rng = random.Random(seed)
    disk = Disk(bootstrap=bootstrap_records(voter(1)))
    machine = Machine(config(append_linger_ms=rng.choice([0, 25]), max_batch_bytes=300), disk)
    machine.start()
    lines: list[str] = []
    for _ in range(STEPS):
        lines += _step(machine, rng)
    return lines


def _step(machine: Machine, rng: random.Random) -> list[str]:
    kind = rng.choices(["append", "tick", "take", "persist", "crash", "shutdown"], [30, 25, 30, 30, 2, 1])[0]
    if kind == "append" and isinstance(machine.node.state, Leader):
        machine.append([rng.randrange(90) for _ in range(rng.randint(1, 3))], atomic=rng.random() < 0.5)
    elif kind == "tick":
        machine.tick(rng.randrange(30))
    elif kind == "take":
        effects = machine.take()
        return [] if effects is None else [describe_effects(effects)]
    elif kind == "persist" and machine.unsynced:
        machine.persist()
    elif kind == "crash":
        writes, election_states = machine.unsynced_counts()
        machine.crash(
            writes=rng.randint(0, writes),
            election_states=rng.randint(0, election_states),
        )
        machine.start()
        return [describe_state(machine.node)]
    elif kind == "shutdown":
        machine.shut_down()
        lines = [describe_effects(effects) for effects in machine.settle()]
        assert machine.is_stopped
        machine.start()
        return [*lines, describe_state(machine.node)]
    return []


if __name__ == "__main__":
    print(digest(int(sys.argv[1])))
