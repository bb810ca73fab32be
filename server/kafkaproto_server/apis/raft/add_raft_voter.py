"""AddRaftVoter (80), v0-1; controller listeners, forwarded by brokers (KIP-853).

The leader adds a controller to the voters. The controller has to respond at the given endpoints, to serve Vote, and to
have caught up within three fetch timeouts.

- v1 may ask for the response as soon as the new set is appended, not committed.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import AddRaftVoterRequest
from kafkaproto_server.apis.api import FORWARDED, Api, of_quorum
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.metadata.security.acls import Operation


def _timeout_ms(request: AddRaftVoterRequest) -> int:
    return request.timeout_ms


API = Api(
    key=ApiKey.ADD_RAFT_VOTER,
    bounds=SMALL,
    broker=FORWARDED,
    controller=of_quorum(Operation.ALTER),
    timeout_ms=_timeout_ms,
)
