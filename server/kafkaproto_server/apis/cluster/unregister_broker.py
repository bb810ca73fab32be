"""UnregisterBroker (64), v0; controller listeners, forwarded by brokers (KIP-631).

The active controller removes the registration of a broker that is gone for good. Afterwards no partition has the broker
in its ISR.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import FORWARDED, Api, submitted
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.metadata.security.acls import Operation

API = Api(key=ApiKey.UNREGISTER_BROKER, bounds=SMALL, broker=FORWARDED, controller=submitted(Operation.ALTER))
