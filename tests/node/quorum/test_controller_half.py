"""When the controller is active, and what its effects come to, with a Raft core that is played by the test."""

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
from kafkaproto_server.controller.core.controller import Controller
from kafkaproto_server.controller.values.config import ControllerConfig
from kafkaproto_server.controller.values.effects import Refuse
from kafkaproto_server.controller.values.events import (
    BatchCommitted,
    BrokerProvenDead,
    CommandContext,
    HighWatermarkAdvanced,
    KRaftVersionChanged,
    Tick,
)
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.node.quorum import controller_half
from kafkaproto_server.node.quorum.controller_half import ControllerHalf
from kafkaproto_server.node.quorum.pauses import LOOK_INTERVAL_MS, NOTICEABLE_MS, PauseWatch
from kafkaproto_server.raft.values.effects import (
    AppendRefusal,
    AppendRefused,
    BecameLeader,
    ControlBatchAppended,
)
from kafkaproto_server.raft.values.errors import RaftError
from kafkaproto_server.raft.values.events import AppendRequested, Event, ResignRequested
from kafkaproto_server.raft.values.messages import Answer as RaftAnswer
from kafkaproto_server.raft.values.messages import (
    InboundRequest,
    UpgradeKRaftVersionRequest,
    VoterChangeResponse,
)
from kafkaproto_server.requests import release as message_release
from kafkaproto_server.requests.context import Answer, NoAnswer
from kafkaproto_server.types import Deferred, LeaderAndEpoch, run_to_end
from tests.controller.support.harness import (
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
class Bench:
    """A controller half whose log ends with the first batch of this node's epoch, at offset 0."""

    to_raft: list[Event] = field(default_factory=list)
    asked: list[tuple[InboundRequest, Callable[[RaftAnswer], None]]] = field(default_factory=list)
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
        self.half = ControllerHalf(
            controller,
            node_id=NODE_ID,
            clock=self.clock,
            to_raft=self.to_raft.append,
            ask_raft=self._ask_raft,
            publish=self.images.append,
            pauses=PauseWatch(self.clock),
        )

    def _ask_raft(self, request: InboundRequest, answered: Callable[[RaftAnswer], None]) -> None:
        self.asked.append((request, answered))
        self.on_ask()

    def obey(self) -> None:
        while self.half.obey():
            pass

    def activate(self) -> None:
        self.half.became_leader(BecameLeader(epoch=EPOCH, epoch_start_offset=0, next_offset=1))
        self.half.take_batch(
            BatchCommitted(base_offset=0, last_offset=0, epoch=EPOCH, timestamp_ms=1, records=None)
        )
        assert self.half.maybe_activate(1)
        self.obey()

    def command(self, request: Message, version: int = 1) -> list[Answer]:
        """What was answered so far, which may be nothing."""
        reply: Deferred[Answer] = Deferred()
        answers: list[Answer] = []
        reply.on_done(answers.append)
        self.half.command(request, version, CommandContext(), reply)
        self.obey()
        return answers

    def appended(self) -> list[AppendRequested]:
        return [event for event in self.to_raft if isinstance(event, AppendRequested)]

    def commit(self) -> None:
        last = self.appended()[-1]
        self.half.handle(
            HighWatermarkAdvanced(high_watermark=last.base_offset + len(last.records), timestamp_ms=2)
        )
        self.obey()


def write(value: str = "1") -> Message:
    return alter_configs_request(4, "", ("log.retention.ms", 0, value))


def error_of(answer: Answer) -> int:
    assert not isinstance(answer, NoAnswer)
    assert isinstance(answer, IncrementalAlterConfigsResponse)
    return answer.responses[0].error_code


def test_it_is_active_once_the_epochs_first_batch_is_committed_and_replayed() -> None:
    bench = Bench()
    half = bench.half
    assert not half.maybe_activate(10)
    half.became_leader(BecameLeader(epoch=EPOCH, epoch_start_offset=0, next_offset=1))
    assert not half.maybe_activate(0)
    half.take_batch(BatchCommitted(base_offset=0, last_offset=0, epoch=EPOCH, timestamp_ms=1, records=None))
    assert half.maybe_activate(1)
    assert half.active_epoch == EPOCH
    assert not half.maybe_activate(1)
    bench.obey()
    assert [(event.epoch, event.base_offset) for event in bench.appended()] == [(EPOCH, 1)]


def test_control_records_before_and_after_that_move_its_next_offset() -> None:
    bench = Bench()
    bench.half.control_batch_appended(ControlBatchAppended(epoch=EPOCH - 1, next_offset=90))
    bench.half.control_batch_appended(ControlBatchAppended(epoch=EPOCH, next_offset=3))
    bench.activate()
    first = bench.appended()[0]
    assert first.base_offset == 3
    last = bench.appended()[-1]
    end = last.base_offset + len(last.records)
    bench.half.control_batch_appended(ControlBatchAppended(epoch=EPOCH, next_offset=end + 2))
    bench.command(write())
    assert bench.appended()[-1].base_offset == end + 2


def test_a_command_is_answered_when_its_records_are_committed() -> None:
    bench = Bench()
    bench.activate()
    answers = bench.command(write())
    assert answers == []
    bench.commit()
    assert [error_of(answer) for answer in answers] == [ErrorCode.NONE]
    assert bench.images[-1].offset == bench.appended()[-1].base_offset


def test_who_waits_is_told_when_leadership_is_lost_and_who_comes_then_where_to_go() -> None:
    bench = Bench()
    bench.activate()
    answers = bench.command(write())
    bench.half.leadership_lost(EPOCH)
    bench.obey()
    assert [error_of(answer) for answer in answers] == [ErrorCode.NOT_CONTROLLER]
    assert bench.half.active_epoch is None
    bench.half.leader_changed(LeaderAndEpoch(leader_id=3, epoch=EPOCH + 1))
    (answer,) = bench.command(write())
    assert isinstance(answer, IncrementalAlterConfigsResponse)
    assert "3" in (answer.responses[0].error_message or "")


def test_an_append_that_does_not_fit_makes_the_controller_resign_and_append_no_more() -> None:
    bench = Bench()
    bench.activate()
    told = AppendRefused(epoch=EPOCH, base_offset=9, reason=AppendRefusal.BATCH_TOO_LARGE)
    bench.half.append_refused(told)
    before = len(bench.appended())
    bench.command(write())
    assert len(bench.appended()) == before
    assert ResignRequested(epoch=EPOCH) in bench.to_raft


def test_an_append_of_an_epoch_that_is_over_is_forgotten() -> None:
    bench = Bench()
    bench.activate()
    bench.half.append_refused(AppendRefused(epoch=EPOCH, base_offset=9, reason=AppendRefusal.NOT_LEADER))
    bench.command(write())
    assert not any(isinstance(event, ResignRequested) for event in bench.to_raft)


@pytest.mark.parametrize(
    ("error", "code"),
    [(RaftError.NONE, ErrorCode.NONE), (RaftError.INVALID_UPDATE_VERSION, ErrorCode.INVALID_UPDATE_VERSION)],
)
def test_the_quorum_decides_on_kraft_version(error: RaftError, code: ErrorCode) -> None:
    bench = Bench()
    bench.half.handle(KRaftVersionChanged(kraft_version=0))
    bench.activate()
    bench.command(controller_registration_request(controller_id=NODE_ID), version=0)
    bench.commit()
    answers = bench.command(update_features_request(("kraft.version", 1, 1)), version=2)
    ((request, answered),) = bench.asked
    assert request == UpgradeKRaftVersionRequest(epoch=EPOCH, level=1, validate_only=False)
    assert answers == []
    answered(VoterChangeResponse(error=error, message="why not" if error else None))
    bench.obey()
    (answer,) = answers
    assert isinstance(answer, UpdateFeaturesResponse)
    assert answer.error_code == code


def test_a_snapshot_takes_the_place_of_what_was_replayed() -> None:
    bench = Bench()
    image = ClusterImage().at(40, 3, 7)
    bench.half.take_snapshot(image)
    bench.obey()
    assert bench.half.next_offset == 41
    assert bench.images[-1].offset == 40


def command_without_obeying(bench: Bench, request: Message, version: int = 1) -> None:
    bench.half.command(request, version, CommandContext(), Deferred())


def test_a_proven_death_is_logged_with_its_proof_if_it_fences(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    bench.activate()
    bench.command(registration_request(3, cluster_id="cluster"))
    (broker,) = bench.half._controller.newest_image.brokers.values()
    beat = BrokerHeartbeatRequest(broker_id=3, broker_epoch=broker.epoch, current_metadata_offset=1_000)
    bench.command(beat)
    death = BrokerProvenDead(
        broker_id=3, broker_epoch=broker.epoch, silent_since_ms=1000, proof="PLAINTEXT://host:1 refused"
    )
    for _ in range(2):
        bench.half.handle(death)
        bench.obey()
    assert bench.half.proven_deaths == 1
    assert bench.half._controller.newest_image.brokers[3].fenced
    line = f"broker 3 (epoch {broker.epoch}) is dead and is fenced: PLAINTEXT://host:1 refused"
    assert [record.getMessage() for record in caplog.records].count(line) == 1


def serving(bench: Bench) -> bool:
    return not bench.half._controller.newest_image.brokers[3].fenced


def start_broker(bench: Bench) -> None:
    """Broker 3 serves; it was heard of just now."""
    bench.command(registration_request(3, cluster_id="cluster"))
    (broker,) = bench.half._controller.newest_image.brokers.values()
    bench.command(
        BrokerHeartbeatRequest(broker_id=3, broker_epoch=broker.epoch, current_metadata_offset=1_000)
    )
    assert serving(bench)


def let_pass(bench: Bench, milliseconds: int) -> None:
    """Time in which the node runs: it looks at the clock whenever it wants to."""
    end = bench.clock.now + milliseconds
    while bench.clock.now < end:
        deadline_ms = bench.half.next_deadline_ms
        assert deadline_ms is not None
        assert deadline_ms <= bench.clock.now + LOOK_INTERVAL_MS
        bench.clock.now = min(end, deadline_ms)
        bench.half.handle(Tick())


SESSION_MS = ControllerConfig().broker_session_timeout_ms


def test_a_node_that_did_not_run_takes_nobody_for_silent(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    bench.activate()
    start_broker(bench)
    let_pass(bench, 2_000)
    bench.clock.now += 60_000
    bench.half.handle(Tick())
    assert serving(bench)
    given_back = 60_000 - LOOK_INTERVAL_MS
    assert f"this node did not run for {given_back} ms" in caplog.text
    let_pass(bench, SESSION_MS - 2_000 - LOOK_INTERVAL_MS - 1)
    assert serving(bench)
    let_pass(bench, 1)
    assert not serving(bench)


def test_a_broker_is_silent_where_the_node_runs_on_and_short_delays_are_no_pauses() -> None:
    bench = Bench()
    bench.activate()
    start_broker(bench)
    while bench.clock.now < 1000 + SESSION_MS:
        assert serving(bench)
        bench.clock.now += LOOK_INTERVAL_MS + NOTICEABLE_MS - 1
        bench.half.handle(Tick())
    assert not serving(bench)


def test_a_standby_need_not_look_at_the_clock_and_its_pauses_are_no_matter() -> None:
    bench = Bench()
    assert bench.half.next_deadline_ms is None
    bench.clock.now += 60_000
    bench.activate()
    start_broker(bench)
    let_pass(bench, SESSION_MS)
    assert not serving(bench)


def test_what_several_commands_append_goes_to_the_log_together() -> None:
    bench = Bench()
    bench.activate()
    before = len(bench.appended())
    for value in "123":
        command_without_obeying(bench, write(value))
    bench.obey()
    (together,) = bench.appended()[before:]
    assert len(together.records) == 3
    bench.command(write("4"))
    assert bench.appended()[-1].base_offset == together.base_offset + 3


def test_together_only_as_much_as_the_log_takes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    bench.activate()
    bench.command(write("9"))
    size = len(bench.appended()[-1].records[0])
    before = len(bench.appended())
    monkeypatch.setattr(controller_half, "MAX_GATHERED_BYTES", 2 * size)
    for value in "12345":
        command_without_obeying(bench, write(value))
    bench.obey()
    assert [len(event.records) for event in bench.appended()[before:]] == [2, 2, 1]


def test_kraft_version_changes_behind_all_that_was_decided_on_the_log_without_the_change() -> None:
    bench = Bench()
    bench.activate()
    bench.half.handle(KRaftVersionChanged(kraft_version=0))
    before = len(bench.appended())
    appended_when_asked: list[int] = []
    bench.on_ask = lambda: appended_when_asked.append(len(bench.appended()))
    command_without_obeying(bench, write("1"))
    command_without_obeying(bench, update_features_request(("kraft.version", 1, 1)), version=2)
    command_without_obeying(bench, write("2"))
    bench.obey()
    assert appended_when_asked == [before + 1]
    assert [len(event.records) for event in bench.appended()[before:]] == [2]


def elections(count: int) -> ElectLeadersRequest:
    """A request of a type that there is not."""
    topic = ElectLeadersRequest.TopicPartitions(topic="t", partitions=[*range(count)])
    return ElectLeadersRequest(election_type=7, topic_partitions=[topic])


def test_a_short_refusal_is_made_at_once_and_a_long_one_in_steps() -> None:
    bench = Bench()
    bench.activate()
    bench.commit()
    (short,) = bench.command(elections(2))
    assert isinstance(short, ElectLeadersResponse)
    (steps,) = bench.command(elections(1_000))
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
    steps = controller_half._refusal(refusal)
    del refusal
    count = sum(1 for _ in steps)
    assert count > 20_000 / message_release.VALUES_A_STEP
