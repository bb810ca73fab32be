"""In which order effects of the Raft core are applied, and what waits for the disk. All other parts are scripted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from kafkaproto_server.base.types import LeaderAndEpoch, OffsetAndEpoch
from kafkaproto_server.core.controller.values.events import KRaftVersionChanged
from kafkaproto_server.core.raft.values.effects import (
    AppendRefusal,
    AppendRefused,
    BecameLeader,
    ClaimRefused,
    ControlBatchAppended,
    Effects,
    HighWatermarkAdvanced,
    LeaderChanged,
    LeadershipLost,
    PendingBatch,
    SendRequest,
    SendResponse,
    ShutdownCompleted,
    TruncateLog,
    VotersChanged,
    WriteElectionState,
)
from kafkaproto_server.core.raft.values.election_state import ElectionState
from kafkaproto_server.core.raft.values.errors import RaftError
from kafkaproto_server.core.raft.values.events import (
    Event,
    Opened,
    Persisted,
    RequestReceived,
    SnapshotInstalled,
    SnapshotRejected,
    StoredSnapshot,
    Tick,
)
from kafkaproto_server.core.raft.values.messages import (
    Destination,
    EndQuorumEpochRequest,
    FetchedBatch,
    UpdateVoterResponse,
)
from kafkaproto_server.core.raft.values.trust import Doubt
from kafkaproto_server.shell.quorum import effects as effects_module
from kafkaproto_server.shell.quorum.disk_worker import DurableRun, PersistJob
from kafkaproto_server.shell.quorum.effects import RaftEffects
from kafkaproto_server.shell.quorum.log_tail import TailBatch
from kafkaproto_server.shell.quorum.metrics import QuorumMetrics

NODE = 3
NOWHERE = LeaderAndEpoch(leader_id=-1, epoch=0)
WALL_MS = 777
END = EndQuorumEpochRequest(leader_id=1, epoch=2, preferred_candidates=())
REQUEST = SendRequest(request_id=1, destination=Destination(id=1, host="h", port=1), request=END)
STATE = WriteElectionState(
    state=ElectionState(epoch=4, leader_id=NODE), kraft_version=1, voter_ids=(1, 2, NODE)
)
BATCH = PendingBatch(base_offset=7, epoch=4, records=(b"a", b"b"))


def response(request_id: int) -> SendResponse:
    answer = UpdateVoterResponse(error=RaftError.NONE, leader=NOWHERE, leader_endpoint=None)
    return SendResponse(request_id=request_id, response=answer)


@dataclass(kw_only=True)
class World:
    """All parts that apply effects; each notes what it has to do. ``coming`` are the core's next effects."""

    node_id: int = NODE
    done: list[Any] = field(default_factory=list)
    coming: list[Effects] = field(default_factory=list)
    kraft_version: int = 1
    leader_and_epoch: LeaderAndEpoch = NOWHERE
    metrics: QuorumMetrics = field(default_factory=QuorumMetrics)
    seconds: float = 100.0
    jobs: list[PersistJob] = field(default_factory=list)
    tail: list[TailBatch] = field(default_factory=list)
    durable_tails: int = 0
    """How often the tail was told that the disk has all of it."""

    def note(self, name: str) -> Callable[..., None]:
        return lambda *arguments, **named: self.done.append((name, *arguments, *named.values()))

    def handle(self, event: Event, now_ms: int) -> None:
        assert now_ms == 5
        self.done.append(("raft", type(event).__name__))

    def take_effects(self) -> Effects | None:
        return self.coming.pop(0) if self.coming else None

    def persist(self, job: PersistJob) -> None:
        self.jobs.append(job)
        self.done.append(("disk", job.number))

    def append(self, batch: TailBatch) -> None:
        self.tail.append(batch)

    def all_are_durable(self) -> None:
        self.durable_tails += 1

    def effects(self, *, has_controller: bool = True) -> RaftEffects:
        controller = SimpleNamespace(
            handle=self.note("controller"),
            leader_changed=self.note("controller: leader"),
            became_leader=self.note("controller: leads"),
            leadership_lost=self.note("controller: leads no more"),
            control_batch_appended=self.note("controller: control batch"),
            append_refused=self.note("controller: refused"),
            active_epoch=None,
        )
        self.published = SimpleNamespace(
            leader=NOWHERE, notify=self.note("publish"), show_active_epoch=self.note("show")
        )
        committed = SimpleNamespace(
            published=self.published,
            high_watermark_advanced=self.note("committed"),
            leadership_lost=self.note("committed: leads no more"),
            appended=self.note("appended"),
            feed=SimpleNamespace(load_newest_snapshot=self.note("load")),
        )
        tail = SimpleNamespace(
            append=self.append,
            all_are_durable=self.all_are_durable,
            truncate_to=self.note("truncate"),
            restart_at=self.note("restart"),
        )
        return RaftEffects(
            raft=self,  # type: ignore[arg-type]
            controller=controller if has_controller else None,  # type: ignore[arg-type]
            committed=committed,  # type: ignore[arg-type]
            log=SimpleNamespace(tail=tail, worker=self),  # type: ignore[arg-type]
            channel=SimpleNamespace(send=self.note("send")),  # type: ignore[arg-type]
            metrics=self.metrics,
            clock=SimpleNamespace(now_ms=lambda: 5, wall_ms=lambda: WALL_MS),
            wake=self.note("wake"),
        )


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(effects_module, "time", SimpleNamespace(perf_counter=lambda: made.seconds))
    return made


