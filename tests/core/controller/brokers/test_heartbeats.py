"""BrokerHeartbeat where a scenario would be longer: the table of states, and what a heartbeat may not do.

Tests: `apis.brokers.broker_heartbeat`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.messages import (
    BrokerHeartbeatRequest,
    BrokerRegistrationChangeRecord,
    PartitionChangeRecord,
)
from kafkaproto_server.core.controller.values.effects import ReportSilence
from kafkaproto_server.core.controller.values.events import NodePaused
from kafkaproto_server.metadata.image.entries import BrokerRegistration
from tests.core.controller.support.harness import Harness, directory, incarnation
from tests.metadata.image.test_records import CHANGE


def state(broker: BrokerRegistration) -> str:
    if broker.fenced:
        return "fenced"
    return "shutting down" if broker.in_controlled_shutdown else "unfenced"


@pytest.mark.parametrize(
    ("leads", "want_fence", "want_shut_down", "caught_up", "after", "should_shut_down"),
    [
        # Fenced.
        (None, False, False, True, "unfenced", False),
        (None, False, False, False, "fenced", False),
        (None, True, False, True, "fenced", False),
        (None, False, True, True, "fenced", True),
        (None, True, True, False, "fenced", True),
        # Unfenced.
        (False, False, False, True, "unfenced", False),
        (False, False, False, False, "unfenced", False),
        (False, True, False, True, "fenced", False),
        (True, True, False, True, "fenced", False),
        (False, True, True, True, "fenced", True),
        (True, True, True, True, "fenced", True),
        (False, False, True, True, "fenced", True),
        (True, False, True, True, "shutting down", False),
    ],
)
def test_the_table_of_states(
    leads: bool | None,
    want_fence: bool,
    want_shut_down: bool,
    caught_up: bool,
    after: str,
    should_shut_down: bool,
) -> None:
    harness = Harness()
    harness.start_brokers(2)
    if leads is None:
        harness.register(1)
    else:
        harness.start_brokers(1)
        harness.create_topic("t", [1, 2] if leads else [2, 1])
    offset = harness.image.brokers[1].registration_offset
    response = harness.heartbeat(
        1,
        want_fence=want_fence,
        want_shut_down=want_shut_down,
        current_metadata_offset=offset if caught_up else offset - 1,
    )
    assert response.error_code == 0
    assert response.is_caught_up is caught_up
    assert response.should_shut_down is should_shut_down
    assert response.is_fenced is (after == "fenced")
    assert state(harness.image.brokers[1]) == after
    topic = harness.image.topic_by_name("t")
    if topic is not None and after != "unfenced":
        assert (topic.partitions[0].isr, topic.partitions[0].leader) == ((2,), 2)


def test_a_leader_that_goes_is_replaced_as_stock_replaces_it() -> None:
    # Stock recorded this change of dd-1 (replicas 11 and 10, min.insync.replicas 1) when it fenced broker 11.
    class TopicId:
        def below(self, limit: int) -> int:
            return 0

        def uuid(self) -> bytes:
            return bytes.fromhex("74c619002d5e4dd084eaa9859a653786")

    harness = Harness(rng=TopicId())
    harness.start_brokers(10, 11)
    harness.create_topic("dd", [10, 11], [11, 10])
    harness.heartbeat(11, want_fence=True)
    assert CHANGE in [value.hex() for value in harness.appended_values()]


def test_fencing_moves_leaders_before_it_fences() -> None:
    harness = Harness()
    harness.start_brokers(1, 2)
    topic_id = harness.create_topic("t", [1, 2])
    start = harness.next_offset
    harness.heartbeat(1, want_fence=True)
    epoch = harness.image.brokers[1].epoch
    assert harness.records(start) == [
        PartitionChangeRecord(partition_id=0, topic_id=topic_id, isr=[2], leader=2),
        BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=epoch, fenced=1),
    ]


def test_unfencing_comes_before_the_leaders_it_makes_possible() -> None:
    harness = Harness()
    harness.start_brokers(1)
    topic_id = harness.create_topic("t", [1])
    harness.heartbeat(1, want_fence=True)
    start = harness.next_offset
    harness.heartbeat(1)
    epoch = harness.image.brokers[1].epoch
    assert harness.records(start) == [
        BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=epoch, fenced=-1),
        PartitionChangeRecord(
            partition_id=0,
            topic_id=topic_id,
            isr=[1],
            leader=1,
            eligible_leader_replicas=[],
            last_known_elr=[],
        ),
    ]


@pytest.mark.parametrize("broker_id", [1, 2, -1])
def test_a_stale_heartbeat_changes_nothing(broker_id: int) -> None:
    harness = Harness()
    harness.start_brokers(1)
    start, deadline_ms = harness.next_offset, harness.controller.next_deadline_ms()
    harness.now_ms += 500
    request = BrokerHeartbeatRequest(
        broker_id=broker_id,
        broker_epoch=harness.image.brokers[1].epoch + 1,
        current_metadata_offset=10**9,
        want_shut_down=True,
    )
    response = harness.call(request)
    assert (response.error_code, response.is_caught_up, response.is_fenced, response.should_shut_down) == (
        77,
        False,
        True,
        False,
    )
    assert harness.next_offset == start
    assert harness.controller.next_deadline_ms() == deadline_ms


def test_cordoned_directories_are_not_recorded_where_the_level_has_no_field() -> None:
    harness = Harness(metadata_version=29)
    harness.start_brokers(1)
    start = harness.next_offset
    harness.heartbeat(1, cordoned_log_dirs=[directory(1)])
    assert harness.next_offset == start


def test_cordoned_directories_are_recorded_when_they_change() -> None:
    harness = Harness()
    harness.start_brokers(1)
    lists: tuple[list[bytes] | None, ...] = (
        [directory(1, 1), directory(1)],
        [directory(1), directory(1, 1)],
        None,
        [],
        [],
    )
    written = []
    for cordoned in lists:
        start = harness.next_offset
        harness.heartbeat(1, cordoned_log_dirs=cordoned)
        written.append(harness.next_offset - start)
    assert written == [1, 0, 0, 1, 0]
    assert harness.image.brokers[1].cordoned_directories == ()


def test_a_directory_may_go_offline_with_the_heartbeat_that_unfences() -> None:
    harness = Harness(features=[])
    harness.start_brokers(1)
    topic_id = harness.create_topic("t", [1])
    harness.register(1, log_dirs=[directory(1), directory(1, 1)])
    harness.heartbeat(1, want_fence=True)
    response = harness.heartbeat(1, offline_log_dirs=[directory(1)])
    assert not response.is_fenced
    assert harness.image.brokers[1].directories == (directory(1, 1),)
    partition = harness.image.partition(topic_id, 0)
    assert partition is not None
    assert partition.leader == -1
    # Leader lost, won and lost again: each shows in the leader epoch.
    assert partition.leader_epoch == 3


def test_a_broker_in_controlled_shutdown_waits_for_those_it_can_count_on() -> None:
    """Only active brokers count: not fenced ones, nor those that shut down as well."""
    harness = Harness()
    harness.start_brokers(1, 2, 3)
    harness.register(4)
    harness.create_topic("t", [1, 2], [2, 1])
    assert not harness.heartbeat(1, want_shut_down=True).should_shut_down
    behind = harness.image.brokers[2].registration_offset
    response = harness.heartbeat(2, want_shut_down=True, current_metadata_offset=behind)
    assert not response.should_shut_down
    assert not harness.heartbeat(1, want_shut_down=True).should_shut_down
    harness.heartbeat(3)
    assert harness.heartbeat(1, want_shut_down=True).should_shut_down
    assert harness.heartbeat(2, want_shut_down=True).should_shut_down


@pytest.mark.parametrize("fields", [{"want_fence": False}, {"cordoned_log_dirs": [directory(2)]}])
def test_a_heartbeat_that_changes_the_registration_tells_nothing_else(fields: dict[str, Any]) -> None:
    harness = Harness()
    harness.start_brokers(1, 2)
    harness.create_topic("t", [1, 2])
    harness.heartbeat(2, want_fence="want_fence" in fields)
    harness.heartbeat(2, current_metadata_offset=10_000, **fields)
    harness.heartbeat(1, want_shut_down=True)
    assert not harness.heartbeat(1, want_shut_down=True).should_shut_down
    harness.heartbeat(2, current_metadata_offset=10_000)
    assert harness.heartbeat(1, want_shut_down=True).should_shut_down


def test_the_last_broker_waits_for_nobody() -> None:
    harness = Harness()
    harness.start_brokers(1)
    harness.create_topic("t", [1])
    assert not harness.heartbeat(1, want_shut_down=True).should_shut_down
    assert harness.heartbeat(1, want_shut_down=True).should_shut_down


def test_a_session_ends_nothing_but_the_incarnation_it_belongs_to() -> None:
    harness = Harness(broker_session_timeout_ms=100)
    harness.start_brokers(1)
    harness.heartbeat(1, want_fence=True)
    start = harness.next_offset
    # A fenced broker whose session ends is not fenced again.
    harness.advance(100)
    assert harness.next_offset == start
    assert harness.controller.next_deadline_ms() is None
    harness.heartbeat(1, want_fence=True)
    assert harness.controller.next_deadline_ms() == harness.now_ms + 100
    harness.advance(100)
    harness.register(1, incarnation_id=incarnation(9))
    assert harness.controller.next_deadline_ms() is None


def test_sessions_of_several_brokers_end_each_in_its_time() -> None:
    harness = Harness(broker_session_timeout_ms=100)
    harness.start_brokers(1)
    harness.advance(30)
    harness.start_brokers(2)
    assert harness.controller.next_deadline_ms() == harness.now_ms + 70
    harness.advance(70)
    assert [broker.fenced for broker in harness.image.brokers_in_order()] == [True, False]
    assert harness.controller.next_deadline_ms() == harness.now_ms + 30
    harness.advance(30)
    assert [broker.fenced for broker in harness.image.brokers_in_order()] == [True, True]
    silences = [effect for effect in harness.effects if isinstance(effect, ReportSilence)]
    assert [(silence.broker_id, silence.silent_ms) for silence in silences] == [(1, 100), (2, 100)]


def test_a_pause_of_the_controllers_node_is_no_silence_of_the_brokers() -> None:
    harness = Harness(broker_session_timeout_ms=100)
    harness.start_brokers(1, 2)
    harness.advance(40)
    start = harness.next_offset
    harness.now_ms += 1_000
    harness.handle(NodePaused(pause_ms=1_000))
    assert harness.next_offset == start
    assert harness.controller.next_deadline_ms() == harness.now_ms + 60
    # Who is heard of has a whole session again, the other what was left of it.
    harness.advance(20)
    harness.heartbeat(2)
    harness.advance(40)
    assert [broker.fenced for broker in harness.image.brokers_in_order()] == [True, False]
    harness.advance(59)
    assert not harness.image.brokers[2].fenced
    harness.advance(1)
    assert harness.image.brokers[2].fenced


def test_pauses_add_up_and_one_that_is_not_told_of_counts_as_silence() -> None:
    harness = Harness(broker_session_timeout_ms=100)
    harness.start_brokers(1)
    for is_fenced in (False, True):
        harness.now_ms += 500
        harness.handle(NodePaused(pause_ms=450))
        assert harness.image.brokers[1].fenced is is_fenced


def test_brokers_whose_sessions_end_together_are_fenced_in_order_of_their_ids() -> None:
    harness = Harness(broker_session_timeout_ms=100)
    # A map of these ids goes through them in another order.
    broker_ids = (7, 32, 64, 1000)
    harness.start_brokers(*broker_ids)
    start = harness.next_offset
    harness.advance(100)
    fenced = [
        record.broker_id
        for record in harness.records(start)
        if isinstance(record, BrokerRegistrationChangeRecord)
    ]
    assert fenced == list(broker_ids)


def test_a_controlled_shutdown_waits_for_its_own_records_and_not_for_later_ones() -> None:
    harness = Harness()
    harness.start_brokers(1, 2)
    harness.create_topic("t", [1, 2])
    harness.heartbeat(1, want_shut_down=True)
    shut_down_at = harness.next_offset - 1
    harness.create_topic("u", [2])
    # This heartbeat writes a record too, one that nobody need have read.
    assert not harness.heartbeat(1, want_shut_down=True, cordoned_log_dirs=[]).should_shut_down
    harness.heartbeat(2, current_metadata_offset=shut_down_at - 1)
    assert not harness.heartbeat(1, want_shut_down=True).should_shut_down
    harness.heartbeat(2, current_metadata_offset=shut_down_at)
    assert harness.heartbeat(1, want_shut_down=True).should_shut_down


def test_a_broker_that_falls_silent_while_it_shuts_down_may_stop() -> None:
    harness = Harness(broker_session_timeout_ms=100)
    harness.start_brokers(1, 2)
    harness.create_topic("t", [1, 2])
    harness.heartbeat(1, want_shut_down=True)
    harness.advance(100)
    assert harness.image.brokers[1].fenced
    response = harness.heartbeat(1, want_shut_down=True)
    assert (response.is_fenced, response.should_shut_down) == (True, True)
    assert harness.image.brokers[1].fenced


def test_a_heartbeat_that_changes_nothing_writes_nothing_and_publishes_nothing() -> None:
    harness = Harness()
    harness.start_brokers(1, 2)
    harness.create_topic("t", [1, 2])
    harness.heartbeat(1, cordoned_log_dirs=[])
    end, image = harness.next_offset, harness.image
    harness.effects.clear()
    for number in range(3):
        harness.advance(2_000)
        # What was said before, and directories that nobody knows, are no news.
        harness.send(harness.heartbeat_request(1, cordoned_log_dirs=[], offline_log_dirs=[directory(9)]))
        harness.send(harness.heartbeat_request(2))
        assert [type(effect).__name__ for effect in harness.effects] == ["Respond"] * 2 * (number + 1)
    assert harness.next_offset == end
    assert harness.image is image
