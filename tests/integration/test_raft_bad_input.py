"""Unknown nodes at the Raft APIs of a live quorum of three processes under load.

The quorum responds to each and stays as it is: no process ends, no epoch rises, the leader keeps leading, nothing that
was acknowledged is lost.

Among them are the plain messages that stop, or unseat, a stock node of Apache Kafka 4.3.1, in a test each.
"""

from __future__ import annotations

import random
import socket
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

from compat.process import wait_until
from kafkaproto import api
from kafkaproto import messages as kafka
from kafkaproto.client import parse_servers
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.tools.cluster.cluster_layout import Shape
from tests.fuzz.live import fuzz_live
from tests.fuzz.support.raft_refusals import expected, outcome_of, partitions_of
from tests.fuzz.support.raft_requests import (
    METADATA_TOPIC,
    METADATA_TOPIC_ID,
    UNKNOWN_DIRECTORY,
    UNKNOWN_NODE_ID,
    UNREACHABLE_PORT,
    QuorumFacts,
    framed,
    raft_request,
    request_frame,
)
from tests.integration.support.asking import quorum
from tests.integration.support.clusters import node_cluster
from tests.integration.support.unknown_nodes import AttackedQuorum, UnknownNode, fetch_snapshot

pytestmark = pytest.mark.slow

FUZZ_SEED = 20261204
FUZZ_REQUESTS = 6000
"""Over all nodes, each answered before the next one is sent to the same node."""
MUTATED_CONNECTIONS = 120
"""At each node."""
AFTERMATH_S = 2.5
"""Longer than the patience of a follower: who was thrown off its leader would have been heard of by then."""
SNAPSHOT_OFTEN = "metadata.log.max.record.bytes.between.snapshots=20000"
RAFT_KEYS = (1, 52, 53, 54, 55, 59, 80, 81, 82)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AttackedQuorum]:
    folder = tmp_path_factory.mktemp("quorum")
    own = dict.fromkeys((1, 2, 3), SNAPSHOT_OFTEN)
    with node_cluster(folder, Shape(controllers=3, brokers=0), own_properties=own) as cluster:
        attacked = AttackedQuorum(cluster)
        try:
            yield attacked
            attacked.check_after(AFTERMATH_S)
        finally:
            attacked.writer.stop()
        assert len(attacked.writer.acknowledged) > 100
        for node_id in attacked.addresses:
            wait_until(partial(attacked.has_all, node_id), 10, f"all writes at node {node_id}")


@pytest.fixture(autouse=True)
def unmoved(attacked: AttackedQuorum) -> Iterator[None]:
    """Around each test: the quorum is as it was."""
    attacked.check()
    yield
    attacked.check()


def check_response(
    request: Any, response: Any, version: int, receiver: int, attacked: AttackedQuorum
) -> None:
    """The error is Kafka's, and what stands beside it is true and gives nothing away."""
    facts = attacked.facts
    outcome = outcome_of(response)
    allowed = expected(request, version, receiver, facts)
    assert outcome in allowed, (
        f"node {receiver} answered {outcome}, not {allowed}, to v{version} of {request}"
    )
    for partition in partitions_of(response):
        assert not getattr(partition, "vote_granted", False), f"node {receiver} voted: {request}"
        if partition.error_code != ErrorCode.NONE:
            records = getattr(partition, "unaligned_records", getattr(partition, "records", b""))
            assert records is not None
            assert len(records) == 0
        # One that knows nothing of the partition that was named names no leader of it.
        if partition.error_code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and not isinstance(
            request, kafka.DescribeQuorumRequest
        ):
            told = getattr(partition, "current_leader", partition)
            assert (told.leader_id, told.leader_epoch) == (facts.leader_id, facts.epoch)
    for node in getattr(response, "node_endpoints", ()):
        assert f"{node.host}:{node.port}" == attacked.addresses[facts.leader_id], f"{receiver} was misled"


# -- what stops or unseats a stock node ------------------------------------------------------------------------------


def test_fetch_snapshot_of_nothing_is_an_invalid_request(attacked: AttackedQuorum) -> None:
    """A stock node's process ends."""
    for address in attacked.addresses.values():
        with UnknownNode(address) as unknown_node:
            for version in (0, 1):
                for topics in ([], [kafka.FetchSnapshotRequest.TopicSnapshot(name=METADATA_TOPIC)]):
                    response = unknown_node.ask(fetch_snapshot(attacked.facts, topics=topics), version)
                    assert outcome_of(response) == (ErrorCode.INVALID_REQUEST, ())


