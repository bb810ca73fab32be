"""One line each. The scenarios show effects, messages and states; here are the lines that no scenario prints.

Tests: `core.raft.describe.core`, `core.raft.describe.messages`.
"""

from __future__ import annotations

import pytest

from kafkaproto_server.base.types import LeaderAndEpoch, OffsetAndEpoch
from kafkaproto_server.core.raft.describe.core import describe_effects, describe_event, describe_state
from kafkaproto_server.core.raft.describe.messages import describe_message
from kafkaproto_server.core.raft.values.effects import (
    ClaimRefused,
    ControlBatchAppended,
    DropSnapshotPart,
    Effects,
    InstallSnapshot,
    NoticeNow,
    SendRequest,
    SendResponse,
    TruncateLog,
    WriteSnapshotChunk,
)
from kafkaproto_server.core.raft.values.epoch_start import EpochStart
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import (
    AppendRequested,
    Event,
    LogStartMoved,
    Opened,
    Persisted,
    RequestFailed,
    RequestFailure,
    RequestReceived,
    ResignRequested,
    ResponseReceived,
    ShutdownRequested,
    SnapshotCreated,
    SnapshotInstalled,
    SnapshotRejected,
    StoredSnapshot,
    Tick,
)
from kafkaproto_server.core.raft.values.messages import (
    AddVoterRequest,
    ApiVersionsRequest,
    ApiVersionsResponse,
    Destination,
    EndQuorumEpochRequest,
    FetchedBatch,
    FetchRequest,
    InboundRequest,
    InboundResponse,
    OutboundRequest,
    RemoveVoterRequest,
    UpdateVoterRequest,
    UpdateVoterResponse,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
)
from kafkaproto_server.core.raft.values.trust import Doubt
from tests.core.raft.support.following import fail, follower
from tests.core.raft.support.machine import bootstrap_records, voter

