"""What the active controller does every so often: elections, and the removal of delegation tokens.

Tests: `core.controller.partitions.leader_balance`, `core.controller.values.config`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from immutables import Map

from kafkaproto.message import Message
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.machine import periodic_tasks
from kafkaproto_server.core.controller.machine.periodic_tasks import (
    PERIODIC_TASKS,
    TaskSchedule,
    TaskSituation,
)
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.effects import ReportFailure
from kafkaproto_server.core.controller.values.events import SnapshotLoaded
from kafkaproto_server.metadata.image.entries import DelegationToken
from tests.core.controller.support.harness import TIMESTAMP_MS, Harness

BALANCED: dict[str, Any] = {
    "auto_leader_rebalance_enable": True,
    "leader_imbalance_check_interval_seconds": 300,
}
UNCLEAN: dict[str, Any] = {"unclean_leader_election_interval_ms": 300_000}
SESSION: dict[str, Any] = {"broker_session_timeout_ms": 10**9}


def led_by_another(**config: Any) -> Harness:
    """Topic t prefers broker 1, which is in sync; broker 2 leads."""
    harness = Harness(**{**SESSION, **config})
    harness.start_brokers(1, 2)
    harness.create_topic("t", [1, 2])
    harness.heartbeat(1, want_fence=True)
    harness.heartbeat(1)
    harness.alter_partition("t", isr=(2, 1))
    assert harness.partition("t").leader == 2
    return harness


def test_preferred_replicas_lead_again_after_a_while() -> None:
    harness = led_by_another(**BALANCED)
    start = 1_000
    harness.advance(start + 299_999 - harness.now_ms)
    assert harness.partition("t").leader == 2
    assert harness.controller.next_deadline_ms() == start + 300_000
    harness.advance(1)
    assert (harness.partition("t").leader, harness.partition("t").leader_epoch) == (1, 2)
    assert harness.controller.next_deadline_ms() == start + 600_000


def test_preferred_replicas_that_are_not_in_sync_do_not() -> None:
    harness = led_by_another(**BALANCED)
    harness.alter_partition("t", isr=(2,))
    end = harness.next_offset
    harness.advance(300_000)
    assert harness.next_offset == end


@pytest.mark.parametrize("config", [{**BALANCED, "auto_leader_rebalance_enable": False}, {}])
def test_leaders_stay_where_balancing_is_off(config: dict[str, Any]) -> None:
    harness = led_by_another(**config)
    harness.advance(10**8)
    assert harness.partition("t").leader == 2


def test_a_run_elects_a_thousand_and_the_next_one_follows_shortly() -> None:
    harness = Harness(**SESSION, **BALANCED)
    harness.start_brokers(1, 2)
    harness.create_topic("t", *[[1, 2]] * 1_001)
    harness.heartbeat(1, want_fence=True)
    harness.heartbeat(1)
    request = harness.alter_partition_request("t", isr=(2, 1))
    request.topics[0].partitions = [
        harness.alter_partition_request("t", index, isr=(2, 1)).topics[0].partitions[0]
        for index in range(1_001)
    ]
    harness.call(request)
    harness.advance(300_000)
    led_by_1 = [index for index in range(1_001) if harness.partition("t", index).leader == 1]
    assert led_by_1 == [*range(1_000)]
    assert harness.controller.next_deadline_ms() == harness.now_ms + 10
    harness.advance(10)
    assert harness.partition("t", 1_000).leader == 1
    assert harness.controller.next_deadline_ms() == harness.now_ms + 300_000


def leaderless(**config: Any) -> Harness:
    """Topic t allows unclean elections only after its sole member of the ISR has gone; broker 2 lags."""
    harness = Harness(features=(), **{**SESSION, **config})
    harness.start_brokers(1, 2)
    harness.create_topic("t", [1, 2])
    harness.create_topic("clean", [1, 2])
    for name in ("t", "clean"):
        harness.alter_partition(name, isr=(1,))
    harness.heartbeat(1, want_fence=True)
    assert harness.partition("t").leader == -1
    return harness


def allow_unclean_elections(harness: Harness, name: str) -> None:
    key = (2, name)
    image = harness.controller.committed_image
    configs = image.configs.set(key, Map({"unclean.leader.election.enable": "true"}))
    harness.deactivate(epoch=2)
    harness.handle(SnapshotLoaded(image=msgspec.structs.replace(image, configs=configs)))
    harness.activate(epoch=3)
    harness.commit()


def test_partitions_without_a_leader_get_one_that_lags_where_the_topic_allows_it() -> None:
    harness = leaderless(**UNCLEAN)
    harness.advance(300_000)
    assert harness.partition("t").leader == -1
    allow_unclean_elections(harness, "t")
    harness.advance(300_000)
    partition = harness.partition("t")
    assert (partition.leader, partition.isr, partition.leader_recovery_state) == (2, (2,), 1)
    assert harness.partition("clean").leader == -1


def test_a_standby_does_nothing_by_itself() -> None:
    harness = led_by_another(**BALANCED)
    harness.deactivate()
    assert harness.controller.next_deadline_ms() is None
    end = harness.next_offset
    harness.advance(10**8)
    assert harness.next_offset == end


def test_a_task_that_fails_is_reported_and_left_alone_for_some_minutes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(situation: TaskSituation) -> Steps[list[Message]]:
        raise RuntimeError("nobody foresaw this")

    broken = replace(PERIODIC_TASKS[0], run=fail, interval_ms=lambda config: 1_000)
    monkeypatch.setattr(periodic_tasks, "PERIODIC_TASKS", (broken,))
    harness = Harness()
    harness.expects_failures = True
    harness.advance(1_000)
    (report,) = [effect for effect in harness.effects if isinstance(effect, ReportFailure)]
    assert report.request_name == "the election of preferred leaders"
    assert harness.controller.is_active
    assert harness.controller.next_deadline_ms() == harness.now_ms + 300_000


def test_expired_delegation_tokens_are_removed_by_wall_time() -> None:
    harness = Harness(delegation_token_secret_key="secret", delegation_token_expiry_check_interval_ms=1_000)
    token = DelegationToken(
        owner="User:a",
        requester="User:a",
        renewers=(),
        issue_timestamp_ms=0,
        max_timestamp_ms=TIMESTAMP_MS + 10**9,
        expiration_timestamp_ms=TIMESTAMP_MS + 1_500,
    )
    image = msgspec.structs.replace(harness.controller.committed_image, delegation_tokens=Map({"t": token}))
    harness.deactivate(epoch=2)
    harness.handle(SnapshotLoaded(image=image))
    harness.activate(epoch=3)
    harness.advance(1_000)
    assert "t" in harness.image.delegation_tokens
    harness.advance(1_000)
    assert "t" not in harness.image.delegation_tokens


def test_without_the_key_for_tokens_nothing_looks_for_them() -> None:
    assert Harness().controller.next_deadline_ms() is None


def test_a_run_that_takes_longer_than_the_interval_is_the_only_one() -> None:
    harness = led_by_another(**{**BALANCED, "leader_imbalance_check_interval_seconds": 1})
    for number in range(20):
        harness.create_topic(f"more{number}", [1, 2])
    harness.in_slices = True
    harness.controller._changes._steps_per_slice = 1
    for _ in range(5):
        harness.advance(1_000)
        # The run that is worked on, and none that waits.
        assert harness.controller.has_work
        assert len(harness.controller._changes.waiting) == 0
    harness.finish()
    # The next one is overdue, and then there is one each interval again.
    assert (harness.controller.next_deadline_ms() or 0) < harness.now_ms
    harness.advance(1)
    harness.finish()
    assert harness.controller.next_deadline_ms() == harness.now_ms + 1_000


def test_a_task_whose_run_lasts_is_not_due_when_another_one_is() -> None:
    intervals = {**BALANCED, "leader_imbalance_check_interval_seconds": 1}
    schedule = TaskSchedule(ControllerConfig(**intervals, unclean_leader_election_interval_ms=3_000))
    balance, unclean = PERIODIC_TASKS[:2]
    schedule.start(0)
    assert schedule.take_due(1_000) == [balance]
    assert schedule.next_deadline_ms == 3_000
    assert schedule.take_due(3_000) == [unclean]
    assert schedule.next_deadline_ms is None
    schedule.ended(balance)
    assert schedule.take_due(3_000) == [balance]


@pytest.mark.parametrize(("interval_ms", "due_ms"), [(0, None), (1, 8)], ids=["never", "each millisecond"])
def test_the_shortest_interval_is_a_millisecond_and_0_is_never(interval_ms: int, due_ms: int | None) -> None:
    config = ControllerConfig(
        auto_leader_rebalance_enable=False, unclean_leader_election_interval_ms=interval_ms
    )
    schedule = TaskSchedule(config)
    schedule.start(7)
    assert schedule.next_deadline_ms == due_ms


def test_a_run_that_leadership_has_ended_does_not_keep_the_next_active_controller_from_one() -> None:
    harness = led_by_another(**BALANCED)
    harness.in_slices = True
    harness.controller._changes._steps_per_slice = 1
    harness.advance(300_000)
    assert harness.controller.has_work
    harness.deactivate()
    harness.activate(epoch=3)
    harness.finish()
    harness.advance(300_000)
    harness.finish()
    assert harness.partition("t").leader == 1
