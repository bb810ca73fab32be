"""Consumer groups at the edges: expressions that are looked at again, members that change their kind, lost commits.

Tests: `core.coordinators.groups.consumer.change`, `core.coordinators.groups.consumer.sessions`.
"""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.group_requests import JoinOutcome
from tests.core.coordinators.groups.test_migration import ON_A, A
from tests.core.coordinators.support.consumers import INTERVAL_MS, Coordinator, topic_id
from tests.core.coordinators.support.derived import check_consumer
from tests.core.coordinators.support.groups import SESSION_MS, Groups


def test_topics_of_an_expression_that_are_looked_at_again_are_the_same() -> None:
    coordinator = Coordinator({"a1": 1, "b": 1})
    coordinator.join("m", "b", subscribed_topic_regex="a.*")
    coordinator.world.advance(INTERVAL_MS)
    epoch = coordinator.beat("m", 1).member_epoch
    hash_before = coordinator.group.metadata_hash
    for _ in range(2):
        coordinator.tell(["a1"], has_new=False)
        coordinator.world.advance(INTERVAL_MS)
        assert coordinator.beat("m", epoch).member_epoch == epoch
    assert coordinator.group.metadata_hash == hash_before
    coordinator.change_topic("a1", 2)
    assert coordinator.beat("m", epoch).assignment == {topic_id("a1"): (0, 1), topic_id("b"): (0,)}


def test_an_expression_that_nobody_uses_any_more_is_not_kept() -> None:
    coordinator = Coordinator({"a1": 1})
    # So many that their resolution takes more than one turn.
    for number in range(6):
        coordinator.join(f"m{number}", subscribed_topic_regex=f"a{number}")
    coordinator.world.advance(0)
    assert coordinator.group.is_resolving
    coordinator.beat("m0", 1, subscribed_topic_regex="")
    coordinator.beat("m1", -1)
    coordinator.world.advance(INTERVAL_MS)
    assert coordinator.group.regexes.keys() == {f"a{number}" for number in range(2, 6)}
    assert not coordinator.group.is_resolving
    check_consumer(coordinator.group, coordinator.world)


def test_a_member_that_gets_an_instance_id_keeps_what_it_has() -> None:
    coordinator = Coordinator({"a": 2})
    epoch = coordinator.join("m", "a").member_epoch
    outcome = coordinator.join("m", "a", instance_id="i")
    assert (outcome.code, outcome.assignment) == (ErrorCode.NONE, {topic_id("a"): (0, 1)})
    assert outcome.member_epoch == epoch
    assert coordinator.group.static_ids == {"i": "m"}


def test_for_the_next_coordinator_too_a_static_member_that_has_left_need_not_revoke() -> None:
    coordinator = Coordinator({"a": 2})
    coordinator.join("m1", "a", instance_id="i", rebalance_timeout_ms=2_000)
    coordinator.world.advance(INTERVAL_MS)
    coordinator.join("m2", "a")
    assert coordinator.beat("m1", 1, instance_id="i").assignment == {topic_id("a"): (0,)}
    coordinator.beat("m1", -2, instance_id="i")
    coordinator.move()
    coordinator.world.advance(3_000)
    # Its place is kept until its session ends.
    assert coordinator.group.members.keys() == {"m1", "m2"}


def test_a_static_member_that_has_left_need_not_revoke() -> None:
    coordinator = Coordinator({"a": 2})
    coordinator.join("m1", "a", instance_id="i", rebalance_timeout_ms=2_000)
    coordinator.world.advance(INTERVAL_MS)
    coordinator.join("m2", "a")
    assert coordinator.beat("m1", 1, instance_id="i").assignment == {topic_id("a"): (0,)}
    coordinator.beat("m1", -2, instance_id="i")
    coordinator.world.advance(3_000)
    assert coordinator.group.members.keys() == {"m1", "m2"}


def test_a_member_that_has_more_to_revoke_in_the_same_epoch_has_all_of_its_time_for_that() -> None:
    coordinator = Coordinator({"a": 2, "b": 2})
    coordinator.join("m1", "a", "b", rebalance_timeout_ms=2 * INTERVAL_MS)
    coordinator.world.advance(INTERVAL_MS)
    coordinator.join("m2", "a", "b")
    assert coordinator.beat("m1", 1).assignment == {topic_id("a"): (0, 1)}
    coordinator.world.advance(INTERVAL_MS)
    outcome = coordinator.beat("m1", 1, subscribed_topic_names=("b",))
    assert (outcome.member_epoch, outcome.assignment) == (1, {})
    coordinator.world.advance(2 * INTERVAL_MS - 1)
    assert coordinator.group.members.keys() == {"m1", "m2"}
    coordinator.world.advance(1)
    assert coordinator.group.members.keys() == {"m2"}


