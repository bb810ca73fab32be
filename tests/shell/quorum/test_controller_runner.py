"""When the controller is active, and what its effects come to, with a Raft core that is played by the test.

Tests: `shell.quorum.pauses`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    ElectLeadersRequest,
    ElectLeadersResponse,
    IncrementalAlterConfigsResponse,
    UpdateFeaturesResponse,
)
from kafkaproto_server.base.later import Deferred, run_to_end
from kafkaproto_server.base.types import LeaderAndEpoch
from kafkaproto_server.core.controller.machine.controller import Controller
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.effects import Refuse
from kafkaproto_server.core.controller.values.events import (
    BatchCommitted,
    BrokerFailed,
    CommandContext,
    KRaftVersionChanged,
    RecordsCommitted,
    TimePassed,
)
from kafkaproto_server.core.raft.values.effects import (
    AppendRefusal,
    AppendRefused,
    BecameLeader,
    ControlBatchAppended,
)
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import AppendRequested, Event, ResignRequested
from kafkaproto_server.core.raft.values.messages import (
    InboundRequest,
    OutboundResponse,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests import release as message_release
from kafkaproto_server.requests.context import NoResponse, Response
from kafkaproto_server.shell.quorum import controller_runner
from kafkaproto_server.shell.quorum.controller_runner import ControllerRunner
from kafkaproto_server.shell.quorum.pauses import LOOK_INTERVAL_MS, NOTICEABLE_MS, PauseWatch
from tests.core.controller.support.harness import (
    SeededRng,
    alter_configs_request,
    bootstrap_records,
    controller_registration_request,
    registration_request,
    update_features_request,
)

NODE_ID = 1
EPOCH = 4


@dataclass
class HandClock:
    """Stands still unless a test moves it."""

    now: int = 1000

    def now_ms(self) -> int:
        return self.now

    def wall_ms(self) -> int:
        return 5000


@dataclass
class Harness:
    """A controller half whose log ends with the first batch of this node's epoch, at offset 0."""

    to_raft: list[Event] = field(default_factory=list)
    asked: list[tuple[InboundRequest, Callable[[OutboundResponse], None]]] = field(default_factory=list)
    images: list[ClusterImage] = field(default_factory=list)
    on_ask: Callable[[], None] = lambda: None
    clock: HandClock = field(default_factory=HandClock)

    def __post_init__(self) -> None:
        controller = Controller(
            node_id=NODE_ID,
            cluster_id="cluster",
            config=ControllerConfig(metadata_max_idle_interval_ms=0),
            rng=SeededRng(1),
            bootstrap_records=bootstrap_records(),
        )
        self.half = ControllerRunner(
            controller,
            node_id=NODE_ID,
            clock=self.clock,
            to_raft=self.to_raft.append,
            ask_raft=self._ask_raft,
            publish=self.images.append,
            pauses=PauseWatch(self.clock),
        )

    def _ask_raft(self, request: InboundRequest, answered: Callable[[OutboundResponse], None]) -> None:
        self.asked.append((request, answered))
        self.on_ask()

    def apply_effects(self) -> None:
        while self.half.apply_effects():
            pass

    def activate(self) -> None:
        self.half.became_leader(BecameLeader(epoch=EPOCH, epoch_start_offset=0, next_offset=1))
        self.half.take_batch(
            BatchCommitted(base_offset=0, last_offset=0, epoch=EPOCH, timestamp_ms=1, records=None)
        )
        assert self.half.maybe_activate(1)
        self.apply_effects()

    def command(self, request: Message, version: int = 1) -> list[Response]:
        """What was answered so far, which may be nothing."""
        reply: Deferred[Response] = Deferred()
        responses: list[Response] = []
        reply.on_done(responses.append)
        self.half.command(request, version, CommandContext(), reply)
        self.apply_effects()
        return responses

    def appended(self) -> list[AppendRequested]:
        return [event for event in self.to_raft if isinstance(event, AppendRequested)]

    def commit(self) -> None:
        last = self.appended()[-1]
        self.half.handle(
            RecordsCommitted(high_watermark=last.base_offset + len(last.records), timestamp_ms=2)
        )
        self.apply_effects()


def write(value: str = "1") -> Message:
    return alter_configs_request(4, "", ("log.retention.ms", 0, value))


def error_of(response: Response) -> int:
    assert not isinstance(response, NoResponse)
    assert isinstance(response, IncrementalAlterConfigsResponse)
    return response.responses[0].error_code


