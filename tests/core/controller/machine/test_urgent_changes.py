"""What brokers' heartbeats, silences and deaths lead to goes ahead of commands, but no command waits for ever."""

from __future__ import annotations

import pytest
from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import CreateTopicsRequest, UnregisterBrokerRequest
from kafkaproto_server.core.controller.machine import changes
from kafkaproto_server.core.controller.machine.changes import COMMAND_TIMEOUT_MS
from kafkaproto_server.core.controller.values.effects import ReportDeath, ReportSilence
from kafkaproto_server.core.controller.values.events import BrokerFailed, NodePaused
from tests.core.controller.support.harness import (
    Harness,
    incarnation,
    registration_request,
    update_features_request,
)

SESSION_MS = 1_000
TOPICS = 40
STEPS = 4


def topics_request(prefix: str, count: int = TOPICS) -> CreateTopicsRequest:
    return CreateTopicsRequest(
        topics=[
            CreateTopicsRequest.CreatableTopic(
                name=f"{prefix}{number}", num_partitions=1, replication_factor=1
            )
            for number in range(count)
        ]
    )


@pytest.fixture
def harness() -> Harness:
    """Three brokers; from now on the controller takes a few steps at a time."""
    made = Harness(features=(), broker_session_timeout_ms=SESSION_MS)
    made.start_brokers(1, 2, 3)
    made.call(topics_request("t"))
    made.effects.clear()
    made.controller._changes._steps_per_slice = STEPS
    made.in_slices = True
    return made


def undecided(harness: Harness, prefix: str = "a") -> int:
    """Send a command that is worked on, and not decided."""
    command_id = harness.send(topics_request(prefix))
    harness.work(2)
    change = harness.controller._changes.change
    assert change is not None
    assert not change.is_decided
    return command_id


def until(harness: Harness, fenced: int) -> int:
    """Work until a broker is fenced; in how many slices."""
    slices = 0
    while not harness.image.brokers[fenced].fenced:
        assert harness.controller.has_work
        harness.work()
        slices += 1
        assert slices < 2_000, "it has to wait for ever"
    return slices


def fall_silent(harness: Harness, broker_id: int) -> None:
    """Let a session pass in which the other brokers are heard of."""
    harness.now_ms += SESSION_MS
    for other in {1, 2, 3} - {broker_id}:
        if not harness.image.brokers[other].fenced:
            harness.send(harness.heartbeat_request(other))


def death(harness: Harness, broker_id: int) -> BrokerFailed:
    epoch = harness.image.brokers[broker_id].epoch
    return BrokerFailed(
        broker_id=broker_id, broker_epoch=epoch, silent_since_ms=harness.now_ms, proof="refused"
    )


def test_a_silence_interrupts_a_command_and_goes_ahead_of_those_that_wait(harness: Harness) -> None:
    first = undecided(harness)
    later = [harness.send(topics_request(prefix)) for prefix in "bc"]
    start = harness.next_offset
    fall_silent(harness, 3)
    until(harness, 3)
    assert {record.NAME for record in harness.records(start)} <= {
        "BeginTransactionRecord",
        "PartitionChangeRecord",
        "BrokerRegistrationChangeRecord",
        "EndTransactionRecord",
    }
    harness.finish()
    harness.commit()
    for command_id in (first, *later):
        assert {topic.error_code for topic in harness.answer(command_id).topics} == {0}
    # They were decided on what was there then.
    replicas = {harness.partition(f"{prefix}{number}").leader for prefix in "abc" for number in range(TOPICS)}
    assert replicas == {1, 2}


def test_a_proven_death_and_a_heartbeat_interrupt_a_command_too(harness: Harness) -> None:
    undecided(harness)
    harness.send(harness.heartbeat_request(1, want_fence=True))
    harness.handle(death(harness, 2))
    until(harness, 1)
    until(harness, 2)
    assert not any(name.startswith("a") for name in harness.image.topic_ids)


def test_a_command_that_is_decided_is_not_interrupted(harness: Harness) -> None:
    harness.send(topics_request("a"))
    while harness.controller._changes.change is None or not harness.controller._changes.change.is_decided:
        harness.work()
    harness.handle(death(harness, 2))
    until(harness, 2)
    assert "a0" in harness.image.topic_ids


