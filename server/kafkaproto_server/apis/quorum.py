"""What the quorum's replicas ask each other, and what changes its voters; on controller listeners alone.

Fetch (1, 4-18) of the metadata log, Vote (52, 0-2), BeginQuorumEpoch (53, 0-1), EndQuorumEpoch (54, 0-1),
FetchSnapshot (59, 0-1), AddRaftVoter (80, 0-1), RemoveRaftVoter (81, 0), UpdateRaftVoter (82, 0): all are answered by
this node's replica of the quorum, by the protocol of KIP-595, KIP-630, KIP-853 and KIP-996. DescribeQuorum stands in
`apis.commands`. Not done: fetch sessions, which Kafka's quorum does not keep either; a session id is ignored.
"""

from __future__ import annotations

from kafkaproto.message import Message
from kafkaproto_server.apis.context import Reply, RequestContext, Services


def handle_raft_request(request: Message, context: RequestContext, services: Services) -> Reply:
    """Have the replica answer, at once or when a long poll or a change of voters is over."""
    return services.raft_request(request, context)
