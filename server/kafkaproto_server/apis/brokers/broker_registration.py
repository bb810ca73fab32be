"""BrokerRegistration (62), v0-4; controller listeners (KIP-631).

A starting broker registers, and gets its broker epoch. The decision is `core.controller.brokers.registration`.

- v2 has the broker's log directories (KIP-858), v3 its previous epoch (KIP-966), v4 lets features begin at level 0.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import BrokerRegistrationRequest, BrokerRegistrationResponse
from kafkaproto_server.apis.api import Api, submitted
from kafkaproto_server.apis.bounds import REGISTRATION
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.refusals import Refusal


def refuse(request: BrokerRegistrationRequest, refusal: Refusal) -> BrokerRegistrationResponse:
    """The response has no field for an error message."""
    return BrokerRegistrationResponse(error_code=refusal.code)


API = Api(
    key=ApiKey.BROKER_REGISTRATION,
    bounds=REGISTRATION,
    controller=submitted(Operation.CLUSTER_ACTION),
    refuse=refuse,
    is_urgent=True,
)
