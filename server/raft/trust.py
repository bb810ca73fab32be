"""Whom a node believes about epochs, votes and leaders.

Replicas do not prove who they are: anybody who reaches the listener may send any request under any node id. But a node
knows *whom it asks*: the log or the configuration has the address, or a node at such an address gave it. So:

- A node believes an epoch, or a leader and its endpoint, from the response to its own request. No request raises an
  epoch or names a leader: it makes the node ask the voter that it is about, at the endpoint that the log has for it, or
  the others. A voter's Vote waits for that response, which costs an election one round trip.
- One exception: a voter that cannot be reached there may have moved, and be needed. A voter of the same log believes
  its Vote as far as ``EpochAllowance`` permits. An unknown node that takes the id of a dead voter gains no more than
  that.
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


BURST_EPOCHS = 3
"""So far votes of voters that cannot be reached may raise the epoch at once."""


class Doubt(enum.Enum):
    """Why a claim is not believed."""

    EPOCH_AT_THE_END = "no quorum could go on from that epoch"
    UNKNOWN_NODE = "the log at hand names no such voter; the voters are asked instead"
    NOT_CONFIRMED = (
        "that voter did not confirm the epoch when it was asked at the endpoint that the log has for it"
    )
    OTHER_ENDPOINT = "the log has another endpoint for that voter, and the node is asked there"


class EpochAllowance:
    """How far votes that nobody could confirm may still raise the epoch: ``BURST_EPOCHS``, and one more a period."""

    def __init__(self, period_ms: int, now_ms: int) -> None:
        """``period_ms`` is the election timeout: no candidate comes more often for long."""
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


def believes_unconfirmed(core: Core, candidate: ReplicaKey, epoch: int, now_ms: int) -> bool:
    """Whether a candidate's word for a later epoch has to do, as nobody responds where the log has it.

    Only a voter may have to believe it. An observer elects nobody, and one that was taken ahead of its quorum would
    stay there: no leader asks it for its epoch.
    """
    return (
        core.is_voter
        and core.may_be_voter(candidate)
        and core.epoch_allowance.take(epoch - core.state.epoch, now_ms)
    )


def may_vote_for(core: Core, candidate: ReplicaKey, now_ms: int) -> bool:
    """Whether a candidate may get this node's vote, as far as it is about who it is.

    A voter may. An unknown candidate may be of a voter set that this log does not hold yet, and the only one that can
    be elected. It has to wait until each known voter had time for an election. A new replica, which holds no record and
    knows no voters, votes for nobody; one that is behind the first record of voters may be needed.
    """
    if core.may_be_voter(candidate):
        return True
    is_new = not core.voters.latest.voters and core.log.end.offset == 0
    return not is_new and now_ms >= core.leader_lost_ms + last_resort_ms(core)


def last_resort_ms(core: Core) -> int:
    """How long a node has been without a leader before it votes for a candidate that it does not know: the longest
    random election timeout, and an election after it."""
    return 3 * core.config.election_timeout_ms