def test_a_static_member_that_has_left_is_in_no_epoch_before() -> None:
    coordinator = Coordinator({"a": 2})
    coordinator.join("m1", "a", instance_id="i")
    coordinator.change_topic("a", 3)
    coordinator.world.advance(INTERVAL_MS)
    epoch = coordinator.beat("m1", 1, instance_id="i").member_epoch
    assert epoch == 2
    coordinator.beat("m1", -2, instance_id="i")
    for known in (1, 2):
        code = coordinator.refusal(
            member_id="m1", member_epoch=known, instance_id="i", topic_partitions={topic_id("a"): (0,)}
        )
        assert code is ErrorCode.FENCED_MEMBER_EPOCH


def test_nothing_is_assigned_to_the_id_that_a_static_member_had_before() -> None:
    coordinator = Coordinator({"a": 2})
    coordinator.join("m1", "a", instance_id="i")
    coordinator.beat("m1", -2, instance_id="i")
    coordinator.change_topic("a", 4)
    coordinator.world.advance(INTERVAL_MS)
    outcome = coordinator.join("m2", "a", instance_id="i")
    assert outcome.assignment == {topic_id("a"): (0, 1, 2, 3)}
    assert coordinator.group.targets.keys() == {"m2"}


# --- members of the classic protocol ---


@pytest.fixture
def groups() -> Groups:
    """A consumer group with a member."""
    groups = Groups(consumer_assignment_interval_ms=0, consumer_min_assignment_interval_ms=0)
    groups.consumer("m")
    return groups


def joined(groups: Groups) -> JoinOutcome:
    """A classic member has joined."""
    (outcome,) = groups.join(**ON_A)
    assert outcome.code is ErrorCode.NONE
    return outcome


def test_a_classic_member_learns_that_its_records_are_not_committed(groups: Groups) -> None:
    groups.log.commits_at_once = False
    found = groups.join(**ON_A)
    assert found == []
    groups.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    code = ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert found == [JoinOutcome(code, found[0].member_id, generation=-1)]
    assert found[0].member_id
    group = groups.shard._consumer.groups["group"]
    member = group.members[found[0].member_id]
    synced = groups.sync(member.member_id, member.epoch)
    groups.log.give_up(ErrorCode.REQUEST_TIMED_OUT)
    assert [(each.code, each.assignment) for each in synced] == [(code, b"")]


def test_only_a_member_without_an_instance_id_has_to_know_its_id(groups: Groups) -> None:
    for instance_id, code in (("i", ErrorCode.NONE), (None, ErrorCode.MEMBER_ID_REQUIRED)):
        (outcome,) = groups.join(**ON_A, needs_known_id=True, group_instance_id=instance_id)
        assert outcome.code is code


def test_a_classic_member_uses_the_protocol_that_it_likes_best(groups: Groups) -> None:
    ((name, metadata),) = ON_A["protocols"]
    (outcome,) = groups.join(**{**ON_A, "protocols": ((name, metadata), ("other", metadata))})
    assert (outcome.protocol, outcome.protocol_type) == (name, "consumer")
    (synced,) = groups.sync(outcome.member_id, outcome.generation)
    assert (synced.code, synced.protocol, synced.protocol_type) == (ErrorCode.NONE, name, "consumer")
    (synced,) = groups.sync(outcome.member_id, outcome.generation, protocol="other")
    assert synced.code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_a_classic_member_that_does_not_fetch_its_assignment_is_fenced_even_if_that_takes_long(
    groups: Groups,
) -> None:
    member_id = joined(groups).member_id
    group = groups.shard._consumer.groups["group"]
    timeout_ms = group.members[member_id].rebalance_timeout_ms
    groups.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS

    def wait(by_ms: int) -> None:
        """Time passes, in which both members live."""
        for _ in range(by_ms // 1_000):
            groups.advance(1_000)
            groups.shard._consumer.sessions.extend(group, member_id, SESSION_MS)
            groups.shard._consumer.sessions.extend(group, "m", SESSION_MS)

    wait(timeout_ms + 5_000)
    assert member_id in group.members
    groups.log.refusal = None
    groups.advance(1_000)
    assert group.members.keys() == {"m"}


def test_a_classic_member_whose_protocol_was_damaged_joins_again(groups: Groups) -> None:
    outcome = joined(groups)
    group = groups.shard._consumer.groups["group"]
    metadata = group.members[outcome.member_id].classic_metadata
    assert metadata is not None
    metadata.supported_protocols[0].metadata = b"\0"
    found = groups.sync(outcome.member_id, outcome.generation)
    assert [each.code for each in found] == [ErrorCode.INCONSISTENT_GROUP_PROTOCOL]


def test_without_a_protocol_that_all_support_a_group_stays_what_it_is(groups: Groups) -> None:
    first, second = joined(groups), joined(groups)
    group = groups.shard._consumer.groups["group"]
    metadata = group.members[second.member_id].classic_metadata
    assert metadata is not None
    metadata.supported_protocols[0].name = "other"
    assert groups.consumer("m", -1).code is ErrorCode.NONE
    assert groups.shard._consumer.groups["group"].members.keys() == {first.member_id, second.member_id}
    assert A in groups.shard._consumer.groups["group"].targets[first.member_id]