@pytest.mark.parametrize("max_bytes", [-1, -(2**31)])
def test_fetch_snapshot_of_a_negative_size_is_an_invalid_request(
    attacked: AttackedQuorum, max_bytes: int
) -> None:
    """A stock leader's process ends."""
    with UnknownNode(attacked.addresses[attacked.leader_id]) as unknown_node:
        good = unknown_node.ask(fetch_snapshot(attacked.facts, max_bytes=100)).topics[0].partitions[0]
        assert (good.error_code, len(good.unaligned_records)) == (ErrorCode.NONE, 100)
        for version in (0, 1):
            response = unknown_node.ask(fetch_snapshot(attacked.facts, max_bytes=max_bytes), version)
            assert outcome_of(response) == (ErrorCode.NONE, (ErrorCode.INVALID_REQUEST,))


def test_fetch_snapshot_errors_reach_the_wire_with_empty_records(attacked: AttackedQuorum) -> None:
    """A stock leader's records are null there, which cannot be encoded: all these become a top-level -1."""
    facts = attacked.facts
    assert facts.snapshot is not None
    end_offset, epoch = facts.snapshot
    bad: list[tuple[dict[str, Any], ErrorCode]] = [
        ({"topic": "orders"}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({"partition": 1}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({"current_leader_epoch": facts.epoch - 1}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"current_leader_epoch": facts.epoch + 1}, ErrorCode.UNKNOWN_LEADER_EPOCH),
        ({"snapshot": (end_offset + 1, epoch)}, ErrorCode.SNAPSHOT_NOT_FOUND),
        ({"snapshot": (end_offset, epoch + 1)}, ErrorCode.SNAPSHOT_NOT_FOUND),
        ({"snapshot": (0, 0)}, ErrorCode.SNAPSHOT_NOT_FOUND),
        ({"position": -1}, ErrorCode.POSITION_OUT_OF_RANGE),
        ({"position": facts.snapshot_size}, ErrorCode.POSITION_OUT_OF_RANGE),
        ({"position": 2**63 - 1}, ErrorCode.POSITION_OUT_OF_RANGE),
    ]
    with UnknownNode(attacked.addresses[attacked.leader_id]) as unknown_node:
        for changes, code in bad:
            for version in (0, 1):
                response = unknown_node.ask(fetch_snapshot(facts, **dict(changes)), version)
                assert outcome_of(response) == (ErrorCode.NONE, (code,)), changes
                assert response.topics[0].partitions[0].unaligned_records == b""
    with UnknownNode(attacked.addresses[attacked.followers[0]]) as unknown_node:
        response = unknown_node.ask(fetch_snapshot(facts))
        assert outcome_of(response) == (ErrorCode.NONE, (ErrorCode.NOT_LEADER_OR_FOLLOWER,))
        assert response.topics[0].partitions[0].unaligned_records == b""


def end_quorum_epoch(facts: QuorumFacts, leader_id: int, *candidates: int) -> kafka.EndQuorumEpochRequest:
    """EndQuorumEpoch of the present epoch."""
    kind = kafka.EndQuorumEpochRequest
    partition = kind.PartitionData(
        leader_id=leader_id,
        leader_epoch=facts.epoch,
        preferred_candidates=[
            kind.ReplicaInfo(candidate_id=each, candidate_directory_id=facts.voters[each])
            for each in candidates
        ],
    )
    return kind(
        cluster_id=facts.cluster_id,
        topics=[kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])],
    )


def test_the_end_of_a_second_leader_of_an_epoch_is_an_invalid_request(attacked: AttackedQuorum) -> None:
    """A stock follower's process ends without an answer."""
    for node_id, address in attacked.addresses.items():
        with UnknownNode(address) as unknown_node:
            for other in (*attacked.followers, UNKNOWN_NODE_ID):
                response = unknown_node.ask(end_quorum_epoch(attacked.facts, other, node_id))
                assert outcome_of(response) == (ErrorCode.NONE, (ErrorCode.INVALID_REQUEST,))
    attacked.check_after(1)


def test_the_forged_end_of_a_live_leader_changes_nothing(attacked: AttackedQuorum) -> None:
    for node_id in attacked.followers:
        with UnknownNode(attacked.addresses[node_id]) as unknown_node:
            response = unknown_node.ask(end_quorum_epoch(attacked.facts, attacked.leader_id, node_id))
            assert outcome_of(response) == (ErrorCode.NONE, (ErrorCode.NONE,))
    attacked.check_after(1.5)