def begun(world: World, *, has_controller: bool = True) -> RaftEffects:
    effects = world.effects(has_controller=has_controller)
    opened = Opened(
        log_start_offset=0,
        log_end_offset=0,
        epoch_starts=(),
        snapshots=(),
        election=None,
        control_records=(),
    )
    effects.begin(opened, "nursery")  # type: ignore[arg-type]
    expected: list[Any] = [("raft", "Opened"), ("wake",)]
    if has_controller:
        expected.append(("controller", KRaftVersionChanged(kraft_version=1)))
    assert world.done == expected
    world.done.clear()
    return effects


def durable(number: int, *events: Any, sync_ms: float | None = None) -> DurableRun:
    return DurableRun(number=number, events=events, sync_ms=sync_ms)


def after(number: int, *, writes: bool, offset: int) -> Effects:
    """Effects that bring a high watermark after they are durable."""
    return Effects(
        number=number,
        election_state=STATE if writes else None,
        notify_after_persist=(HighWatermarkAdvanced(offset=offset),),
    )


def test_writes_are_queued_first_and_the_controller_hears_of_control_batches_before_the_rest(
    world: World,
) -> None:
    effects = begun(world)
    appended = ControlBatchAppended(epoch=4, next_offset=9)
    world.coming = [
        Effects(
            number=1,
            notify_now=(HighWatermarkAdvanced(offset=3), appended, REQUEST),
            writes=(BATCH,),
            election_state=STATE,
            must_sync=True,
        )
    ]
    effects.to_raft(Tick())
    [job] = world.jobs
    assert world.done == [
        ("raft", "Tick"),
        ("appended", 9, WALL_MS, len(job.writes[0])),  # type: ignore[arg-type]
        ("disk", 1),
        ("controller: control batch", appended),
        ("committed", 3),
        ("send", "nursery", REQUEST),
        ("wake",),
    ]
    assert (job.election_state, job.must_sync) == (STATE, True)
    assert world.tail == [TailBatch(base_offset=7, next_offset=9, payload=job.writes[0])]  # type: ignore[arg-type]
    assert (world.metrics.appended_records, world.metrics.fetched_records) == (2, 0)


