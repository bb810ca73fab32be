"""AlterPartition (56), v2-3; controller listeners (KIP-497, KIP-841).

The leader of partitions requests changes of their ISRs. The decision is `core.controller.brokers.alter_partition`.

- v3 names the members of the new ISR with their broker epochs (KIP-903).
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, submitted
from kafkaproto_server.apis.bounds import PARTITIONS
from kafkaproto_server.metadata.security.acls import Operation

API = Api(key=ApiKey.ALTER_PARTITION, bounds=PARTITIONS, controller=submitted(Operation.CLUSTER_ACTION))
