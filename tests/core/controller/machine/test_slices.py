"""A change is worked on in slices: what goes on meanwhile, what waits, and what becomes of it.

Tests: `core.controller.brokers.failed_brokers`, `core.controller.machine.activation`,
`core.controller.machine.log_states`, `core.controller.values.sessions`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    UnregisterBrokerRequest,
)
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.brokers import failed_brokers
from kafkaproto_server.core.controller.brokers.heartbeats import fencing_records
from kafkaproto_server.core.controller.machine import appending, broker_liveness, changes, controller
from kafkaproto_server.core.controller.values import batches
from kafkaproto_server.core.controller.values.effects import (
    AppendRecords,
    ReportDeath,
    ReportFailure,
    ReportShutdown,
    ReportSilence,
)
from kafkaproto_server.core.controller.values.events import BrokerFailed, NodePaused
from kafkaproto_server.metadata.image.digest import digest
from kafkaproto_server.metadata.image.loader import LoadState, load_steps
from tests.core.controller.support.harness import Harness, incarnation, registration_request

PARTITIONS = 40
BATCH = 10
STEPS = 8
SESSION_MS = 1_000


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MAX_RECORDS_PER_BATCH", BATCH)


def topics_request(*names: str, brokers: tuple[int, ...] = (1, 2, 3)) -> CreateTopicsRequest:
    return CreateTopicsRequest(
        topics=[
            CreateTopicsRequest.CreatableTopic(
                name=name,
                num_partitions=-1,
                replication_factor=-1,
                assignments=[
                    CreateTopicsRequest.CreatableReplicaAssignment(
                        partition_index=0, broker_ids=list(brokers)
                    )
                ],
            )
            for name in names
        ]
    )


def cluster(*, features: tuple[str, ...] = (), steps: int = STEPS, **config: Any) -> Harness:
    """Three brokers with partitions that broker 1 leads; from now on the controller works in slices."""
    harness = Harness(features=features, broker_session_timeout_ms=SESSION_MS, **config)
    harness.start_brokers(1, 2, 3)
    for number in range(PARTITIONS):
        assert harness.call(topics_request(f"t{number}")).topics[0].error_code == 0
    harness.effects.clear()
    slow_down(harness, steps)
    return harness


def slow_down(harness: Harness, steps: int = STEPS) -> None:
    """From now on the controller takes so few steps at a time, and only when it is told to."""
    harness.controller._changes._steps_per_slice = steps
    harness.in_slices = True


def fence(harness: Harness) -> int:
    """Broker 1 wants to be fenced, which moves all partitions."""
    return harness.send(harness.heartbeat_request(1, want_fence=True))


def leaders(harness: Harness) -> set[int]:
    image = harness.controller.committed_image
    return {partition.leader for topic in image.topics.values() for partition in topic.partitions.values()}


def until_appending(harness: Harness) -> None:
    """Work until the first batch of the change is appended, and not the last."""
    end = harness.next_offset
    while harness.next_offset == end:
        harness.work()
    assert harness.controller.has_work


def of_kind(harness: Harness, kind: type[Any]) -> list[Any]:
    return [effect for effect in harness.effects if isinstance(effect, kind)]


def test_a_slice_takes_a_fixed_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    slices = {}
    for steps in (STEPS, 2 * STEPS, 100 * STEPS):
        harness = cluster(steps=steps)
        fence(harness)
        slices[steps] = harness.finish()
    # Deciding, encoding and replaying are a step a partition each, and some more for what is looked through.
    assert slices[STEPS] > 3 * PARTITIONS / STEPS
    assert 1.7 < slices[STEPS] / slices[2 * STEPS] < 2.3
    assert slices[100 * STEPS] == 0


def test_work_is_wanted_at_once_until_it_is_done() -> None:
    harness = cluster()
    assert not harness.controller.has_work
    fence(harness)
    assert harness.controller.has_work
    assert harness.controller.next_deadline_ms() == harness.now_ms
    harness.finish()
    assert harness.controller.next_deadline_ms() != harness.now_ms


def test_batches_are_appended_and_committed_while_the_rest_is_made() -> None:
    harness = cluster()
    before = digest(harness.controller.committed_image)
    start = harness.next_offset
    fence(harness)
    seen = []
    while harness.controller.has_work:
        harness.work()
        if harness.next_offset > harness.high_watermark:
            harness.commit()
            seen.append(digest(harness.controller.committed_image))
    assert len(seen) > 3
    assert set(seen[:-1]) == {before}
    assert leaders(harness) == {2}
    assert harness.image.brokers[1].fenced
    names = [record.NAME for record in harness.records(start)]
    assert (names[0], names[-1]) == ("BeginTransactionRecord", "EndTransactionRecord")


def test_who_sends_the_heartbeat_need_not_wait_for_what_comes_of_it() -> None:
    harness = cluster()
    first = harness.answer(fence(harness))
    assert (first.error_code, first.is_fenced, first.should_shut_down) == (0, False, False)
    # Another one meanwhile begins nothing anew.
    again = harness.answer(fence(harness))
    assert again.is_fenced is False
    assert len(harness.controller._changes.waiting) == 0
    harness.finish()
    harness.commit()
    response = harness.answer(fence(harness))
    assert response.is_fenced


def test_other_brokers_are_heard_and_answered_meanwhile() -> None:
    harness = cluster()
    fence(harness)
    until_appending(harness)
    response = harness.answer(harness.send(harness.heartbeat_request(2)))
    assert (response.error_code, response.is_fenced) == (0, False)
    stale = harness.answer(harness.send(harness.heartbeat_request(2, broker_epoch=0)))
    assert (stale.error_code, stale.is_fenced) == (ErrorCode.STALE_BROKER_EPOCH, True)
    assert len(harness.controller._changes.waiting) == 0


def test_what_a_heartbeat_calls_for_waits_for_its_turn() -> None:
    harness = cluster()
    fence(harness)
    response = harness.answer(harness.send(harness.heartbeat_request(2, want_fence=True)))
    assert not response.is_fenced
    assert len(harness.controller._changes.waiting) == 1
    # While that waits, the same broker's heartbeats add nothing to it.
    harness.send(harness.heartbeat_request(2, want_fence=True))
    assert len(harness.controller._changes.waiting) == 1
    harness.finish()
    harness.commit()
    assert harness.image.brokers[1].fenced
    assert harness.image.brokers[2].fenced
    assert leaders(harness) == {3}


def test_a_broker_that_is_heard_of_keeps_its_session_however_busy_the_controller_is() -> None:
    harness = cluster()
    fence(harness)
    for _ in range(4):
        harness.advance(SESSION_MS // 2)
        harness.send(harness.heartbeat_request(2))
        harness.send(harness.heartbeat_request(3))
        assert harness.controller.has_work
    harness.finish()
    harness.commit()
    assert not of_kind(harness, ReportSilence)
    assert not harness.image.brokers[2].fenced
    assert not harness.image.brokers[3].fenced
    # From the last heartbeat on, another session.
    harness.advance(SESSION_MS - 1)
    harness.finish()
    assert not harness.image.brokers[2].fenced
    harness.advance(1)
    harness.finish()
    assert harness.image.brokers[2].fenced


def test_contacts_during_a_brokers_own_change_count() -> None:
    harness = cluster()
    harness.send(harness.heartbeat_request(1, want_shut_down=True))
    for broker_id in (2, 3):
        harness.send(harness.heartbeat_request(broker_id))
    harness.advance(SESSION_MS - 1)
    for broker_id in (1, 2, 3):
        harness.send(harness.heartbeat_request(broker_id, want_shut_down=broker_id == 1))
    harness.finish()
    last = harness.next_offset - 1
    harness.commit()
    assert harness.controller.last_contacts_ms[1] == harness.now_ms
    # The shutdown ends once others have read all of its records, the last of which came in a later batch.
    for offset, is_over in ((last - 1, False), (last, True)):
        for broker_id in (2, 3):
            harness.send(harness.heartbeat_request(broker_id, current_metadata_offset=offset))
        assert harness.send(harness.heartbeat_request(1, want_shut_down=True))
        harness.finish()
        assert harness.image.brokers[1].fenced is is_over


def test_contacts_count_for_the_session_that_is_just_begun() -> None:
    harness = cluster()
    silent_broker(harness)
    harness.finish()
    harness.commit()
    slow_down(harness, 1)
    harness.send(harness.heartbeat_request(1))
    harness.advance(SESSION_MS - 1)
    for broker_id in (1, 2, 3):
        harness.send(harness.heartbeat_request(broker_id))
    assert 1 not in harness.controller.last_contacts_ms
    harness.finish()
    assert harness.controller.last_contacts_ms[1] == harness.now_ms
    harness.advance(1)
    harness.finish()
    assert not harness.image.brokers[1].fenced


def test_a_session_that_is_just_begun_ends_in_time() -> None:
    harness = cluster()
    silent_broker(harness)
    harness.finish()
    harness.commit()
    slow_down(harness, 1)
    harness.advance(10)
    harness.send(harness.heartbeat_request(1))
    # While broker 1 is unfenced the others' sessions are looked at, which go on for long.
    harness.advance(SESSION_MS - 12)
    for broker_id in (2, 3):
        harness.send(harness.heartbeat_request(broker_id))
    assert 1 not in harness.controller.last_contacts_ms
    harness.advance(7)
    harness.finish()
    harness.commit()
    assert not harness.image.brokers[1].fenced
    harness.advance(5)
    harness.finish()
    assert harness.image.brokers[1].fenced


def test_a_pause_during_a_brokers_own_change_counts() -> None:
    harness = cluster()
    harness.send(harness.heartbeat_request(1, want_shut_down=True))
    harness.handle(NodePaused(pause_ms=700))
    harness.finish()
    assert harness.controller._watch.sessions[1].pause_ms == 700


def test_an_old_incarnation_is_refused_once_the_new_one_is_committed() -> None:
    harness = Harness()
    harness.start_brokers(1)
    old_epoch = harness.image.brokers[1].epoch
    harness.send(harness.heartbeat_request(1, want_shut_down=True))
    harness.commit()
    harness.send(registration_request(1, incarnation_id=incarnation(77)))
    assert harness.image.brokers[1].epoch != old_epoch
    refused = harness.send(harness.heartbeat_request(1, broker_epoch=old_epoch))
    assert harness.answer(refused) is None
    harness.commit()
    assert harness.answer(refused).error_code == ErrorCode.STALE_BROKER_EPOCH


def test_commands_wait_in_order_and_are_decided_on_what_was_before_them() -> None:
    harness = cluster()
    fence(harness)
    created = harness.send(topics_request("new", brokers=(1, 2)))
    deleted = harness.send(DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(name="new")]))
    assert len(harness.controller._changes.waiting) == 2
    harness.finish()
    assert harness.answer(created) is None
    harness.commit()
    assert harness.answer(created).topics[0].error_code == 0
    assert harness.answer(deleted).responses[0].error_code == 0
    # Broker 1 was fenced by then.
    partitions = [record for record in harness.records() if record.NAME == "PartitionRecord"]
    assert partitions[-1].isr == [2]  # type: ignore[attr-defined]


def test_time_limits_hold_for_those_who_wait() -> None:
    harness = cluster()
    fence(harness)
    deadline_ms = harness.now_ms + 10
    waiting = harness.send(topics_request("a"), deadline_ms=deadline_ms)
    later = harness.send(topics_request("b"), deadline_ms=deadline_ms + 1_000)
    harness.advance(10)
    assert harness.answer(waiting).topics[0].error_code == ErrorCode.REQUEST_TIMED_OUT
    harness.finish()
    harness.commit()
    assert "a" not in harness.image.topic_ids
    assert harness.answer(later).topics[0].error_code == 0


def test_a_command_whose_time_is_over_while_it_is_decided_is_not_done() -> None:
    harness = cluster()
    command_id = harness.send(UnregisterBrokerRequest(broker_id=1), deadline_ms=harness.now_ms + 10)
    harness.work()
    start = harness.next_offset
    harness.advance(10)
    assert harness.answer(command_id).error_code == ErrorCode.REQUEST_TIMED_OUT
    assert not harness.controller.has_work
    assert (harness.next_offset, 1 in harness.image.brokers) == (start, True)


def test_a_command_whose_time_is_over_while_it_is_appended_is_done_all_the_same() -> None:
    harness = cluster()
    command_id = harness.send(UnregisterBrokerRequest(broker_id=1), deadline_ms=harness.now_ms + 10)
    until_appending(harness)
    harness.advance(10)
    assert harness.answer(command_id).error_code == ErrorCode.REQUEST_TIMED_OUT
    harness.finish()
    harness.commit()
    assert 1 not in harness.image.brokers


def test_only_so_many_commands_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controller, "MAX_WAITING_CHANGES", 2)
    harness = cluster()
    fence(harness)
    ids = [harness.send(topics_request(name)) for name in "abc"]
    assert harness.answer(ids[2]).topics[0].error_code == ErrorCode.REQUEST_TIMED_OUT
    assert harness.answer(harness.send(harness.heartbeat_request(2))).error_code == 0
    harness.finish()
    harness.commit()
    assert [name in harness.image.topic_ids for name in "abc"] == [True, True, False]
    assert changes.MAX_WAITING_CHANGES > 1_000


@pytest.mark.parametrize("appending", [False, True])
def test_with_leadership_the_change_goes_and_all_that_wait(appending: bool) -> None:
    harness = cluster()
    before = digest(harness.controller.committed_image)
    unregistered = harness.send(UnregisterBrokerRequest(broker_id=1))
    created = harness.send(topics_request("new"))
    if appending:
        until_appending(harness)
    harness.deactivate(keep=1)
    assert harness.answer(unregistered).error_code == ErrorCode.NOT_CONTROLLER
    assert harness.answer(created).topics[0].error_code == ErrorCode.NOT_CONTROLLER
    assert not harness.controller.has_work
    harness.activate(epoch=3)
    harness.finish()
    harness.commit()
    assert digest(harness.controller.committed_image) == before
    assert not harness.controller.newest_image.brokers[1].fenced


def test_nothing_is_decided_before_an_open_transaction_is_taken_back() -> None:
    harness = cluster(steps=1)
    fence(harness)
    until_appending(harness)
    harness.deactivate(keep=1)
    harness.activate(epoch=3)
    # The activation itself is not done yet: what heartbeats see is the state without the transaction.
    assert harness.controller.has_work
    response_id = harness.send(harness.heartbeat_request(2))
    created = harness.send(topics_request("new", brokers=(1,)))
    harness.finish()
    harness.commit()
    assert harness.answer(response_id).error_code == 0
    assert harness.answer(created).topics[0].error_code == 0
    assert harness.image.topic_by_name("new") is not None


def test_a_batch_of_the_quorum_may_come_at_any_moment() -> None:
    moment = 0
    while True:
        harness = cluster()
        fence(harness)
        harness.work(moment)
        if not harness.controller.has_work:
            break
        harness.append_control()
        harness.finish()
        harness.commit()
        assert leaders(harness) == {2}
        standby = Harness(active=False, node_id=2, features=())
        standby.replay_log(harness.log)
        assert standby.controller.committed_image == harness.controller.committed_image
        moment += 3
    assert moment > 3


def test_a_mistake_of_ours_amid_the_batches_takes_the_change_back(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = cluster()
    harness.expects_failures = True
    before = digest(harness.controller.committed_image)
    command_id = harness.send(UnregisterBrokerRequest(broker_id=1))
    until_appending(harness)

    def fails(state: LoadState, **where: Any) -> Steps[LoadState]:
        if any(record.NAME == "EndTransactionRecord" for record in where["records"]):
            raise KeyError("nobody foresaw this")
        return (yield from load_steps(state, **where))

    monkeypatch.setattr(appending, "load_steps", fails)
    harness.finish()
    harness.commit()
    assert harness.answer(command_id).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert len(of_kind(harness, ReportFailure)) == 1
    assert harness.records()[-1].NAME == "AbortTransactionRecord"
    assert digest(harness.controller.committed_image) == before
    # It goes on.
    created = harness.send(topics_request("new"))
    harness.finish()
    harness.commit()
    assert harness.answer(created).topics[0].error_code == 0


def test_a_mistake_of_ours_in_the_only_batch_leaves_nothing_to_take_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = cluster()
    harness.expects_failures = True
    end = harness.next_offset

    def fails(state: LoadState, **where: Any) -> Steps[LoadState]:
        if any(record.NAME == "TopicRecord" for record in where["records"]):
            raise KeyError("nobody foresaw this")
        return (yield from load_steps(state, **where))

    monkeypatch.setattr(appending, "load_steps", fails)
    command_id = harness.send(topics_request("new"))
    harness.finish()
    assert harness.answer(command_id).topics[0].error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert harness.next_offset == end


def test_a_mistake_of_ours_in_the_activation_is_nothing_to_go_on_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = Harness(active=False)
    harness.expects_failures = True

    def fails(*_: Any) -> list[Message]:
        raise KeyError("nobody foresaw this")

    monkeypatch.setattr(controller, "activation_records", fails)
    with pytest.raises(KeyError):
        harness.activate()


def test_a_mistake_of_ours_about_a_silent_broker_is_tried_again_a_session_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = cluster()
    harness.expects_failures = True

    def fails(*_: Any) -> Any:
        raise KeyError("nobody foresaw this")

    monkeypatch.setattr(failed_brokers, "fencing_records", fails)
    harness.advance(SESSION_MS)
    harness.finish()
    assert len(of_kind(harness, ReportFailure)) == 3
    monkeypatch.setattr(failed_brokers, "fencing_records", fencing_records)
    harness.advance(SESSION_MS - 1)
    harness.finish()
    assert not harness.image.brokers[1].fenced
    harness.advance(1)
    harness.finish()
    assert all(harness.image.brokers[broker_id].fenced for broker_id in (1, 2, 3))


def test_a_mistake_of_ours_about_a_heartbeat_does_no_harm_to_the_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = cluster()
    harness.expects_failures = True
    fence(harness)

    def fails(*_: Any) -> Any:
        raise KeyError("nobody foresaw this")

    monkeypatch.setattr(broker_liveness, "heartbeat_response", fails)
    response = harness.answer(harness.send(harness.heartbeat_request(2)))
    assert response.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    harness.finish()
    assert harness.image.brokers[1].fenced


def silent_broker(harness: Harness) -> None:
    """Broker 1 is silent for a session, the others are not."""
    harness.advance(SESSION_MS - 1)
    for broker_id in (2, 3):
        harness.send(harness.heartbeat_request(broker_id))
    harness.advance(1)


def test_a_silent_broker_is_fenced_in_slices_and_once() -> None:
    harness = cluster()
    silent_broker(harness)
    assert harness.controller.has_work
    harness.advance(10)
    harness.advance(10)
    assert len(harness.controller._changes.waiting) == 0
    harness.finish()
    harness.commit()
    (report,) = of_kind(harness, ReportSilence)
    assert report.broker_id == 1
    assert harness.image.brokers[1].fenced


def test_a_broker_that_is_heard_of_while_its_silence_is_dealt_with_stays() -> None:
    harness = cluster()
    silent_broker(harness)
    harness.work()
    harness.send(harness.heartbeat_request(1))
    start = harness.next_offset
    harness.finish()
    assert not harness.image.brokers[1].fenced
    assert harness.next_offset == start
    harness.advance(SESSION_MS)
    harness.finish()
    assert harness.image.brokers[1].fenced


def test_a_fencing_that_is_being_appended_is_completed_though_its_broker_is_heard_of() -> None:
    harness = cluster()
    silent_broker(harness)
    until_appending(harness)
    harness.send(harness.heartbeat_request(1))
    harness.finish()
    harness.commit()
    assert harness.controller.committed_image.brokers[1].fenced
    assert leaders(harness) == {2}


def test_a_silence_that_is_over_when_its_turn_comes_is_forgotten() -> None:
    harness = cluster()
    fence(harness)
    harness.send(harness.heartbeat_request(2))
    harness.advance(SESSION_MS)
    # All three are silent; one of them speaks before it is dealt with.
    harness.send(harness.heartbeat_request(3))
    harness.finish()
    assert [harness.image.brokers[broker_id].fenced for broker_id in (1, 2, 3)] == [True, True, False]


def death(harness: Harness, broker_id: int) -> BrokerFailed:
    return BrokerFailed(
        broker_id=broker_id,
        broker_epoch=harness.image.brokers[broker_id].epoch,
        silent_since_ms=harness.now_ms,
        proof="refused",
    )


def test_a_proven_death_is_dealt_with_in_slices_and_told() -> None:
    harness = cluster()
    harness.handle(death(harness, 1))
    assert harness.controller.has_work
    assert harness.controller.failed_brokers == 0
    harness.finish()
    (report,) = of_kind(harness, ReportDeath)
    assert (report.broker_id, report.proof) == (1, "refused")
    assert harness.controller.failed_brokers == 1
    assert harness.image.brokers[1].fenced


@pytest.mark.parametrize("is_busy", [False, True])
def test_a_heartbeat_refutes_a_proof_that_is_not_dealt_with_yet(is_busy: bool) -> None:
    harness = cluster()
    if is_busy:
        harness.send(harness.heartbeat_request(2, want_fence=True))
    harness.handle(death(harness, 1))
    harness.advance(1)
    harness.send(harness.heartbeat_request(1))
    harness.finish()
    assert not harness.image.brokers[1].fenced
    assert harness.controller.failed_brokers == 0


def test_a_registration_is_done_in_slices_and_ends_the_session_of_the_one_before() -> None:
    harness = cluster(local_broker_incarnation_id=incarnation(77))
    request = registration_request(1, features=harness.finalized_features(), incarnation_id=incarnation(77))
    command_id = harness.send(request)
    epoch = harness.next_offset
    assert harness.controller.has_work
    # A heartbeat of the previous incarnation is still heard, and then its session is over.
    harness.send(harness.heartbeat_request(1))
    harness.finish()
    harness.commit()
    assert harness.answer(command_id).broker_epoch == epoch
    assert 1 not in harness.controller.last_contacts_ms
    stale = BrokerHeartbeatRequest(broker_id=1, broker_epoch=epoch - 1)
    response_id = harness.send(stale)
    harness.finish()
    assert harness.answer(response_id).error_code == ErrorCode.STALE_BROKER_EPOCH


def test_a_shutdown_is_told_when_it_begins_and_when_it_is_taken_back() -> None:
    harness = cluster()
    harness.send(harness.heartbeat_request(1, want_shut_down=True))
    assert not of_kind(harness, ReportShutdown)
    harness.finish()
    harness.commit()
    harness.send(harness.heartbeat_request(1))
    harness.finish()
    harness.commit()
    assert [each.is_taken_back for each in of_kind(harness, ReportShutdown)] == [False, True]
    assert harness.image.brokers[1].is_active()


def test_a_request_for_many_topics_takes_many_slices_and_is_one_batch() -> None:
    harness = cluster()
    command_id = harness.send(topics_request(*(f"n{number}" for number in range(BATCH // 2))))
    assert harness.finish() > 1
    harness.commit()
    (append,) = of_kind(harness, AppendRecords)
    assert len(append.records) == BATCH
    assert [topic.error_code for topic in harness.answer(command_id).topics] == [0] * (BATCH // 2)
