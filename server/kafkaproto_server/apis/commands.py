"""Requests that only the active controller can carry out, on either kind of listener.

CreateTopics (19, 2-7), DeleteTopics (20, 1-6), CreatePartitions (37, 0-3), ElectLeaders (43, 0-2),
AlterPartitionReassignments (45, 0-1), UpdateFeatures (57, 0-2), UnregisterBroker (64, 0): a controller listener hands
them to its own controller, a broker listener forwards them to the active one in an Envelope (KIP-590). So it is with
AlterConfigs (33, 0-2) and IncrementalAlterConfigs (44, 0-1), of which a node decides parts by itself
(`apis.alter_configs`). AlterPartition (56, 2-3), BrokerRegistration (62, 0-4), BrokerHeartbeat (63, 0-2),
AllocateProducerIds (67, 0), ControllerRegistration (70, 0) and AssignReplicasToDirs (73, 0) come from other nodes, on
controller listeners only. ListPartitionReassignments (46, 0) is forwarded too, and answered by any controller
(`apis.reassignments`). DescribeQuorum (55, 0-2), AddRaftVoter (80, 0-1) and RemoveRaftVoter (81, 0) are
answered by the quorum's leader: a broker forwards them too.
"""

from __future__ import annotations

from kafkaproto.message import Message
from kafkaproto.messages import DescribeQuorumRequest
from kafkaproto_server.apis.context import Reply, RequestContext, Services


def handle_command(request: Message, context: RequestContext, services: Services) -> Reply:
    """On a controller listener: this node's controller decides."""
    return services.submit(request, context)


def handle_forward(request: Message, context: RequestContext, services: Services) -> Reply:
    """On a broker listener: the active controller decides, wherever it is."""
    return services.forward(request, context)


def handle_describe_quorum(
    request: DescribeQuorumRequest, context: RequestContext, services: Services
) -> Reply:
    """On a controller listener: this node's replica of the quorum answers, with an error if it does not lead."""
    return services.describe_quorum(request, context.api_version)
