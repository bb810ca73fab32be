"""UnregisterBroker (64), v0; controller listeners, forwarded by brokers (KIP-631).

The active controller forgets a broker that has gone for good: no partition has it in its ISR afterwards.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import FORWARDED, Api, submitted
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.security.acls import Operation

API = Api(key=ApiKey.UNREGISTER_BROKER, bounds=SMALL, broker=FORWARDED, controller=submitted(Operation.ALTER))