def vote(facts: QuorumFacts, receiver: int, *, epoch: int, is_pre_vote: bool) -> kafka.VoteRequest:
    """A vote request of an unknown node with a log that is better than all others."""
    kind = kafka.VoteRequest
    partition = kind.PartitionData(
        replica_epoch=epoch,
        replica_id=UNKNOWN_NODE_ID,
        replica_directory_id=UNKNOWN_DIRECTORY,
        voter_directory_id=facts.voters[receiver],
        last_offset_epoch=facts.epoch,
        last_offset=2**63 - 1,
        pre_vote=is_pre_vote,
    )
    topic = kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])
    return kind(cluster_id=facts.cluster_id, voter_id=receiver, topics=[topic])


@pytest.mark.parametrize("is_pre_vote", [True, False], ids=["pre-vote", "vote"])
def test_vote_requests_of_the_present_or_a_raised_epoch_move_nobody(
    attacked: AttackedQuorum, is_pre_vote: bool
) -> None:
    """A stock follower of a live leader believes a raised epoch, and the quorum soon elects anew."""
    for node_id, address in attacked.addresses.items():
        with UnknownNode(address) as unknown_node:
            for epoch in (
                attacked.facts.epoch,
                attacked.facts.epoch + 1,
                attacked.facts.epoch + 1000,
                2**31 - 1,
            ):
                request = vote(attacked.facts, node_id, epoch=epoch, is_pre_vote=is_pre_vote)
                check_response(request, unknown_node.ask(request), 2, node_id, attacked)
    attacked.check_after(1)


def test_a_forged_beginning_does_not_lead_followers_astray(attacked: AttackedQuorum) -> None:
    """The leader's id and epoch are right, and there are more addresses than followers know, all of them nobody's."""
    kind = kafka.BeginQuorumEpochRequest
    facts = attacked.facts
    for node_id in attacked.followers:
        partition = kind.PartitionData(
            voter_directory_id=facts.voters[node_id], leader_id=facts.leader_id, leader_epoch=facts.epoch
        )
        request = kind(
            cluster_id=facts.cluster_id,
            voter_id=node_id,
            topics=[kind.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])],
            leader_endpoints=[
                kind.LeaderEndpoint(name=name, host="127.0.0.1", port=UNREACHABLE_PORT)
                for name in ("CONTROLLER", "OTHER", "THIRD")
            ],
        )
        with UnknownNode(attacked.addresses[node_id]) as unknown_node:
            check_response(request, unknown_node.ask(request), 1, node_id, attacked)
    attacked.check_after(1)


# -- frames ----------------------------------------------------------------------------------------------------------


def unreadable(attacked: AttackedQuorum, node_id: int) -> Iterator[tuple[str, bytes]]:
    """Streams after which a node has to close the connection, each with its name."""
    rng = random.Random(f"{FUZZ_SEED} {node_id}")
    good: dict[int, tuple[int, bytes]] = {}
    while len(good) < len(RAFT_KEYS):
        version, message = raft_request(attacked.facts, node_id, rng)
        frame = request_frame(message, version, 1)
        if len(frame) < 500 and message.API_KEY is not None:
            good[message.API_KEY] = version, frame
    for key, (version, frame) in sorted(good.items()):
        info = api.api_by_key(key)
        assert info is not None
        yield f"{key} v{version} cut in its header", framed(frame[:7])
        yield f"{key} v{version} cut in its body", framed(frame[: rng.randrange(20, len(frame))])
        for bad_version in (-1, info.min_version - 1, info.max_version + 1, 2**15 - 1):
            yield f"{key} v{bad_version}", framed(frame[:2] + struct.pack(">h", bad_version) + frame[4:])
        for size in (0, -1, -(2**31), 2**31 - 1, (100 << 20) + 1):
            yield f"{key} of {size} bytes", struct.pack(">i", size) + frame
        header = frame[: 10 + len("unknown node")]
        flexible = info.request_header_version(version) == 2
        for count in (b"\xff\xff\xff\xff\x07", b"\x81\x94\xeb\xdc\x03", b"\xff" * 12):
            # At the first length of the body: a string's or, behind Fetch's numbers, a list's.
            yield f"{key} v{version} of a huge count", framed(header + b"\0" * flexible + count * 20)


