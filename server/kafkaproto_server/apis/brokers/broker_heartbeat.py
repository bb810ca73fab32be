"""BrokerHeartbeat (63), v0-2; controller listeners (KIP-631).

A registered broker keeps its session alive, and asks to be unfenced or to shut down. The decision is
`core.controller.brokers.heartbeats`.

- v1 has the log directories that are offline (KIP-858), v2 those that are cordoned (KIP-1066).
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kafkaproto_server.apis.api import Api, submitted
from kafkaproto_server.apis.bounds import REGISTRATION
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.refusals import Refusal


def refuse(request: BrokerHeartbeatRequest, refusal: Refusal) -> BrokerHeartbeatResponse:
    """The response says fenced, so that no broker serves clients because of a refused heartbeat."""
    return BrokerHeartbeatResponse(error_code=refusal.code, is_fenced=True)


API = Api(
    key=ApiKey.BROKER_HEARTBEAT,
    bounds=REGISTRATION,
    controller=submitted(Operation.CLUSTER_ACTION),
    refuse=refuse,
    is_urgent=True,
)
