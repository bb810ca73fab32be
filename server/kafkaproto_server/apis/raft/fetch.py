"""Fetch (1), v4-18, of the metadata log; controller listeners (KIP-595).

This node's replica of the quorum responds with records from the leader's log, with the place where the logs diverge, or
with the snapshot to fetch. If there is nothing new, the request waits at the leader for up to MaxWaitMs.

- From v12 on the request has the epoch of the last fetched record. Before, a replica whose log diverges gets the error
  OFFSET_OUT_OF_RANGE.
- v15 moved the replica's id into ReplicaState, v17 added its directory id (KIP-853), v18 the high watermark that it
  knows.

Not done: fetch sessions (Apache Kafka's quorum keeps none either; a session id is ignored), and Fetch of other topics.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, of_quorum
from kafkaproto_server.apis.bounds import SMALL

API = Api(key=ApiKey.FETCH, bounds=SMALL, controller=of_quorum(), is_urgent=True)
