"""Names and numbers that all generated requests share, few enough that requests meet."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from compat.admin_difference.state import State

TOPICS = ("t1", "t2", "t3", "a.b", "a_b")
BAD_TOPICS = ("", ".", "e f", "x" * 250, "__cluster_metadata")
BROKERS = (11, 12, 13, 14)
SILENT_BROKERS = (15, 16)
"""They register, and that is all."""
NO_BROKERS = (-1, 1, 77)
TIMEOUT_MS = 30_000
UNKNOWN_ID = b"nobody knows me."

T = TypeVar("T")


def mostly(rng: random.Random, usual: Sequence[T], odd: Sequence[T], share: float = 0.08) -> T:
    """One of the usual values, or with a small chance an odd one."""
    return rng.choice(odd if rng.random() < share else usual)


def topic(rng: random.Random) -> str:
    """A topic's name, hardly ever a bad one."""
    return mostly(rng, TOPICS, BAD_TOPICS, 0.05)


def partition_of(rng: random.Random) -> Callable[[State], tuple[str, int]]:
    """A topic and an index: mostly of a partition that there is, and with a leader if there is one."""
    otherwise = topic(rng), mostly(rng, (0, 1), (5, -1))
    number = rng.randrange(1000)
    must_exist, must_be_led = rng.random() < 0.9, rng.random() < 0.7

    def find(state: State) -> tuple[str, int]:
        known = state.partitions()
        led = [key for key, partition in known.items() if partition.leader >= 0]
        candidates = led if must_be_led and led else list(known)
        return candidates[number % len(candidates)] if must_exist and candidates else otherwise

    return find


def replicas(rng: random.Random) -> list[int]:
    """An assignment, which may name brokers that are not there, or one twice."""
    chosen = rng.sample(BROKERS, rng.choice((1, 2, 2, 3, 3, 3)))
    if rng.random() < 0.05:
        chosen.append(rng.choice((*NO_BROKERS, chosen[0])))
    return [] if rng.random() < 0.02 else chosen


def incarnation(broker_id: int, number: int) -> bytes:
    """An incarnation id."""
    return b"incarna" + broker_id.to_bytes(4, "big", signed=True) + number.to_bytes(5, "big")


def directory(broker_id: int, number: int = 0) -> bytes:
    """A log directory's id."""
    return b"direct" + broker_id.to_bytes(4, "big", signed=True) + number.to_bytes(6, "big")


def broker_epoch(state: State, broker_id: int, wrong_by: int) -> int:
    """The epoch of a registration, or one that is wrong; -1 for a broker that is not there."""
    return state.broker_epochs.get(broker_id, -1) + wrong_by


def topic_id(state: State, name: str) -> bytes:
    """The id of a topic, one that nobody has if there is no such topic."""
    return state.topic_ids.get(name, UNKNOWN_ID)
