"""Whom a node believes about epochs, votes and leaders.

Replicas do not prove who they are: anybody who reaches the listener may send any request under any node id. But a node
knows *whom it asks*: the log or the configuration has the address, or a node at such an address gave it. So:

- A node believes an epoch, or a leader and its endpoint, from the response to its own request. A request that claims
  either makes the node ask: the voter that the claim is about, at the endpoint that the log has for it, or the others.
- One exception keeps elections short: a voter of the log at hand that asks for a vote may raise the epoch at once, as
  far as ``EpochAllowance`` permits. An unknown node that takes a voter's id gains no more than that.
- No response moves the epoch by more than ``FARTHEST_STEP``; a node that is further behind asks again.
- No epoch beyond ``LAST_EPOCH`` is believed, stored, granted or sent.

The voter set at hand may be stale. KIP-853 has voters vote for candidates that their set does not hold, because the
quorum may be unable to elect anybody else. So an unknown candidate gets a vote here, too, but only in an epoch that
this node learned by asking, and only after every voter that it knows had the time to be elected.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from server.types import ReplicaKey

if TYPE_CHECKING:
    from server.raft.core import Core

LAST_EPOCH = 2**31 - 1 - 2**20
"""The last epoch that a node takes part in. The wire ends a million epochs later; a quorum that got there could elect
nobody any more. A thousand elections a day take 5,000 years."""

FARTHEST_STEP = 10_000
"""So far one response may raise the epoch. A node that really is further behind asks a few times more."""

BURST_EPOCHS = 10
"""So far requests of voters may raise the epoch at once. An election raises it by one; candidates of releases without
pre-votes that split the vote, or were cut off, come back some epochs ahead."""


class Doubt(enum.Enum):
    """Why a claim is not believed."""

    EPOCH_AT_THE_END = "no quorum could go on from that epoch"
    UNKNOWN_NODE = "the log at hand names no such voter; the voters are asked instead"
    EPOCH_TOO_FAR = "requests alone do not raise the epoch so far or so often; the voters are asked instead"
    OTHER_ENDPOINT = "the log has another endpoint for that voter, and the node is asked there"


class EpochAllowance:
    """How far requests alone may still raise the epoch: ``BURST_EPOCHS``, one more after each period.

    So an epoch that nobody was asked about rises by ``BURST_EPOCHS`` plus one a period at most.
    """

    def __init__(self, period_ms: int, now_ms: int) -> None:
        """``period_ms`` is the election timeout: honest candidates do not come more often for long."""
        self._period_ms = period_ms
        self._left = BURST_EPOCHS
        self._since_ms = now_ms

    def take(self, epochs: int, now_ms: int) -> bool:
        """Give so many epochs away, if there are as many left; returns whether there are."""
        periods = (now_ms - self._since_ms) // self._period_ms
        self._since_ms += periods * self._period_ms
        self._left = min(BURST_EPOCHS, self._left + periods)
        if epochs > self._left:
            return False
        self._left -= epochs
        return True


def doubt_candidate_epoch(core: Core, candidate: ReplicaKey, epoch: int, now_ms: int) -> Doubt | None:
    """Why a candidate's word for a later epoch is not enough; None if it is, which uses the allowance up."""
    if not core.may_be_voter(candidate):
        return Doubt.UNKNOWN_NODE
    if not core.epoch_allowance.take(epoch - core.state.epoch, now_ms):
        return Doubt.EPOCH_TOO_FAR
    return None


def may_vote_for(core: Core, candidate: ReplicaKey, now_ms: int) -> bool:
    """Whether a candidate may get this node's vote, as far as it is about who it is.

    A voter may. An unknown candidate may be of a voter set that this log does not hold yet, and the only one that can
    be elected. It has to wait until each known voter had time for an election. A node that knows no voters votes for
    nobody.
    """
    if core.may_be_voter(candidate):
        return True
    return bool(core.voters.latest.voters) and now_ms >= core.leader_heard_ms + last_resort_ms(core)


def last_resort_ms(core: Core) -> int:
    """How long a node has been without a leader before it votes for a candidate that it does not know: the longest
    random election timeout, and an election after it."""
    return 3 * core.config.election_timeout_ms
