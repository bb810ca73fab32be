"""EndQuorumEpoch (54), v0-1; controller listeners (KIP-595).

A leader that resigns names its preferred successors. This node acts on that only once the leader has stopped responding
to Fetch (`core.raft.roles.quorum_epoch`).

- v1 names the successors by node id and directory id (KIP-853).
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, of_quorum
from kafkaproto_server.apis.bounds import SMALL

API = Api(key=ApiKey.END_QUORUM_EPOCH, bounds=SMALL, controller=of_quorum(), is_urgent=True)
