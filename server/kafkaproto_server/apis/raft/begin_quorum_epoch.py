"""BeginQuorumEpoch (53), v0-1; controller listeners (KIP-595).

A new leader announces itself. This node does not follow it because of that: it asks the leader, at the endpoint that is
in the log (`core.raft.roles.quorum_epoch`).

- v1 names the voter and the leader's endpoints (KIP-853).
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, of_quorum
from kafkaproto_server.apis.bounds import SMALL

API = Api(key=ApiKey.BEGIN_QUORUM_EPOCH, bounds=SMALL, controller=of_quorum(), is_urgent=True)