def test_frames_that_cannot_be_read_close_their_connections(attacked: AttackedQuorum) -> None:
    closed = 0
    for node_id, address in attacked.addresses.items():
        for name, stream in unreadable(attacked, node_id):
            ((host, port),) = parse_servers(address)
            with socket.create_connection((host, port), timeout=5) as connection:
                try:
                    connection.sendall(stream)
                    received = connection.recv(1000)
                except ConnectionError:
                    # Closed before all of it was read.
                    received = b""
                except TimeoutError:
                    pytest.fail(f"node {node_id} did not close after {name}")
            assert received == b"", f"node {node_id} answered {name}"
            closed += 1
    assert closed == len(attacked.addresses) * len(RAFT_KEYS) * 14


def test_huge_lists_cost_the_connection_and_nothing_else(attacked: AttackedQuorum) -> None:
    facts = attacked.facts
    end = kafka.EndQuorumEpochRequest
    nobody = end.ReplicaInfo(candidate_id=-1)
    partition = end.PartitionData(
        leader_id=UNKNOWN_NODE_ID, leader_epoch=facts.epoch, preferred_candidates=[nobody] * 20_000
    )
    snapshot = kafka.FetchSnapshotRequest
    topic = snapshot.TopicSnapshot(name="x", partitions=[snapshot.PartitionSnapshot()] * 20_000)
    add = kafka.AddRaftVoterRequest
    listeners = [
        add.Listener(name=f"L{number}", host="127.0.0.1", port=UNREACHABLE_PORT) for number in range(20_000)
    ]
    requests: list[Message] = [
        end(topics=[end.TopicData(topic_name=METADATA_TOPIC, partitions=[partition])]),
        snapshot(topics=[topic]),
        add(voter_id=77, voter_directory_id=UNKNOWN_DIRECTORY, listeners=listeners),
    ]
    for address in attacked.addresses.values():
        for request in requests:
            with UnknownNode(address) as unknown_node:
                assert unknown_node.is_hung_up_on(request)
    attacked.check()


def test_fetches_that_want_to_wait_for_weeks_wait_for_news_alone(attacked: AttackedQuorum) -> None:
    kind = kafka.FetchRequest
    with ExitStack() as stack:
        for _ in range(100):
            unknown_node = stack.enter_context(UnknownNode(attacked.addresses[attacked.leader_id]))
            partition = kind.FetchPartition(
                current_leader_epoch=attacked.facts.epoch,
                last_fetched_epoch=attacked.facts.epoch,
                fetch_offset=quorum_end(attacked),
            )
            topic = kind.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[partition])
            unknown_node.send(
                kind(replica_state=kind.ReplicaState(replica_id=-1), max_wait_ms=2**31 - 1, topics=[topic])
            )
        attacked.check_after(0.5)


def quorum_end(attacked: AttackedQuorum) -> int:
    """About the leader's log end offset."""
    return quorum(attacked.addresses[attacked.leader_id]).high_watermark


# -- all of it -------------------------------------------------------------------------------------------------------


def test_lies_of_unknown_nodes_are_refused_with_kafkas_errors(attacked: AttackedQuorum) -> None:
    seen: Counter[tuple[str, int, int]] = Counter()
    with ExitStack() as stack:
        unknown_nodes = {
            node_id: stack.enter_context(UnknownNode(address))
            for node_id, address in attacked.addresses.items()
        }
        for number in range(FUZZ_REQUESTS):
            rng = random.Random(f"{FUZZ_SEED} {number}")
            receiver = rng.choice(list(unknown_nodes))
            version, request = raft_request(attacked.facts, receiver, rng)
            response = unknown_nodes[receiver].ask(request, version)
            check_response(request, response, version, receiver, attacked)
            top, partitions = outcome_of(response)
            for code in {top, *partitions}:
                seen[request.NAME, version, code] += 1
            if number % 500 == 0:
                attacked.check()
    attacked.check_after(AFTERMATH_S)
    answered = {(name, code) for name, _, code in seen}
    for code in (ErrorCode.INVALID_REQUEST, ErrorCode.INCONSISTENT_CLUSTER_ID):
        assert len({name for name, own in answered if own == code}) >= 7
    versions = {(name, version) for name, version, _ in seen}
    for key in RAFT_KEYS:
        info = api.api_by_key(key)
        assert info is not None
        for version in range(info.min_version, info.max_version + 1):
            assert (f"{info.name}Request", version) in versions


def test_mutated_requests_leave_every_voter_serving(attacked: AttackedQuorum) -> None:
    for node_id, address in attacked.addresses.items():
        ((host, port),) = parse_servers(address)
        fuzz_live(host, port, FUZZ_SEED + node_id, MUTATED_CONNECTIONS, quorum=(attacked.facts, node_id))
        attacked.check()
