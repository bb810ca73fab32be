"""AllocateProducerIds (67), v0; controller listeners (KIP-730).

A broker gets a block of producer ids that no other broker has had.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, submitted
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.metadata.security.acls import Operation

API = Api(key=ApiKey.ALLOCATE_PRODUCER_IDS, bounds=SMALL, controller=submitted(Operation.CLUSTER_ACTION))
