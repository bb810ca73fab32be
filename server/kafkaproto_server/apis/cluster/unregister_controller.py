"""UnregisterController (94), v0; controller listeners, forwarded by brokers.

The active controller removes the registration of a controller that is gone for good, from metadata.version 4.4-IV2 on.
The voters stay as they are.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import FORWARDED, Api, submitted
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.metadata.security.acls import Operation

API = Api(
    key=ApiKey.UNREGISTER_CONTROLLER, bounds=SMALL, broker=FORWARDED, controller=submitted(Operation.ALTER)
)
