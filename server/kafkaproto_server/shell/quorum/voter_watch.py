"""Warns a controller's operator if the node is not the voter that it should be.

A voter of a quorum is identified by its node id and the id of its metadata directory (KIP-853). If the directory got
another id, the node is no voter: it waits for a leader that may never come, and nothing else in its log says why. A
controller that follows a leader and whose node id is not in the voter set needs no warning: it only waits to be added.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import trio

from kafkaproto import uuids
from kafkaproto_server.base.types import ReplicaKey
from kafkaproto_server.core.raft.values.voters import VoterSet

_log = logging.getLogger("kafkaproto.server.quorum")

WARN_AFTER_S = 10.0
"""How long a node may take to find a leader, or to replace the voter of its former directory, before the warning."""


def voter_problem(key: ReplicaKey, voters: VoterSet, meta_properties: str, *, follows: bool) -> str | None:
    """What keeps a controller from being a voter; None if nothing does, or if it need not be one.

    ``meta_properties`` is the path of the file with the directory's id, ``follows`` whether the node follows a leader.
    """
    known = voters.get(key.id)
    # A new node without any voters is no problem: it has not found its quorum yet.
    if voters.is_voter(key) or not voters.voters or (known is None and follows):
        return None
    told = ", ".join(_described(voter.key) for voter in voters.voters)
    if known is None:
        return f"node {key.id} is no voter, and no leader is known. The voters are {told}"
    return (
        f"node {key.id} is a voter with another directory than this one: {meta_properties} says directory.id="
        f"{_text(key)}, and the voters are {told}. This node neither votes nor leads. Restore the file if its "
        "directory.id was changed; if this is a new disk, have the former voter removed and this one added"
    )


async def warn_of_voter_problem(problem: Callable[[], str | None]) -> None:
    """Log once, after a while, what keeps this controller from being a voter, if anything does."""
    # Once, after the time that a start or an exchange of disks takes: before it, the warning would
    # mostly be wrong.
    await trio.sleep(WARN_AFTER_S)
    found = problem()
    if found is not None:
        _log.warning("%s", found)


def _described(key: ReplicaKey) -> str:
    return f"{key.id} (directory.id={_text(key)})"


def _text(key: ReplicaKey) -> str:
    return "unknown" if key.directory_id is None else uuids.to_text(key.directory_id)