def test_a_command_is_passed_only_so_often(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MAX_AHEAD", 3)
    undecided(harness)
    # A broker that is fenced and unfenced all the time, faster than the command can be decided.
    turns = 0
    while "a0" not in harness.image.topic_ids:
        harness.send(harness.heartbeat_request(1, want_fence=not harness.image.brokers[1].fenced))
        harness.work(2)
        turns += 1
        assert turns < 1_000, "the command is never carried out"
    first = harness.controller._changes.change
    assert first is None or first.times_passed <= 3


def test_a_new_incarnation_may_register_before_the_silent_one_is_fenced(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MAX_AHEAD", 0)
    harness.now_ms += SESSION_MS
    command_id = harness.send(registration_request(1, incarnation_id=incarnation(77)))
    harness.finish()
    harness.commit()
    assert harness.answer(command_id).error_code == 0


def test_a_command_without_a_time_limit_has_the_controllers(harness: Harness) -> None:
    waits = undecided(harness)
    behind = harness.send(UnregisterBrokerRequest(broker_id=1))
    harness.now_ms += COMMAND_TIMEOUT_MS - 1
    harness.controller._watch.sessions = Map()
    harness.advance(0)
    assert harness.answer(behind) is None
    harness.advance(1)
    assert harness.answer(behind).error_code == ErrorCode.REQUEST_TIMED_OUT
    assert {topic.error_code for topic in harness.answer(waits).topics} == {ErrorCode.REQUEST_TIMED_OUT}
    assert 1 in harness.image.brokers


# --- a heartbeat counts from its arrival ---


def test_a_heartbeat_that_waited_does_not_refute_a_death_that_came_after_it(harness: Harness) -> None:
    harness.send(topics_request("a"))
    while harness.controller._changes.change is None or not harness.controller._changes.change.is_decided:
        harness.work()
    # It has to wait for the command, and its sender dies meanwhile.
    harness.send(harness.heartbeat_request(1, want_shut_down=True))
    heard_ms = harness.now_ms
    harness.now_ms += 100
    harness.handle(death(harness, 1))
    harness.now_ms += 100
    while not any(isinstance(effect, ReportDeath) for effect in harness.effects):
        assert harness.controller.last_contacts_ms[1] == heard_ms
        assert harness.controller.has_work
        harness.work()
    assert harness.image.brokers[1].fenced


def test_a_broker_that_asked_to_be_unfenced_and_fell_silent_stays_fenced(harness: Harness) -> None:
    harness.send(harness.heartbeat_request(1, want_fence=True))
    harness.finish()
    harness.advance(SESSION_MS - 1)
    for broker_id in (2, 3):
        harness.send(harness.heartbeat_request(broker_id))
    harness.finish()
    harness.advance(1)
    harness.finish()
    assert 1 not in harness.controller.last_contacts_ms
    harness.send(topics_request("a"))
    while harness.controller._changes.change is None or not harness.controller._changes.change.is_decided:
        harness.work()
    harness.send(harness.heartbeat_request(1))
    fall_silent(harness, 1)
    harness.finish()
    assert harness.image.brokers[1].fenced
    assert not any(isinstance(effect, ReportSilence) for effect in harness.effects)
    # It is not forgotten for that: the next heartbeat is as good as any.
    harness.send(harness.heartbeat_request(1))
    harness.finish()
    assert not harness.image.brokers[1].fenced
    assert harness.controller.last_contacts_ms[1] == harness.now_ms


@pytest.mark.parametrize("is_pause", [False, True])
def test_a_waiting_heartbeat_stays_good_while_its_sender_is_heard_of_or_nobody_can_be(
    harness: Harness, is_pause: bool
) -> None:
    harness.send(harness.heartbeat_request(1, want_fence=True))
    harness.finish()
    watch = harness.controller._watch
    watch.sessions = watch.sessions.delete(1)
    harness.send(topics_request("a"))
    while harness.controller._changes.change is None or not harness.controller._changes.change.is_decided:
        harness.work()
    harness.send(harness.heartbeat_request(1))
    if is_pause:
        harness.now_ms += SESSION_MS
        harness.handle(NodePaused(pause_ms=SESSION_MS))
    else:
        harness.now_ms += SESSION_MS - 1
        harness.send(harness.heartbeat_request(1))
        harness.now_ms += 1
        harness.controller._watch.sessions = Map()
    harness.finish()
    assert not harness.image.brokers[1].fenced


# --- the level of kraft.version that counts ---


def test_a_registration_that_waited_is_held_against_the_level_in_force_when_it_is_decided(
    harness: Harness,
) -> None:
    upgrade = harness.send(update_features_request(("kraft.version", 1, 1)))
    while not harness.upgrades:
        harness.work()
    harness.send(topics_request("a"))
    request = registration_request(9, incarnation_id=incarnation(9))
    for feature in request.features:
        if feature.name == "kraft.version":
            feature.min_supported_version = feature.max_supported_version = 0
    registered = harness.send(request)
    again = harness.send(update_features_request(("kraft.version", 1, 1)))
    harness.answer_upgrade()
    harness.finish()
    harness.commit()
    assert harness.answer(upgrade).error_code == 0
    assert harness.answer(registered).error_code == ErrorCode.UNSUPPORTED_VERSION
    # The quorum is not asked a second time for a level that is in force.
    assert harness.answer(again).error_code == 0
    assert harness.upgrades == []
