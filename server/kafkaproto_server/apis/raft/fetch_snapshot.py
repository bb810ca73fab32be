"""FetchSnapshot (59), v0-1; controller listeners (KIP-630).

The leader sends a piece of a snapshot to a replica whose log ends before the leader's log starts. Errors about the
request are in the partition of the response.

- v1 has the replica's directory id (KIP-853).
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, of_quorum
from kafkaproto_server.apis.bounds import SMALL

API = Api(key=ApiKey.FETCH_SNAPSHOT, bounds=SMALL, controller=of_quorum(), is_urgent=True)
