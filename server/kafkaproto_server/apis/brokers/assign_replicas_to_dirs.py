"""AssignReplicasToDirs (73), v0; controller listeners (KIP-858).

A broker reports which of its log directories hold its replicas. The decision is
`core.controller.brokers.assign_replicas_to_dirs`.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, submitted
from kafkaproto_server.apis.bounds import INDEXES
from kafkaproto_server.metadata.security.acls import Operation

API = Api(key=ApiKey.ASSIGN_REPLICAS_TO_DIRS, bounds=INDEXES, controller=submitted(Operation.CLUSTER_ACTION))
