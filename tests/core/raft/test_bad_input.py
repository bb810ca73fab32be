"""Whatever a peer sends or answers, the core goes on: every number that fits a field, at any moment, in any order.

The quorum is a ``Cluster`` whose machines assert what the core promises. Two classes of lies: requests of an outsider
to a healthy quorum, which must not even notice; and answers of peers that make no sense, which may cost an election,
but no process.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, OffsetAndEpoch, ReplicaKey
from kafkaproto_server.core.raft.values.control import KRaftVersion, KRaftVoters, RecordedControl
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import (
    RequestFailed,
    RequestFailure,
    RequestReceived,
    ResponseReceived,
)
from kafkaproto_server.core.raft.values.messages import (
    BeginQuorumEpochRequest,
    FetchedBatch,
    FetchResponse,
    FetchSnapshotResponse,
    InboundRequest,
    InboundResponse,
    QuorumEpochResponse,
    UpgradeKRaftVersionRequest,
    VoteResponse,
)
from kafkaproto_server.core.raft.values.trust import LAST_EPOCH
from kafkaproto_server.core.raft.values.voters import VoterSet
from tests.core.raft.support.cluster import Cluster, destination
from tests.core.raft.support.machine import Disk, bootstrap_records, config, directory, voter

NUMBERS = st.sampled_from([-(2**63), -2, -1, 0, 1, 2, 3, 4, 5, 7, 99, 2**31 - 2, 2**63 - 1])
SMALL_NUMBERS = st.sampled_from([-1, 0, 1, 2, 3, 4, 5])
EPOCHS = st.sampled_from([-1, 0, 1, 2, 3, 50])
NODE_IDS = st.sampled_from([-1, 0, 1, 2, 3, 9])
DIRECTORIES = st.sampled_from([None, directory(1), directory(2), directory(9)])
UNKNOWN_NODES = st.builds(ReplicaKey, id=NODE_IDS, directory_id=st.sampled_from([None, directory(9)]))
ENDPOINTS = st.builds(
    Endpoint,
    name=st.sampled_from(["CONTROLLER", "OTHER"]),
    host=st.sampled_from(["", "127.0.0.1"]),
    port=st.sampled_from([-1, 0, 2, 9, 70000]),
)
POSITIONS = st.builds(OffsetAndEpoch, epoch=EPOCHS, offset=NUMBERS)
LEADERS = st.builds(LeaderAndEpoch, leader_id=NODE_IDS, epoch=EPOCHS)

FIELDS: dict[str, st.SearchStrategy[object]] = {
    "int": NUMBERS,
    "bool": st.booleans(),
    "bytes | None": DIRECTORIES,
    "ReplicaKey": UNKNOWN_NODES,
    "tuple[ReplicaKey, ...]": st.lists(UNKNOWN_NODES, max_size=3).map(tuple),
    "tuple[Endpoint, ...]": st.lists(ENDPOINTS, max_size=2).map(tuple),
    "OffsetAndEpoch": POSITIONS,
}


def any_of(kind: type[InboundRequest]) -> st.SearchStrategy[InboundRequest]:
    """A request of that kind with anything in its fields."""
    fields = {
        name: EPOCHS if "epoch" in name else FIELDS[type_name]
        for name, type_name in inspect.get_annotations(kind).items()
    }
    return st.builds(kind, **fields)


REQUESTS = st.one_of(
    [any_of(kind) for kind in get_args(InboundRequest) if kind is not UpgradeKRaftVersionRequest]
)

CONTROL = st.builds(
    RecordedControl,
    offset=SMALL_NUMBERS,
    record=st.one_of(
        st.builds(KRaftVersion, level=st.integers(-1, 3)),
        st.sampled_from([VoterSet(voters=()), VoterSet(voters=(voter(1), voter(2)))]).map(
            lambda voters: KRaftVoters(voters=voters)
        ),
    ),
)
BATCHES = st.builds(
    FetchedBatch,
    base_offset=SMALL_NUMBERS,
    next_offset=SMALL_NUMBERS,
    epoch=EPOCHS,
    control=st.lists(CONTROL, max_size=3).map(tuple),
    payload=st.just(b"lie"),
)
ERRORS = st.one_of(st.just(RaftError.NONE), st.sampled_from(list(RaftError)))
COMMON = {"error": ERRORS, "leader": LEADERS, "leader_endpoint": st.one_of(st.none(), ENDPOINTS)}
RESPONSES: dict[str, st.SearchStrategy[InboundResponse]] = {
    "Vote": st.builds(VoteResponse, is_granted=st.booleans(), **COMMON),
    "BeginQuorumEpoch": st.builds(QuorumEpochResponse, **COMMON),
    "EndQuorumEpoch": st.builds(QuorumEpochResponse, **COMMON),
    "Fetch": st.builds(
        FetchResponse,
        high_watermark=NUMBERS,
        diverging=st.one_of(st.none(), POSITIONS),
        snapshot=st.one_of(st.none(), POSITIONS),
        batches=st.lists(BATCHES, max_size=3).map(tuple),
        **COMMON,
    ),
    "FetchSnapshot": st.builds(
        FetchSnapshotResponse,
        snapshot=POSITIONS,
        size=NUMBERS,
        position=NUMBERS,
        data=st.sampled_from([b"", b"xyz"]),
        **COMMON,
    ),
}


def quorum_of_three() -> Cluster:
    cluster = Cluster()
    voters = [voter(node_id, port=node_id) for node_id in (1, 2, 3)]
    servers = tuple(destination(node_id) for node_id in (1, 2, 3))
    for each in voters:
        node_config = config(each.key.id, port=each.key.id, bootstrap_servers=servers)
        cluster.add(node_config, Disk(bootstrap=bootstrap_records(*voters)))
        cluster.start(each.key.id)
    return cluster


def known_leaders(cluster: Cluster) -> list[tuple[LeaderAndEpoch, Endpoint | None]]:
    """Whom each node follows, and where."""
    nodes = [machine.node for machine in cluster.machines.values()]
    return [(node.leader_and_epoch, node.leader_endpoint("CONTROLLER")) for node in nodes]


def test_a_forged_beginning_does_not_lead_followers_astray() -> None:
    """The leader's id and epoch are right; of its addresses there are more than a follower knows, and none is right."""
    cluster = quorum_of_three()
    cluster.run(3000)
    before = known_leaders(cluster)
    leader = before[0][0]
    for node_id, machine in cluster.machines.items():
        if node_id == leader.leader_id:
            continue
        names = ["CONTROLLER", *(f"OTHER-{number}" for number in range(10))]
        request = BeginQuorumEpochRequest(
            leader_id=leader.leader_id,
            epoch=leader.epoch,
            voter_id=node_id,
            voter_directory_id=directory(node_id),
            leader_endpoints=tuple(Endpoint(name=name, host="127.0.0.1", port=9) for name in names),
        )
        event = RequestReceived(request_id=10**6, request=request, listener_name="CONTROLLER")
        cluster.tell(node_id, event)
        (response,) = [sent.response for sent in machine.responses if sent.request_id == 10**6]
        assert isinstance(response, QuorumEpochResponse)
        assert (response.error, response.leader_endpoint) == (RaftError.NONE, before[0][1])
    cluster.run(3000)
    assert known_leaders(cluster) == before


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lies=st.lists(st.tuples(st.integers(1, 3), REQUESTS, st.integers(0, 300)), min_size=5, max_size=25))
def test_an_outsider_does_not_disturb_a_healthy_quorum(
    lies: list[tuple[int, InboundRequest, int]],
) -> None:
    cluster = quorum_of_three()
    cluster.run(3000)
    before = known_leaders(cluster)
    answered = 0
    for node_id, request, pause_ms in lies:
        event = RequestReceived(request_id=10**6 + answered, request=request, listener_name="CONTROLLER")
        cluster.tell(node_id, event)
        cluster.run(pause_ms)
        answered += 1
    cluster.run(3000)
    assert known_leaders(cluster) == before
    responses = [
        response.request_id for machine in cluster.machines.values() for response in machine.responses
    ]
    waiting = [
        parked.request_id
        for machine in cluster.machines.values()
        for parked in getattr(machine.node.state, "parked", ())
        if parked.request_id >= 10**6
    ]
    assert sorted([*responses, *waiting]) == [10**6 + number for number in range(answered)]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_response_stops_the_process(data: st.DataObject) -> None:
    """One node alone, whose peers answer anything; it may believe them, but it never contradicts itself."""
    cluster = quorum_of_three()
    cluster.kill(2)
    cluster.kill(3)
    machine = cluster.machines[1]
    cluster.do(1, lambda machine: None)
    for _ in range(data.draw(st.integers(5, 40), label="answers")):
        if data.draw(st.booleans(), label="time passes"):
            machine.tick(data.draw(st.sampled_from([1, 30, 600, 2500]), label="ms"))
        machine.settle()
        outstanding = [
            sent
            for sent in machine.requests
            if type(sent.request).__name__.removesuffix("Request") in RESPONSES
        ]
        if not outstanding:
            continue
        sent = data.draw(st.sampled_from(outstanding), label="request")
        machine.requests.remove(sent)
        if data.draw(st.integers(0, 4), label="fails") == 0:
            failure = data.draw(st.sampled_from(list(RequestFailure)))
            machine.handle(RequestFailed(request_id=sent.request_id, failure=failure))
        else:
            kind = type(sent.request).__name__.removesuffix("Request")
            response = data.draw(RESPONSES[kind], label="answer")
            machine.handle(ResponseReceived(request_id=sent.request_id, response=response))
    machine.settle()
    assert machine.node.state.epoch >= 0


@pytest.mark.parametrize("epoch", [LAST_EPOCH, LAST_EPOCH - 1])
def test_elections_end_a_million_epochs_before_the_wire_does(epoch: int) -> None:
    cluster = Cluster()
    voters = [voter(1, port=1)]
    machine = cluster.add(config(1, port=1), Disk(bootstrap=bootstrap_records(*voters)))
    cluster.start(1)
    cluster.run(100)
    cluster.kill(1)
    assert machine.disk.election is not None
    machine.disk.election = dataclasses.replace(machine.disk.election, epoch=epoch)
    cluster.start(1)
    cluster.run(10_000)
    leads = epoch < LAST_EPOCH
    assert cluster.leaders() == ([1] if leads else [])
    assert machine.node.state.epoch == LAST_EPOCH
