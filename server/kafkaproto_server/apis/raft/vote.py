"""Vote (52), v0-2; controller listeners (KIP-595).

A candidate asks this node's replica for its vote. The rules are in `core.raft.roles.voting`.

- v1 names candidate and voter by node id and directory id (KIP-853).
- v2 may be a pre-vote, which changes no node's epoch (KIP-996).
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, of_quorum
from kafkaproto_server.apis.bounds import SMALL

API = Api(key=ApiKey.VOTE, bounds=SMALL, controller=of_quorum(), is_urgent=True)
