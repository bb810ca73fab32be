"""Which replica a consumer should read from, if the leader chooses by racks (KIP-392).

Apache Kafka: ``ReplicaManager.findPreferredReadReplica``, ``RackAwareReplicaSelector`` and ``ReplicaView``.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.core.replicas.partition import Partition


def preferred_replica(partition: Partition, fetch_offset: int, is_near: Callable[[int], bool]) -> int:
    """The broker id of the replica from which a consumer should read; NO_NODE if it is to stay with this leader.

    ``is_near`` says whether a broker is in the consumer's rack, and can be reached. A near leader keeps its consumers.
    A follower is chosen only from the ISR: one that lags would keep consumers behind. It must have the offset. Of
    several near ones it is the one with most of the log, then the one that was caught up last, then the highest id.
    """
    # To move a consumer costs it a round trip, and nothing is gained.
    if is_near(partition.broker_id):
        return NO_NODE
    # The offset has to be in the follower's log, as far as its last fetch says: otherwise it would refuse, and the
    # consumer would come back here, again and again.
    near = [
        (follower.log_end_offset, follower.last_caught_up_ms, broker_id)
        for broker_id, follower in partition.followers.items()
        if broker_id in partition.isr
        and follower.log_start_offset <= fetch_offset <= follower.log_end_offset
        and is_near(broker_id)
    ]
    return max(near)[2] if near else NO_NODE
