"""DescribeQuorum (55), v0-2; controller listeners, forwarded by brokers (KIP-595).

The leader returns its epoch, its high watermark and the log end offsets of voters and observers. Any other replica
responds NOT_LEADER_OR_FOLLOWER.

- v1 has the times when each replica last fetched and was last caught up (KIP-836).
- v2 has directory ids and the voters' endpoints (KIP-853), and error messages.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.message import Message
from kafkaproto.messages import DescribeQuorumRequest
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import FORWARDED, Api, Served
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext


def handle_describe_quorum(
    request: DescribeQuorumRequest, context: RequestContext, services: Services
) -> Message:
    """Return what this node's replica knows of the quorum."""
    return services.quorum.describe(request, context.api_version)


API = Api(
    key=ApiKey.DESCRIBE_QUORUM,
    bounds=SMALL,
    broker=FORWARDED,
    controller=Served(handler=handle_describe_quorum, access=Access(operation=Operation.DESCRIBE)),
)
