"""Node 1, which follows node 2, and what its leader may answer it."""

from __future__ import annotations

from kafkaproto_server.base.types import LeaderAndEpoch, OffsetAndEpoch, Voter
from kafkaproto_server.core.raft.model.states import Follower
from kafkaproto_server.core.raft.values.control import RecordedControl
from kafkaproto_server.core.raft.values.effects import Effects, SendRequest
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.events import RequestFailed, RequestFailure, ResponseReceived
from kafkaproto_server.core.raft.values.messages import (
    FetchedBatch,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    OutboundRequest,
)
from tests.core.raft.support.machine import Disk, Machine, bootstrap_records, config, voter

EPOCH = 3
LEADER = LeaderAndEpoch(leader_id=2, epoch=EPOCH)
SNAPSHOT = OffsetAndEpoch(offset=20, epoch=2)


def batch(base: int, next_offset: int, epoch: int, *control: RecordedControl) -> FetchedBatch:
    return FetchedBatch(
        base_offset=base, next_offset=next_offset, epoch=epoch, control=control, payload=b"%d" % base
    )


def follower(*voters: Voter, **settings: object) -> Machine:
    """Node 1, which followed node 2 in epoch 3, with a log of ten records; the voters are 1, 2 and 3 unless given."""
    voters = voters or tuple(voter(node_id, port=node_id) for node_id in (1, 2, 3))
    disk = Disk(
        bootstrap=bootstrap_records(*voters),
        log=[batch(0, 4, 1), batch(4, 7, 2), batch(7, 10, 3)],
        election=ElectionState(epoch=EPOCH, leader_id=2),
    )
    machine = Machine(config(1, port=1, **settings), disk)
    machine.start()
    machine.settle()
    return machine


def state_of(machine: Machine) -> Follower:
    state = machine.node.state
    assert isinstance(state, Follower)
    return state


def sent(machine: Machine, kind: type[OutboundRequest], to: int | None = None) -> SendRequest:
    """The one request of that kind that waits for its answer, and does so no more."""
    machine.settle()
    found = [
        each
        for each in machine.requests
        if isinstance(each.request, kind) and to in (None, each.destination.port)
    ]
    assert len(found) == 1, [each.request for each in machine.requests]
    machine.requests.remove(found[0])
    return found[0]


def answer_fetch(machine: Machine, **fields: object) -> list[Effects]:
    request = sent(machine, FetchRequest)
    response = FetchResponse(**{"leader": LEADER, **fields})  # type: ignore[arg-type]
    machine.handle(ResponseReceived(request_id=request.request_id, response=response))
    return machine.settle()


def answer_piece(machine: Machine, **fields: object) -> list[Effects]:
    request = sent(machine, FetchSnapshotRequest)
    asked = request.request
    assert isinstance(asked, FetchSnapshotRequest)
    right = {"leader": LEADER, "snapshot": asked.snapshot, "position": asked.position, "size": 6}
    response = FetchSnapshotResponse(**{**right, "data": b"abc", **fields})  # type: ignore[arg-type]
    machine.handle(ResponseReceived(request_id=request.request_id, response=response))
    return machine.settle()


def fail(
    machine: Machine, kind: type[OutboundRequest], failure: RequestFailure, to: int | None = None
) -> SendRequest:
    request = sent(machine, kind, to)
    machine.handle(RequestFailed(request_id=request.request_id, failure=failure))
    machine.settle()
    return request
