"""One line each for events, effects and states."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import BrokerHeartbeatRequest, ControllerRegistrationRequest, NoOpRecord
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.core.controller.values.effects import (
    AppendRecords,
    Effect,
    ReportFailure,
    ReportSilence,
    UpgradeKRaftVersion,
)
from kafkaproto_server.core.controller.values.events import (
    BatchCommitted,
    BecameActive,
    BecameInactive,
    BrokerFailed,
    CommandContext,
    CommandReceived,
    Event,
    KRaftVersionChanged,
    KRaftVersionUpgraded,
    NodePaused,
    QuorumAppended,
    RecordsCommitted,
    SnapshotLoaded,
    TimePassed,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.core.controller.support.describe import describe_controller, describe_effect, describe_event
from tests.core.controller.support.harness import Harness


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (BecameActive(epoch=3, next_offset=9), "became active epoch=3 next=9"),
        (BecameInactive(leader_id=-1, epoch=4), "became inactive leader=-1 epoch=4"),
        (
            BatchCommitted(base_offset=1, last_offset=2, epoch=3, timestamp_ms=4, records=None),
            "batch committed 1..2 epoch=3 control",
        ),
        (
            BatchCommitted(
                base_offset=1, last_offset=2, epoch=3, timestamp_ms=4, records=(NoOpRecord(), NoOpRecord())
            ),
            "batch committed 1..2 epoch=3 NoOp NoOp",
        ),
        (RecordsCommitted(high_watermark=8, timestamp_ms=1), "high watermark 8"),
        (QuorumAppended(next_offset=8), "control batch appended next=8"),
        (KRaftVersionChanged(kraft_version=1), "kraft.version 1"),
        (SnapshotLoaded(image=ClusterImage(offset=9, epoch=2)), "snapshot loaded offset=9 epoch=2"),
        (
            KRaftVersionUpgraded(command_id=5, error_code=ErrorCode.NONE, message=None),
            "kraft.version upgraded #5 NONE",
        ),
        (
            KRaftVersionUpgraded(command_id=5, error_code=ErrorCode.REQUEST_TIMED_OUT, message="too busy"),
            "kraft.version upgraded #5 REQUEST_TIMED_OUT too busy",
        ),
        (
            CommandReceived(
                command_id=5, request=BrokerHeartbeatRequest(), version=1, context=CommandContext()
            ),
            "command #5 BrokerHeartbeatRequest v1",
        ),
        (
            BrokerFailed(broker_id=7, broker_epoch=40, silent_since_ms=9_100),
            "broker 7 failed epoch=40 silent since 9100",
        ),
        (NodePaused(pause_ms=60_000), "paused for 60000 ms"),
        (TimePassed(), "tick"),
    ],
)
def test_an_event_is_a_line(event: Event, line: str) -> None:
    assert describe_event(event) == line


def test_effects_are_lines() -> None:
    harness = Harness()
    harness.call(ControllerRegistrationRequest(controller_id=-1))
    harness.append_control()
    harness.commit()
    assert [describe_effect(effect) for effect in harness.effects] == [
        "refuse #1 ControllerRegistrationRequest INVALID_REQUEST Node id -1 is negative.",
        "publish image offset=6 high watermark=7",
    ]


def test_of_many_records_the_first_are_shown() -> None:
    value = encode_metadata_record(NoOpRecord(), 0)
    line = describe_effect(AppendRecords(epoch=1, base_offset=2, records=(value,) * 23))
    assert line == f"append epoch=1 base=2 {'NoOpv0{} ' * 20}and 3 more"


def test_a_state_is_a_line() -> None:
    harness = Harness()
    harness.send(harness.heartbeat_request(1))
    assert (
        describe_controller(harness.controller)
        == "active epoch=1 newest=5 committed=5 parked=0 brokers=0 topics=0"
    )
    harness.deactivate(leader_id=2)
    assert (
        describe_controller(harness.controller)
        == "standby leader=2 newest=5 committed=5 parked=0 brokers=0 topics=0"
    )


@pytest.mark.parametrize(
    ("effect", "line"),
    [
        (
            UpgradeKRaftVersion(command_id=4, epoch=2, level=1, validate_only=False),
            "upgrade kraft.version #4 epoch=2 level=1",
        ),
        (
            UpgradeKRaftVersion(command_id=4, epoch=2, level=1, validate_only=True),
            "upgrade kraft.version #4 epoch=2 level=1 validate only",
        ),
        (
            ReportFailure(request_name="CreateTopicsRequest", error=KeyError("x")),
            "report failure CreateTopicsRequest KeyError('x')",
        ),
        (
            ReportSilence(broker_id=7, broker_epoch=40, silent_ms=9_003),
            "broker 7 silent epoch=40 for 9003 ms",
        ),
    ],
)
def test_a_rare_effect_is_a_line(effect: Effect, line: str) -> None:
    assert describe_effect(effect) == line
