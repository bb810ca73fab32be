"""RemoveRaftVoter (81), v0; controller listeners, forwarded by brokers (KIP-853).

The leader removes a voter from the set. If it removes itself, it leads until the new set is committed, and then
resigns.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import FORWARDED, Api, of_quorum
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.metadata.security.acls import Operation

API = Api(key=ApiKey.REMOVE_RAFT_VOTER, bounds=SMALL, broker=FORWARDED, controller=of_quorum(Operation.ALTER))
