"""All that command lines and the pipeline send, with the blocking client."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from unittest import mock

import trio

from kafkaproto import messages as kafka
from kafkaproto.errors import UnsupportedVersionError
from kafkaproto.message import Message
from kafkaproto.snapshot import SnapshotId
from kafkaproto_pipeline.jobs.watch.checks import CheckError, check_topic
from kafkaproto_pipeline.sources.live_quorum import LiveQuorum, UnreachableError
from kafkaproto_server.base.types import METADATA_TOPIC, Endpoint, ReplicaKey
from kafkaproto_server.tools.cluster.local_cluster import _brokers_named_by
from kafkaproto_server.tools.quorum.access import QuorumAccess
from kafkaproto_server.tools.quorum.watch import uncommitted_voters
from kafkaproto_server.tools.shell.follower import QuorumFollower
from tests.versions.support.peer import ReleasePeer
from tests.versions.support.senders import REFUSED, Sender
from tests.versions.support.served import BROKER, CONTROLLER
from tests.versions.support.to_voters import responses

SERVER = ("localhost", 9093)
LEADER, EPOCH = 2, 5
SNAPSHOT = SnapshotId(epoch=4, end_offset=30)
KEY = ReplicaKey(id=1, directory_id=bytes(range(16)))
LISTENER = Endpoint(name="CONTROLLER", host="localhost", port=9093)


def answers(request: Message) -> Message:
    """A cluster of one node, which leads."""
    match request:
        case kafka.DescribeClusterRequest():
            node = kafka.DescribeClusterResponse.DescribeClusterBroker(
                broker_id=LEADER, host="localhost", port=9093
            )
            return kafka.DescribeClusterResponse(cluster_id="cluster", controller_id=LEADER, brokers=[node])
        case kafka.DescribeQuorumRequest():
            kind = kafka.DescribeQuorumResponse
            voter = kind.ReplicaState(replica_id=LEADER, log_end_offset=8)
            partition = kind.PartitionData(
                leader_id=LEADER, leader_epoch=EPOCH, high_watermark=8, current_voters=[voter]
            )
            listener = kind.Listener(name="CONTROLLER", host="localhost", port=9093)
            return kind(
                topics=[kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])],
                nodes=[kind.Node(node_id=LEADER, listeners=[listener])],
            )
        case kafka.UnregisterBrokerRequest():
            return kafka.UnregisterBrokerResponse()
        case kafka.UnregisterControllerRequest():
            return kafka.UnregisterControllerResponse()
        case kafka.MetadataRequest():
            shown = kafka.MetadataResponse.Topic(name="t")
            return kafka.MetadataResponse(
                brokers=[kafka.MetadataResponse.Broker(node_id=LEADER)],
                topics=[shown] if request.topics else [],
            )
        case _:
            return responses(request)


def _with_peer(ask: Callable[[], object]) -> Callable[[ReleasePeer], object]:
    async def run(peer: ReleasePeer) -> object:
        await trio.lowlevel.checkpoint()
        with mock.patch("kafkaproto.client.socket.create_connection", peer.socket):
            try:
                return ask()
            except (UnsupportedVersionError, CheckError, UnreachableError):
                return REFUSED

    return run


def _access(listener: str) -> QuorumAccess:
    return QuorumAccess([SERVER], are_controllers=listener == CONTROLLER, retry_timeout_s=0)


def _watched() -> object:
    return uncommitted_voters(_access(CONTROLLER).describe())


def _followed() -> object:
    follower = QuorumFollower(_access(CONTROLLER), None)
    with closing(follower):
        piece = follower._fetch_piece(SNAPSHOT, 3)
        fetched = follower._leader().send(follower._fetch_request())
    assert isinstance(fetched, kafka.FetchResponse)
    return piece, fetched.responses[0].partitions[0].high_watermark


def _read_live() -> object:
    with LiveQuorum([SERVER], retry_timeout_s=0) as quorum:
        chunks = [chunk.next_offset for chunk in quorum.read(7, 8)]
        return quorum.state().high_watermark, quorum._fetch_piece(SNAPSHOT, 3), chunks


_TOOLS = "server/kafkaproto_server/tools/"
_ACCESS = (_TOOLS + "quorum/access.py",)


def _tool(
    name: str,
    sends: tuple[str, ...],
    ask: Callable[[], object],
    handled: object,
    *,
    listener: str = CONTROLLER,
    modules: tuple[str, ...] = _ACCESS,
) -> Sender:
    return Sender(
        name=name,
        listener=listener,
        sends=sends,
        modules=modules,
        respond=answers,
        run=_with_peer(ask),  # type: ignore[arg-type]
        handled=handled,
    )


FROM_TOOLS = (
    _tool(
        "describe the quorum",
        ("DescribeClusterRequest", "DescribeQuorumRequest"),
        lambda: _access(CONTROLLER).describe().partition.leader_id,
        LEADER,
    ),
    _tool(
        "describe the quorum by a broker",
        ("DescribeClusterRequest", "DescribeQuorumRequest"),
        lambda: _access(BROKER).describe().partition.leader_id,
        LEADER,
        listener=BROKER,
    ),
    _tool(
        "list brokers",
        ("DescribeClusterRequest",),
        lambda: len(_access(BROKER).describe_cluster().brokers),
        1,
        listener=BROKER,
    ),
    _tool(
        "list fenced brokers",
        ("DescribeClusterRequest",),
        lambda: len(_access(BROKER).describe_cluster(include_fenced=True).brokers),
        1,
        listener=BROKER,
    ),
    _tool(
        "add a voter",
        ("AddRaftVoterRequest",),
        lambda: _access(CONTROLLER).add_voter(KEY, [LISTENER], "cluster").error,
        0,
    ),
    _tool(
        "remove a voter",
        ("RemoveRaftVoterRequest",),
        lambda: _access(CONTROLLER).remove_voter(KEY, "cluster").error,
        0,
    ),
    _tool(
        "unregister a broker",
        ("UnregisterBrokerRequest",),
        lambda: _access(BROKER).unregister_broker(7).error,
        0,
        listener=BROKER,
    ),
    _tool(
        "unregister a controller",
        ("UnregisterControllerRequest",),
        lambda: _access(CONTROLLER).unregister_controller(7).error,
        0,
    ),
    _tool(
        "watch for a change of voters",
        ("FetchRequest",),
        _watched,
        None,
        modules=(_TOOLS + "quorum/watch.py",),
    ),
    _tool(
        "the metadata shell on a quorum",
        ("FetchRequest", "FetchSnapshotRequest"),
        _followed,
        ((b"piece", 10), 8),
        modules=(_TOOLS + "shell/follower.py",),
    ),
    _tool(
        "brokers of a local cluster",
        ("MetadataRequest",),
        lambda: _brokers_named_by("localhost:9092"),
        {LEADER},
        listener=BROKER,
        modules=(_TOOLS + "cluster/local_cluster.py",),
    ),
    _tool(
        "the topic of a watch",
        ("MetadataRequest",),
        lambda: check_topic("t", "localhost:9092"),
        None,
        listener=BROKER,
        modules=("pipeline/kafkaproto_pipeline/jobs/watch/checks.py",),
    ),
    _tool(
        "a live quorum",
        ("DescribeClusterRequest", "DescribeQuorumRequest", "FetchRequest", "FetchSnapshotRequest"),
        _read_live,
        (8, (b"piece", 10), [8]),
        modules=("pipeline/kafkaproto_pipeline/sources/live_quorum.py",),
    ),
)
"""The senders of this module."""
