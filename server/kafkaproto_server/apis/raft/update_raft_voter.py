"""UpdateRaftVoter (82), v0; controller listeners (KIP-853).

A voter reports its endpoints and its supported range of kraft.version to the leader. An update that changes nothing
appends no record.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, of_quorum
from kafkaproto_server.apis.bounds import SMALL

API = Api(key=ApiKey.UPDATE_RAFT_VOTER, bounds=SMALL, controller=of_quorum())
