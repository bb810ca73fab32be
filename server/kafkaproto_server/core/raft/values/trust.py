"""Which claims about epochs, votes and leaders a node believes, and from whom.

Replicas do not prove who they are: anybody who reaches the listener may send any request under any node id. But a node
knows *whom it asks*: it sends its own requests to addresses of the log, of the configuration, or that a node there
named. So:

- A node believes an epoch, or a leader and its endpoint, only from the response to a request of its own. A request
  makes the node ask: the voter that the request is about, at the endpoint that the log has for it, or the others. A
  voter's Vote waits for that response, which costs an election one round trip.
- No response moves the epoch by more than ``FARTHEST_STEP``; a node that is further behind asks again.
- No epoch beyond ``LAST_EPOCH`` is believed, stored, granted or sent.

The voter set at hand may be stale. KIP-853 has voters vote for candidates that their set does not hold, because the
quorum may be unable to elect anybody else. So an unknown candidate gets a vote here, too, but only in an epoch that
this node learned by asking, and only after every voter that it knows had the time to be elected.

What this costs: a voter that was added or has moved, and whose endpoint is neither in this node's log nor among its
bootstrap servers, cannot be asked. If the quorum can elect nobody else, it has no leader until an operator adds that
endpoint to ``controller.quorum.bootstrap.servers`` and restarts this node. Apache Kafka follows the endpoint in the
candidate's own request, which anybody can send.

Ours alone: Apache Kafka's node believes the epoch, the leader and the endpoint in any request.
"""

from __future__ import annotations

import enum

LAST_EPOCH = 2**31 - 1 - 2**20
"""The last epoch that a node takes part in. The wire ends a million epochs later; a quorum that got there could elect
nobody any more. A thousand elections a day take 5,000 years."""

FARTHEST_STEP = 10_000
"""One response raises the epoch by at most this much. A node that really is further behind asks a few more times."""


class Doubt(enum.Enum):
    """Why a claim is not believed."""

    # The texts go into the node's log. Each says what an operator can do, if there is anything to
    # do.
    EPOCH_AT_THE_END = "a quorum could not continue from that epoch"
    UNKNOWN_NODE = (
        "the log names no such voter. If it is one, add its endpoint to controller.quorum.bootstrap.servers"
    )
    NOT_CONFIRMED = (
        "that voter did not confirm the epoch at the endpoint that the log has for it. "
        "If it has moved, add its endpoint to controller.quorum.bootstrap.servers"
    )
    OTHER_ENDPOINT = (
        "the log has another endpoint for that voter, where it is asked. "
        "If it has moved, add its endpoint to controller.quorum.bootstrap.servers"
    )
