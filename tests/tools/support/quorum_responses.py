"""Answers to DescribeQuorum that a tool is to print; ``golden/metadata_quorum.txt`` has what Kafka's tool prints."""

from __future__ import annotations

from typing import Any

from kafkaproto.messages import DescribeQuorumResponse

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
NOW_MS = 1_795_239_301_118

_Replica = DescribeQuorumResponse.ReplicaState
_Listener = DescribeQuorumResponse.Listener
_Node = DescribeQuorumResponse.Node


def replica(
    replica_id: int,
    end_offset: int,
    fetched_ms: int | None = None,
    caught_up_ms: int | None = None,
    directory: int = 0,
) -> Any:
    """A replica; times are milliseconds before NOW_MS, None for unknown."""
    return _Replica(
        replica_id=replica_id,
        replica_directory_id=bytes(15) + bytes([directory]),
        log_end_offset=end_offset,
        last_fetch_timestamp=-1 if fetched_ms is None else NOW_MS - fetched_ms,
        last_caught_up_timestamp=-1 if caught_up_ms is None else NOW_MS - caught_up_ms,
    )


def response(
    *voters: Any, observers: tuple[Any, ...] = (), nodes: tuple[Any, ...] = (), **fields: Any
) -> Any:
    """The answer of leader 1 in epoch 7."""
    partition = DescribeQuorumResponse.PartitionData(
        **{
            "partition_index": 0,
            "leader_id": 1,
            "leader_epoch": 7,
            "high_watermark": 100,
            "current_voters": list(voters),
            "observers": list(observers),
            **fields,
        }
    )
    topic = DescribeQuorumResponse.TopicData(topic_name="__cluster_metadata", partitions=[partition])
    return DescribeQuorumResponse(topics=[topic], nodes=list(nodes))


CASES: dict[str, Any] = {
    "three voters and two observers": response(
        replica(2, 90, 2_000, 3_000, directory=2),
        replica(1, 110, 1_000, 1_000, directory=1),
        replica(3, 100, 1_000, 9_000, directory=3),
        observers=(replica(11, 80, 100, 100, directory=11), replica(10, 120)),
        nodes=(
            _Node(
                node_id=1,
                listeners=[
                    _Listener(name="CONTROLLER", host="one", port=9093),
                    _Listener(name="SIXTH", host="::1", port=9094),
                ],
            ),
            _Node(node_id=3, listeners=[_Listener(name="CONTROLLER", host="three", port=9093)]),
            _Node(node_id=11, listeners=[_Listener(name="PLAINTEXT", host="eleven", port=9092)]),
        ),
    ),
    "nothing known but offsets": response(replica(1, 110), replica(2, 110)),
    "the last voter's time is unknown": response(
        replica(1, 110, 0, 0), replica(2, 50, 0, 50), replica(3, -1)
    ),
    "the leader's time is unknown": response(replica(1, 110), replica(2, 100, 60, 60)),
    "a voter is ahead of the leader": response(replica(1, 110, 60, 60), replica(2, 150, 50, 50)),
    "a voter level with the leader comes first": response(replica(2, 110, 500, 500), replica(1, 110, 60, 60)),
    "the leader comes before a voter level with it": response(
        replica(1, 110, 60, 60), replica(2, 110, 500, 500)
    ),
    "another voter is behind in time only": response(
        replica(1, 110, 60, 60), replica(2, 100, 100, 100), replica(3, 105, 5_000, 5_000)
    ),
}