def test_what_was_fetched_is_written_as_it_came(world: World) -> None:
    effects = begun(world)
    fetched = FetchedBatch(base_offset=5, next_offset=8, epoch=3, payload=b"payload")
    world.coming = [Effects(number=1, writes=(TruncateLog(end_offset=5), fetched))]
    effects.to_raft(Tick())
    assert world.done == [("raft", "Tick"), ("truncate", 5), ("disk", 1), ("wake",)]
    assert world.jobs == [PersistJob(number=1, writes=(TruncateLog(end_offset=5), b"payload"))]
    assert world.tail == [TailBatch(base_offset=5, next_offset=8, payload=b"payload")]
    assert (world.metrics.appended_records, world.metrics.fetched_records) == (0, 3)


def test_what_waits_for_no_write_is_applied_at_once_and_nothing_overtakes_what_waits(world: World) -> None:
    effects = begun(world)
    world.coming = [after(1, writes=False, offset=1)]
    effects.to_raft(Tick())
    assert world.done == [("raft", "Tick"), ("committed", 1), ("wake",)]
    for number, writes in ((2, True), (3, False), (4, True), (5, False)):
        world.coming = [after(number, writes=writes, offset=number)]
        effects.to_raft(Tick())
    world.done.clear()
    effects.persisted(durable(2))
    assert world.done == [("committed", 2), ("committed", 3), ("raft", "Persisted"), ("wake",)]
    world.done.clear()
    effects.persisted(durable(4))
    assert world.done == [("committed", 4), ("committed", 5), ("raft", "Persisted"), ("wake",)]


def test_the_core_hears_of_what_is_durable_once_its_effects_are_applied(world: World) -> None:
    effects = begun(world)
    world.coming = [after(1, writes=True, offset=1), after(2, writes=True, offset=2)]
    effects.to_raft(Tick())
    effects.to_raft(Tick())
    world.done.clear()
    # What the core asks for then comes after that.
    world.coming = [after(3, writes=False, offset=3)]
    effects.persisted(durable(2))
    assert world.done == [
        *(("committed", 1), ("committed", 2), ("raft", Persisted.__name__)),
        *(("committed", 3), ("wake",)),
    ]


def test_a_snapshot_that_was_installed_is_loaded_before_the_core_goes_on(world: World) -> None:
    effects = begun(world)
    snapshot = OffsetAndEpoch(offset=20, epoch=2)
    installed = SnapshotInstalled(snapshot=StoredSnapshot(id=snapshot, size_bytes=6), control_records=())
    effects.persisted(durable(1, SnapshotRejected(snapshot=snapshot), installed))
    assert world.done == [
        *(("raft", "SnapshotRejected"), ("wake",), ("restart", 20), ("load",)),
        *(("raft", "SnapshotInstalled"), ("wake",), ("raft", "Persisted"), ("wake",)),
    ]


def test_each_request_has_one_response(world: World) -> None:
    effects = begun(world)
    answers: list[Any] = []
    for number in (1, 2):
        effects.ask("CONTROLLER", END, lambda answer, number=number: answers.append(number))  # type: ignore[misc]
    assert world.done[0] == ("raft", RequestReceived.__name__)
    assert effects.unanswered == 2
    world.coming = [Effects(number=1, notify_now=(response(2),))]
    effects.to_raft(Tick())
    world.coming = [Effects(number=2, notify_now=(response(1),))]
    effects.to_raft(Tick())
    assert (answers, effects.unanswered) == ([2, 1], 0)
    world.coming = [Effects(number=3, notify_now=(response(1),))]
    with pytest.raises(KeyError):
        effects.to_raft(Tick())


@pytest.mark.parametrize("has_controller", [True, False])
def test_leaders_and_voters_are_made_known(world: World, has_controller: bool) -> None:
    effects = begun(world, has_controller=has_controller)
    leader = LeaderAndEpoch(leader_id=2, epoch=9)
    world.coming = [
        Effects(
            number=1,
            notify_now=(VotersChanged(kraft_version=2),),
            notify_after_persist=(LeaderChanged(leader=leader),),
        )
    ]
    effects.to_raft(Tick())
    of_controller = [each for each in world.done if str(each[0]).startswith("controller")]
    assert [each for each in world.done if each not in of_controller] == [
        *(("raft", "Tick"), ("publish",), ("wake",))
    ]
    assert world.published.leader == leader
    told = [("controller", KRaftVersionChanged(kraft_version=2)), ("controller: leader", leader)]
    assert of_controller == (told if has_controller else [])