def test_it_is_active_once_the_epochs_first_batch_is_committed_and_replayed() -> None:
    harness = Harness()
    half = harness.half
    assert not half.maybe_activate(10)
    half.became_leader(BecameLeader(epoch=EPOCH, epoch_start_offset=0, next_offset=1))
    assert not half.maybe_activate(0)
    half.take_batch(BatchCommitted(base_offset=0, last_offset=0, epoch=EPOCH, timestamp_ms=1, records=None))
    assert half.maybe_activate(1)
    assert half.active_epoch == EPOCH
    assert not half.maybe_activate(1)
    harness.apply_effects()
    assert [(event.epoch, event.base_offset) for event in harness.appended()] == [(EPOCH, 1)]


def test_control_records_before_and_after_that_move_its_next_offset() -> None:
    harness = Harness()
    harness.half.control_batch_appended(ControlBatchAppended(epoch=EPOCH - 1, next_offset=90))
    harness.half.control_batch_appended(ControlBatchAppended(epoch=EPOCH, next_offset=3))
    harness.activate()
    first = harness.appended()[0]
    assert first.base_offset == 3
    last = harness.appended()[-1]
    end = last.base_offset + len(last.records)
    harness.half.control_batch_appended(ControlBatchAppended(epoch=EPOCH, next_offset=end + 2))
    harness.command(write())
    assert harness.appended()[-1].base_offset == end + 2


def test_control_records_of_an_epoch_that_is_over_do_not_move_its_next_offset() -> None:
    harness = Harness()
    harness.half.control_batch_appended(ControlBatchAppended(epoch=EPOCH - 1, next_offset=90))
    harness.activate()
    assert harness.appended()[0].base_offset == 1


def test_what_two_epochs_append_does_not_go_to_the_log_together() -> None:
    harness = Harness()
    harness.activate()
    harness.commit()
    end = harness.half.next_offset
    before = len(harness.appended())
    command_without_obeying(harness, write("1"))
    harness.half.leadership_lost(EPOCH)
    later = EPOCH + 2
    harness.half.take_batch(
        BatchCommitted(base_offset=end, last_offset=end, epoch=later, timestamp_ms=1, records=None)
    )
    harness.half.became_leader(BecameLeader(epoch=later, epoch_start_offset=end, next_offset=end + 1))
    assert harness.half.maybe_activate(end + 1)
    command_without_obeying(harness, write("2"))
    harness.apply_effects()
    appended = [(event.epoch, event.base_offset) for event in harness.appended()[before:]]
    assert appended == [(EPOCH, end), (later, end + 1)]


def test_a_command_is_answered_when_its_records_are_committed() -> None:
    harness = Harness()
    harness.activate()
    responses = harness.command(write())
    assert responses == []
    harness.commit()
    assert [error_of(response) for response in responses] == [ErrorCode.NONE]
    assert harness.images[-1].offset == harness.appended()[-1].base_offset


def test_who_waits_is_told_when_leadership_is_lost_and_who_comes_then_where_to_go() -> None:
    harness = Harness()
    harness.activate()
    responses = harness.command(write())
    harness.half.leadership_lost(EPOCH)
    harness.apply_effects()
    assert [error_of(response) for response in responses] == [ErrorCode.NOT_CONTROLLER]
    assert harness.half.active_epoch is None
    harness.half.leader_changed(LeaderAndEpoch(leader_id=3, epoch=EPOCH + 1))
    (response,) = harness.command(write())
    assert isinstance(response, IncrementalAlterConfigsResponse)
    assert "3" in (response.responses[0].error_message or "")


def test_an_append_that_does_not_fit_makes_the_controller_resign_and_append_no_more() -> None:
    harness = Harness()
    harness.activate()
    told = AppendRefused(epoch=EPOCH, base_offset=9, reason=AppendRefusal.BATCH_TOO_LARGE)
    harness.half.append_refused(told)
    before = len(harness.appended())
    harness.command(write())
    assert len(harness.appended()) == before
    assert ResignRequested(epoch=EPOCH) in harness.to_raft


def test_an_append_of_an_epoch_that_is_over_is_forgotten() -> None:
    harness = Harness()
    harness.activate()
    harness.half.append_refused(AppendRefused(epoch=EPOCH, base_offset=9, reason=AppendRefusal.NOT_LEADER))
    harness.command(write())
    assert not any(isinstance(event, ResignRequested) for event in harness.to_raft)