SNAPSHOT = OffsetAndEpoch(offset=5, epoch=1)
STORED = StoredSnapshot(id=SNAPSHOT, size_bytes=70)
HERE = Destination(id=2, host="h", port=2)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            Opened(
                log_start_offset=5,
                log_end_offset=9,
                epoch_starts=(EpochStart(epoch=2, start_offset=5), EpochStart(epoch=4, start_offset=8)),
                snapshots=(STORED,),
                control_records=bootstrap_records(voter(1), voter(2))[1:],
            ),
            "opened log=5..9 epoch 2@5 epoch 4@8 snapshot=5-1 KRAFT_VOTERS([1/d001@CONTROLLER=127.0.0.1:9093,"
            " 2/d002@CONTROLLER=127.0.0.1:9093])@-1 no quorum-state",
        ),
        (
            AppendRequested(epoch=2, base_offset=7, records=(b"ab", b"c"), atomic=False),
            "append requested epoch=2 base=7 records=2 bytes=3 not atomic",
        ),
        (Persisted(number=3), "persisted #3"),
        (
            RequestReceived(
                request_id=4, request=RemoveVoterRequest(voter=voter(2).key), listener_name="CONTROLLER"
            ),
            "request 4 on CONTROLLER: RemoveRaftVoter 2/d002",
        ),
        (ResponseReceived(request_id=4, response=VoterChangeResponse()), "response to 4: VoterChange"),
        (RequestFailed(request_id=4, failure=RequestFailure.REFUSED), "request 4 failed: refused"),
        (
            RequestFailed(
                request_id=4, failure=RequestFailure.TOP_LEVEL_ERROR, error=RaftError.INVALID_REQUEST
            ),
            "request 4 failed: top-level error INVALID_REQUEST",
        ),
        (SnapshotCreated(snapshot=STORED), "snapshot 5-1 created, 70 bytes"),
        (SnapshotInstalled(snapshot=STORED, control_records=()), "snapshot 5-1 installed, 70 bytes"),
        (SnapshotRejected(snapshot=SNAPSHOT), "snapshot 5-1 rejected"),
        (LogStartMoved(log_start_offset=5), "log start moved to 5"),
        (Tick(), "tick"),
        (ResignRequested(epoch=3), "resign requested epoch=3"),
        (ShutdownRequested(), "shutdown requested"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_event(event: Event, line: str) -> None:
    assert describe_event(event) == line


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            AddVoterRequest(
                voter=voter(2).key,
                endpoints=voter(2).endpoints,
                timeout_ms=1,
                ack_when_committed=True,
            ),
            "AddRaftVoter 2/d002@CONTROLLER=127.0.0.1:9093",
        ),
        (
            UpdateVoterRequest(
                epoch=3,
                voter=voter(2).key,
                endpoints=voter(2).endpoints,
                min_kraft_version=0,
                max_kraft_version=1,
            ),
            "UpdateRaftVoter 2/d002@CONTROLLER=127.0.0.1:9093",
        ),
        (ApiVersionsRequest(), "ApiVersions"),
        (
            UpgradeKRaftVersionRequest(epoch=3, level=1, validate_only=True),
            "UpgradeKRaftVersion epoch=3 level=1",
        ),
        (
            VoterChangeResponse(error=RaftError.DUPLICATE_VOTER, message="it is one"),
            "VoterChange DUPLICATE_VOTER it is one",
        ),
        (
            UpdateVoterResponse(leader=LeaderAndEpoch(leader_id=1, epoch=2)),
            "UpdateRaftVoter leader=1 epoch=2",
        ),
        (ApiVersionsResponse(max_kraft_version=1), "ApiVersions kraft.version=0..1"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_message(message: InboundRequest | OutboundRequest | InboundResponse, line: str) -> None:
    assert describe_message(message) == line


def test_effects_without_content() -> None:
    assert describe_effects(Effects(number=1)) == "#1 -"


@pytest.mark.parametrize(
    ("notice", "line"),
    [
        (
            SendRequest(request_id=7, destination=HERE, request=ApiVersionsRequest()),
            "ask 2 [7] ApiVersions",
        ),
        (SendResponse(request_id=7, response=VoterChangeResponse()), "response 7: VoterChange"),
        (ControlBatchAppended(epoch=3, next_offset=9), "control batch appended epoch=3 next=9"),
        (
            ClaimRefused(
                peer_id=7,
                claim=EndQuorumEpochRequest(leader_id=7, epoch=9, preferred_candidates=()),
                doubt=Doubt.EPOCH_AT_THE_END,
            ),
            "refused a claim: node 7: EndQuorumEpoch leader=7 epoch=9 candidates=[]: "
            "a quorum could not continue from that epoch",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_notice(notice: NoticeNow, line: str) -> None:
    assert describe_effects(Effects(number=1, notify_now=(notice,))) == f"#1 {line}"


def test_a_prospective() -> None:
    machine = follower()
    fail(machine, FetchRequest, RequestFailure.DISCONNECTED)
    machine.tick(30)
    assert describe_state(machine.node).startswith(
        "prospective epoch=3 leader=2 voted=none granted=[1] hw=-1 leo=10 voters=[1/d001@"
    )


def test_log_writes() -> None:
    effects = Effects(
        number=4,
        writes=(
            TruncateLog(end_offset=3),
            FetchedBatch(base_offset=3, next_offset=5, epoch=2, payload=b""),
            WriteSnapshotChunk(snapshot=SNAPSHOT, position=10, data=b"abc"),
            DropSnapshotPart(snapshot=SNAPSHOT),
            InstallSnapshot(snapshot=SNAPSHOT, size=13),
        ),
    )
    assert describe_effects(effects) == (
        "#4 truncate to 3; append fetched 3..5 epoch=2; write snapshot 5-1 bytes 10..13;"
        " drop part of snapshot 5-1; install snapshot 5-1"
    )
