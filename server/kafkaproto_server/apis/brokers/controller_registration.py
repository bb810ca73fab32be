"""ControllerRegistration (70), v0; controller listeners (KIP-919).

A controller reports its endpoints and its supported features to the active controller. It need not be a voter.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, submitted
from kafkaproto_server.apis.bounds import REGISTRATION
from kafkaproto_server.metadata.security.acls import Operation

API = Api(
    key=ApiKey.CONTROLLER_REGISTRATION,
    bounds=REGISTRATION,
    controller=submitted(Operation.CLUSTER_ACTION),
    is_urgent=True,
)