@pytest.mark.parametrize(
    ("error", "code"),
    [(RaftError.NONE, ErrorCode.NONE), (RaftError.INVALID_UPDATE_VERSION, ErrorCode.INVALID_UPDATE_VERSION)],
)
def test_the_quorum_decides_on_kraft_version(error: RaftError, code: ErrorCode) -> None:
    harness = Harness()
    harness.half.handle(KRaftVersionChanged(kraft_version=0))
    harness.activate()
    harness.command(controller_registration_request(controller_id=NODE_ID), version=0)
    harness.commit()
    responses = harness.command(update_features_request(("kraft.version", 1, 1)), version=2)
    ((request, answered),) = harness.asked
    assert request == UpgradeKRaftVersionRequest(epoch=EPOCH, level=1, validate_only=False)
    assert responses == []
    answered(VoterChangeResponse(error=error, message="why not" if error else None))
    harness.apply_effects()
    (response,) = responses
    assert isinstance(response, UpdateFeaturesResponse)
    assert response.error_code == code


def test_a_snapshot_takes_the_place_of_what_was_replayed() -> None:
    harness = Harness()
    image = ClusterImage().at(40, 3, 7)
    harness.half.take_snapshot(image)
    harness.apply_effects()
    assert harness.half.next_offset == 41
    assert harness.images[-1].offset == 40


def command_without_obeying(harness: Harness, request: Message, version: int = 1) -> None:
    harness.half.command(request, version, CommandContext(), Deferred())


def test_a_proven_death_is_logged_with_its_proof_if_it_fences(caplog: pytest.LogCaptureFixture) -> None:
    harness = Harness()
    harness.activate()
    harness.command(registration_request(3, cluster_id="cluster"))
    (broker,) = harness.half._controller.newest_image.brokers.values()
    beat = BrokerHeartbeatRequest(broker_id=3, broker_epoch=broker.epoch, current_metadata_offset=1_000)
    harness.command(beat)
    death = BrokerFailed(
        broker_id=3, broker_epoch=broker.epoch, silent_since_ms=1000, proof="PLAINTEXT://host:1 refused"
    )
    for _ in range(2):
        harness.half.handle(death)
        harness.apply_effects()
    assert harness.half.failed_brokers == 1
    assert harness.half._controller.newest_image.brokers[3].fenced
    line = f"broker 3 (epoch {broker.epoch}) failed and is fenced: PLAINTEXT://host:1 refused"
    assert [record.getMessage() for record in caplog.records].count(line) == 1


def serving(harness: Harness) -> bool:
    return not harness.half._controller.newest_image.brokers[3].fenced


def start_broker(harness: Harness) -> None:
    """Broker 3 serves; it was heard of just now."""
    harness.command(registration_request(3, cluster_id="cluster"))
    (broker,) = harness.half._controller.newest_image.brokers.values()
    harness.command(
        BrokerHeartbeatRequest(broker_id=3, broker_epoch=broker.epoch, current_metadata_offset=1_000)
    )
    assert serving(harness)


def let_pass(harness: Harness, milliseconds: int) -> None:
    """Time in which the node runs: it looks at the clock whenever it wants to."""
    end = harness.clock.now + milliseconds
    while harness.clock.now < end:
        deadline_ms = harness.half.next_deadline_ms
        assert deadline_ms is not None
        assert deadline_ms <= harness.clock.now + LOOK_INTERVAL_MS
        harness.clock.now = min(end, deadline_ms)
        harness.half.handle(TimePassed())


SESSION_MS = ControllerConfig().broker_session_timeout_ms


def test_a_node_that_did_not_run_takes_nobody_for_silent(caplog: pytest.LogCaptureFixture) -> None:
    harness = Harness()
    harness.activate()
    start_broker(harness)
    let_pass(harness, 2_000)
    harness.clock.now += 60_000
    harness.half.handle(TimePassed())
    assert serving(harness)
    given_back = 60_000 - LOOK_INTERVAL_MS
    assert f"this node did not run for {given_back} ms" in caplog.text
    let_pass(harness, SESSION_MS - 2_000 - LOOK_INTERVAL_MS - 1)
    assert serving(harness)
    let_pass(harness, 1)
    assert not serving(harness)


def test_a_broker_is_silent_where_the_node_runs_on_and_short_delays_are_no_pauses() -> None:
    harness = Harness()
    harness.activate()
    start_broker(harness)
    while harness.clock.now < 1000 + SESSION_MS:
        assert serving(harness)
        harness.clock.now += LOOK_INTERVAL_MS + NOTICEABLE_MS - 1
        harness.half.handle(TimePassed())
    assert not serving(harness)