def test_what_the_core_says_of_its_leadership_reaches_the_controller(world: World) -> None:
    effects = begun(world)
    refused = AppendRefused(epoch=4, base_offset=7, reason=AppendRefusal.NOT_LEADER)
    world.coming = [Effects(number=1, notify_now=(LeadershipLost(epoch=4), refused))]
    effects.to_raft(Tick())
    assert world.done == [
        *(("raft", "Tick"), ("committed: leads no more",), ("controller: leads no more", 4)),
        *(("show", None), ("controller: refused", refused), ("wake",)),
    ]


@pytest.mark.parametrize(("leader_id", "epoch", "leads"), [(NODE, 4, True), (NODE, 5, False), (1, 4, False)])
def test_the_controller_does_not_hear_of_leadership_that_was_lost_before_it_was_durable(
    world: World, leader_id: int, epoch: int, leads: bool
) -> None:
    effects = begun(world)
    became = BecameLeader(epoch=4, epoch_start_offset=6, next_offset=7)
    world.coming = [Effects(number=1, election_state=STATE, notify_after_persist=(became,))]
    effects.to_raft(Tick())
    world.leader_and_epoch = LeaderAndEpoch(leader_id=leader_id, epoch=epoch)
    effects.persisted(durable(1))
    assert (("controller: leads", became) in world.done) == leads


def test_the_end_of_a_shutdown_is_made_known(world: World) -> None:
    effects = begun(world)
    assert not effects.handed_over.is_set()
    world.coming = [Effects(number=1, notify_after_persist=(ShutdownCompleted(),))]
    effects.to_raft(Tick())
    assert effects.handed_over.is_set()


def test_a_claim_that_is_not_believed_is_logged(world: World, caplog: pytest.LogCaptureFixture) -> None:
    effects = begun(world)
    refused = ClaimRefused(peer_id=9, claim=END, doubt=Doubt.UNKNOWN_NODE)
    world.coming = [Effects(number=1, notify_now=(refused,))]
    effects.to_raft(Tick())
    [line] = caplog.messages
    assert line.startswith("refused a claim: node 9: EndQuorumEpoch")


def test_the_tail_is_told_when_no_write_is_under_way(world: World) -> None:
    effects = begun(world)
    for number in (1, 2, 3):
        world.coming = [after(number, writes=True, offset=number)]
        effects.to_raft(Tick())
    effects.persisted(durable(2))
    assert world.durable_tails == 0
    effects.persisted(durable(3))
    assert world.durable_tails == 1


def test_durations_are_counted_from_the_queue_to_the_disk(world: World) -> None:
    effects = begun(world)
    for number in (1, 2, 3):
        world.coming = [after(number, writes=True, offset=number)]
        effects.to_raft(Tick())
        world.seconds += 0.5
    metrics = world.metrics
    effects.persisted(durable(2, sync_ms=250.0))
    # The first two wait 1.5 s and 1 s, the third 2 s.
    assert (metrics.persists.count, metrics.persists.sum_ms) == (2, 2500)
    world.seconds += 1.5
    effects.persisted(durable(3))
    assert (metrics.persists.count, metrics.persists.sum_ms) == (3, 4500)
    assert (metrics.flushes.count, metrics.flushes.sum_ms) == (1, 250)


def test_a_failure_of_the_core_says_what_led_to_it(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    effects = begun(world)

    def fail(event: Event, now_ms: int) -> None:
        raise AssertionError("two leaders")

    monkeypatch.setattr(world, "handle", fail)
    monkeypatch.setattr(effects_module, "describe_state", lambda raft: "the state")
    with pytest.raises(AssertionError, match="two leaders"):
        effects.to_raft(Tick())
    assert caplog.messages == ["the Raft core failed: tick; its state: the state"]