@pytest.mark.parametrize(
    ("deadline_ms", "expected_ms"),
    [(None, LOOK_INTERVAL_MS), (10, 10), (LOOK_INTERVAL_MS + 10, LOOK_INTERVAL_MS)],
)
def test_an_active_controller_wakes_up_for_its_deadline_or_for_a_look_at_the_clock(
    deadline_ms: int | None, expected_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = Harness()
    harness.activate()
    now_ms = harness.clock.now
    due_ms = None if deadline_ms is None else now_ms + deadline_ms
    monkeypatch.setattr(harness.half._controller, "next_deadline_ms", lambda: due_ms)
    assert harness.half.next_deadline_ms == now_ms + expected_ms


@pytest.mark.parametrize("due_ms", [None, 10**9])
def test_a_controller_whose_pauses_are_not_looked_for_wakes_up_for_its_deadline_alone(
    due_ms: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = Harness()
    monkeypatch.setattr(harness.half, "_pauses", None)
    harness.activate()
    monkeypatch.setattr(harness.half._controller, "next_deadline_ms", lambda: due_ms)
    assert harness.half.next_deadline_ms == due_ms


def test_a_standby_need_not_look_at_the_clock_and_its_pauses_are_no_matter(
    caplog: pytest.LogCaptureFixture,
) -> None:
    harness = Harness()
    assert harness.half.next_deadline_ms is None
    harness.clock.now += 60_000
    harness.activate()
    assert "did not run" not in caplog.text
    start_broker(harness)
    let_pass(harness, SESSION_MS)
    assert not serving(harness)


def test_what_several_commands_append_goes_to_the_log_together() -> None:
    harness = Harness()
    harness.activate()
    before = len(harness.appended())
    for value in "123":
        command_without_obeying(harness, write(value))
    harness.apply_effects()
    (together,) = harness.appended()[before:]
    assert len(together.records) == 3
    harness.command(write("4"))
    assert harness.appended()[-1].base_offset == together.base_offset + 3


def test_together_only_as_much_as_the_log_takes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = Harness()
    harness.activate()
    harness.command(write("9"))
    size = len(harness.appended()[-1].records[0])
    before = len(harness.appended())
    monkeypatch.setattr(controller_runner, "MAX_GATHERED_BYTES", 2 * size)
    for value in "12345":
        command_without_obeying(harness, write(value))
    harness.apply_effects()
    assert [len(event.records) for event in harness.appended()[before:]] == [2, 2, 1]


def test_kraft_version_changes_behind_all_that_was_decided_on_the_log_without_the_change() -> None:
    harness = Harness()
    harness.activate()
    harness.half.handle(KRaftVersionChanged(kraft_version=0))
    before = len(harness.appended())
    appended_when_asked: list[int] = []
    harness.on_ask = lambda: appended_when_asked.append(len(harness.appended()))
    command_without_obeying(harness, write("1"))
    command_without_obeying(harness, update_features_request(("kraft.version", 1, 1)), version=2)
    command_without_obeying(harness, write("2"))
    harness.apply_effects()
    assert appended_when_asked == [before + 1]
    assert [len(event.records) for event in harness.appended()[before:]] == [2]


def elections(count: int) -> ElectLeadersRequest:
    """A request of a type that there is not."""
    topic = ElectLeadersRequest.TopicPartitions(topic="t", partitions=[*range(count)])
    return ElectLeadersRequest(election_type=7, topic_partitions=[topic])


def test_a_short_refusal_is_made_at_once_and_a_long_one_in_steps() -> None:
    harness = Harness()
    harness.activate()
    harness.commit()
    (short,) = harness.command(elections(2))
    assert isinstance(short, ElectLeadersResponse)
    (steps,) = harness.command(elections(1_000))
    assert isinstance(steps, Generator)
    response = run_to_end(steps)
    assert isinstance(response, ElectLeadersResponse)
    assert response.error_code == ErrorCode.INVALID_REQUEST
    assert [len(topic.partition_result) for topic in response.replica_election_results] == [1_000]


def test_the_large_response_of_a_command_that_is_refused_late_is_let_go_in_steps() -> None:
    void = ElectLeadersResponse(
        replica_election_results=[ElectLeadersResponse.ReplicaElectionResult() for _ in range(20_000)]
    )
    refusal = Refuse(
        command_id=1, request=elections(1), version=2, code=ErrorCode.NOT_CONTROLLER, text=None, void=void
    )
    del void
    steps = controller_runner._refusal(refusal)
    del refusal
    count = sum(1 for _ in steps)
    assert count > 20_000 / message_release.VALUES_A_STEP
