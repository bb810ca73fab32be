"""Groups that change their protocol while their members stay, in both directions.

Tests: `core.coordinators.groups.consumer.classic_members`, `core.coordinators.groups.consumer_protocol`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerProtocolAssignment
from kafkaproto_server.core.coordinators.groups.consumer_protocol import assignment_of
from kafkaproto_server.requests.consumer_group_requests import (
    HeartbeatOutcome,
    HeartbeatValues,
    Partitions,
)
from kafkaproto_server.requests.group_requests import JoinOutcome
from tests.core.coordinators.groups.test_shard import consumers
from tests.core.coordinators.support.consumers import topic_id
from tests.core.coordinators.support.groups import GROUP, REBALANCE_MS, SESSION_MS, Groups
from tests.core.coordinators.support.offsets import of

NONE, REBALANCE = ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS
A = topic_id("a")
ON_A = consumers("a")


def assigned(data: bytes) -> dict[str, list[int]]:
    """The partitions of an assignment as a classic member reads it."""
    version = int.from_bytes(data[:2], "big")
    found, _ = ConsumerProtocolAssignment.decode(data, version, offset=2)
    return {each.topic: each.partitions for each in found.assigned_partitions}


def classic(groups: Groups, count: int = 1, *, group_instance_id: str | None = None) -> list[str]:
    """The ids of so many members of a stable classic group; the first one has all partitions of the topic a."""
    static = {} if group_instance_id is None else {"group_instance_id": group_instance_id}
    ids = [each.member_id for each in groups.joined(count, **ON_A, **static)]
    for each in ids[1:]:
        groups.sync(each, 1)
    all_of_it = assignment_of({A: (0, 1)}, groups.topics, 3)
    groups.sync(ids[0], 1, {ids[0]: all_of_it}, **static)
    return ids


def rejoin(groups: Groups, member_id: str, **fields: Any) -> tuple[JoinOutcome, dict[str, list[int]]]:
    """A classic member joins again, having revoked everything, and fetches its assignment."""
    (joined,) = groups.join(member_id, **{**ON_A, **fields})
    assert joined.code is NONE
    instance_id = fields.get("group_instance_id")
    (synced,) = groups.sync(joined.member_id, joined.generation, group_instance_id=instance_id)
    assert synced.code is NONE
    return joined, assigned(synced.assignment)


def beat(groups: Groups, member_id: str, epoch: int, owned: Partitions | None = None) -> HeartbeatOutcome:
    """A member of the new protocol lives."""
    return groups.consumer(member_id, epoch, topic_partitions=owned)


def policy(groups: Groups, value: str) -> None:
    groups.configure(consumer_migration_policy=value)


def test_a_classic_group_becomes_a_consumer_group_member_by_member() -> None:
    groups = Groups()
    (old,) = classic(groups)
    groups.commit(of("a", 0, 5), member_id=old, generation=1)
    new = groups.consumer("new")
    # Everything still belongs to the old member.
    assert (new.code, new.member_epoch, new.assignment) == (NONE, 2, {})
    assert groups.listed() == [(GROUP, "consumer", "Reconciling", "consumer")]
    assert groups.fetch() == {("a", 0): (5, -1, "")}
    assert groups.beat(old, 1) is REBALANCE
    joined, owned = rejoin(groups, old)
    assert (joined.generation, joined.protocol, joined.leader_id) == (2, "range", "")
    assert owned == {"a": [0]}
    assert beat(groups, "new", 2, {}).assignment == {A: (1,)}
    assert groups.beat(old, 2) is NONE
    # The old member goes, and comes back with the new protocol.
    assert groups.leave((old, None)) == [NONE]
    groups.advance(1_000)
    assert beat(groups, "new", 2, {A: (1,)}).assignment == {A: (0, 1)}
    assert groups.listed() == [(GROUP, "consumer", "Stable", "consumer")]


def test_a_consumer_group_becomes_a_classic_group_when_its_last_new_member_is_gone() -> None:
    groups = Groups()
    groups.consumer("new")
    beat(groups, "new", 2, {A: (0, 1)})
    groups.advance(1_000)
    (joined,) = groups.join(**ON_A)
    assert (joined.generation, joined.protocol_type) == (3, "consumer")
    # Nothing is free yet.
    (synced,) = groups.sync(joined.member_id, 3)
    assert assigned(synced.assignment) == {}
    assert beat(groups, "new", 2, {A: (0, 1)}).assignment == {A: (0,)}
    beat(groups, "new", 2, {A: (0,)})
    assert groups.beat(joined.member_id, 3) is REBALANCE
    again, owned = rejoin(groups, joined.member_id)
    assert owned == {"a": [1]}
    assert groups.consumer("new", -1).code is NONE
    assert groups.listed() == [(GROUP, "consumer", "PreparingRebalance", "classic")]
    (last,) = groups.join(again.member_id, **ON_A)
    assert (last.generation, last.leader_id) == (4, again.member_id)
    groups.sync(again.member_id, 4, {again.member_id: b"all"})
    for _ in range(2):
        assert groups.described().state == "Stable"
        assert [each.member_id for each in groups.described().members] == [again.member_id]
        groups.move()


def test_what_a_member_has_not_given_up_is_its_own_through_both_changes() -> None:
    groups = Groups()
    (old,) = classic(groups)
    groups.consumer("new")
    # The old member is to give up one partition, and has not heard of it when the group changes, and changes again.
    groups.consumer("new", -1)
    assert groups.listed()[0][3] == "classic"
    again = groups.consumer("again")
    assert (again.code, again.assignment) == (NONE, {})
    assert rejoin(groups, old)[1] == {"a": [0]}
    assert beat(groups, "again", again.member_epoch, {}).assignment == {A: (1,)}


def test_a_consumer_group_with_another_new_member_stays_one() -> None:
    groups = Groups()
    classic(groups)
    for each in ("new", "third"):
        groups.consumer(each)
    groups.consumer("new", -1)
    assert groups.listed()[0][3] == "consumer"
    groups.consumer("third", -1)
    assert groups.listed()[0][3] == "classic"


def test_a_classic_member_that_never_fetches_its_assignment_is_removed() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    groups.consumer("new")
    (joined,) = groups.join(session_timeout_ms=9 * REBALANCE_MS, **ON_A)
    for _ in range(6):
        assert joined.member_id in groups.shard._consumer.groups[GROUP].members
        groups.advance(REBALANCE_MS // 6)
        beat(groups, "new", 2)
    assert joined.member_id not in groups.shard._consumer.groups[GROUP].members


def test_a_new_member_that_is_not_heard_any_more_is_gone_as_well() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    classic(groups)
    groups.consumer("new")
    ids = [each for each in groups.shard._consumer.groups[GROUP].members if each != "new"]
    for _ in range(9):
        groups.advance(SESSION_MS // 2)
        groups.beat(ids[0], 1)
    groups.advance(SESSION_MS // 2)
    assert groups.listed() == [(GROUP, "consumer", "PreparingRebalance", "classic")]


@pytest.mark.parametrize("value", ["disabled", "downgrade"])
def test_without_leave_no_group_becomes_a_consumer_group(value: str) -> None:
    groups = Groups()
    (old,) = classic(groups)
    policy(groups, value)
    assert groups.consumer("new").code is ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.beat(old, 1) is NONE


@pytest.mark.parametrize("value", ["disabled", "upgrade"])
def test_without_leave_no_group_becomes_a_classic_group(value: str) -> None:
    groups = Groups()
    classic(groups)
    groups.consumer("new")
    policy(groups, value)
    groups.consumer("new", -1)
    assert groups.listed()[0][3] == "consumer"


@pytest.mark.parametrize(
    "fields",
    [{"protocol_type": "connect", **ON_A}, {"protocols": (("range", b"\x00"),)}],
    ids=["type", "metadata"],
)
def test_a_group_whose_members_say_other_things_stays_as_it_is(fields: dict[str, Any]) -> None:
    groups = Groups()
    groups.join(**fields)
    groups.advance(SESSION_MS)
    assert groups.consumer("new").code is ErrorCode.GROUP_ID_NOT_FOUND
    assert groups.listed()[0][3] == "classic"


def test_a_group_that_is_too_large_stays_as_it_is() -> None:
    groups = Groups(consumer_max_size=1)
    classic(groups, 2)
    assert groups.consumer("new").code is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_group_that_is_too_large_for_a_classic_group_stays_a_consumer_group() -> None:
    for max_size, kind in ((1, "consumer"), (2, "classic")):
        groups = Groups()
        classic(groups, 2)
        groups.consumer("new")
        groups.configure(max_size=max_size)
        groups.consumer("new", -1)
        assert groups.listed()[0][3] == kind


def test_a_group_becomes_a_classic_group_only_when_a_member_of_the_new_protocol_goes() -> None:
    groups = Groups()
    ids = classic(groups, 2)
    groups.consumer("new")
    policy(groups, "upgrade")
    groups.consumer("new", -1)
    policy(groups, "bidirectional")
    assert groups.leave((ids[0], None)) == [NONE]
    assert groups.listed()[0][3] == "consumer"


def test_a_static_member_whose_new_id_is_kept_too_late_is_no_member_of_the_group_before() -> None:
    groups = Groups()
    classic(groups, group_instance_id="i")
    groups.log.commits_at_once = False
    joining = groups.join(group_instance_id="i", **ON_A)
    heard: list[HeartbeatOutcome] = []
    new = HeartbeatValues(
        group_id=GROUP,
        member_id="new",
        member_epoch=0,
        rebalance_timeout_ms=REBALANCE_MS,
        topic_partitions={},
        subscribed_topic_names=("a",),
    )
    groups.shard.consumer_heartbeat(new, heard.append)
    groups.log.commit()
    assert [each.code for each in heard] == [NONE]
    assert [each.code for each in joining] == [ErrorCode.UNKNOWN_MEMBER_ID]


def test_members_that_wait_for_a_generation_join_again() -> None:
    groups = Groups()
    ids = classic(groups, 2)
    waiting = groups.join(ids[0], **ON_A)
    groups.consumer("new")
    assert waiting[0].code is REBALANCE
    assert rejoin(groups, ids[0])[0].generation == 2


def test_another_coordinator_knows_members_of_both_protocols() -> None:
    groups = Groups()
    (old,) = classic(groups)
    groups.consumer("new")
    groups.move()
    assert groups.beat(old, 1) is REBALANCE
    assert rejoin(groups, old)[1] == {"a": [0]}
    # Its session is its own.
    groups.advance(SESSION_MS)
    assert old not in groups.shard._consumer.groups[GROUP].members


def test_what_cannot_be_written_changes_nothing() -> None:
    groups = Groups()
    (old,) = classic(groups)
    groups.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    assert groups.consumer("new").code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    groups.log.refusal = None
    assert groups.beat(old, 1) is NONE
    groups.consumer("new")
    groups.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    assert groups.consumer("new", -1).code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    groups.log.refusal = None
    assert groups.listed()[0][3] == "consumer"


# -- what classic members of a consumer group are refused


def mixed(groups: Groups) -> str:
    """The id of a classic member of a consumer group, in its second epoch."""
    (old,) = classic(groups)
    groups.consumer("new")
    rejoin(groups, old)
    return old


def test_classic_members_have_a_protocol_in_common() -> None:
    groups = Groups()
    mixed(groups)
    code = ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert groups.refusal(protocol_type="connect", **ON_A) is code
    assert groups.refusal(protocols=(("sticky", ON_A["protocols"][0][1]),)) is code
    assert groups.refusal(protocols=(("range", b""),)) is code


def test_a_classic_member_without_an_id_gets_one_first() -> None:
    groups = Groups()
    mixed(groups)
    (refused,) = groups.join(needs_known_id=True, **ON_A)
    assert refused.code is ErrorCode.MEMBER_ID_REQUIRED
    (joined,) = groups.join(refused.member_id, needs_known_id=True, **ON_A)
    assert (joined.code, joined.member_id) == (NONE, refused.member_id)


def test_a_full_consumer_group_takes_no_classic_member_in() -> None:
    groups = Groups()
    mixed(groups)
    groups.configure(consumer_max_size=2)
    assert groups.refusal(**ON_A) is ErrorCode.GROUP_MAX_SIZE_REACHED


def test_an_administrator_removes_members_of_the_new_protocol_by_id_or_instance_id_alone() -> None:
    groups = Groups()
    groups.consumer("a")
    groups.consumer("b", instance_id="ib")
    groups.consumer("c", instance_id="ic")
    epoch = groups.shard._consumer.groups[GROUP].epoch
    left = groups.leave(
        ("a", None), ("a", None), ("nobody", None), ("", "ib"), ("b", "ic"), ("", "nobody"), ("c", "")
    )
    unknown = ErrorCode.UNKNOWN_MEMBER_ID
    assert left == [NONE, NONE, unknown, NONE, ErrorCode.FENCED_INSTANCE_ID, unknown, unknown]
    # All at once: the group goes one epoch on.
    assert (
        list(groups.shard._consumer.groups[GROUP].members),
        groups.shard._consumer.groups[GROUP].epoch,
    ) == (["c"], epoch + 1)
    assert groups.consumer("a", 1).code is unknown
    assert groups.leave(("c", None)) == [NONE]
    assert groups.listed() == [(GROUP, "consumer", "Empty", "consumer")]
    assert groups.delete() is NONE


def test_members_of_both_protocols_leave_together_and_the_others_are_a_classic_group() -> None:
    groups = Groups()
    old = mixed(groups)
    (other,) = groups.join(**ON_A)
    assert groups.leave(("new", None), (old, None)) == [NONE, NONE]
    assert groups.listed() == [(GROUP, "consumer", "PreparingRebalance", "classic")]
    assert groups.leave((other.member_id, None)) == [NONE]


def test_if_members_cannot_be_removed_all_are_told_so() -> None:
    groups = Groups()
    groups.consumer("a")
    groups.consumer("b")
    groups.log.refusal = ErrorCode.NOT_COORDINATOR
    left = groups.leave(("a", None), ("nobody", None), ("b", None))
    assert left == [ErrorCode.NOT_COORDINATOR, ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.NOT_COORDINATOR]
    assert list(groups.shard._consumer.groups[GROUP].members) == ["a", "b"]


def test_requests_are_of_the_members_epoch_and_protocol() -> None:
    groups = Groups()
    old = mixed(groups)
    assert groups.beat(old, 1) is ErrorCode.ILLEGAL_GENERATION
    assert groups.beat("nobody", 2) is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.beat("new", 2) is ErrorCode.UNKNOWN_MEMBER_ID
    assert groups.sync(old, 1)[0].code is ErrorCode.ILLEGAL_GENERATION
    assert groups.sync(old, 2, protocol="sticky")[0].code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert groups.sync(old, 2, protocol_type="connect")[0].code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert groups.leave(("nobody", None), ("", "nobody")) == [ErrorCode.UNKNOWN_MEMBER_ID] * 2
    assert groups.commit(of("a", 0, 5), member_id=old, generation=2).responses == [(NONE, [NONE])]
    told = groups.commit(of("a", 0, 5), member_id=old, generation=3)
    assert told.responses == [(ErrorCode.ILLEGAL_GENERATION, [])]


def test_a_sync_during_the_next_rebalance_sends_the_member_back() -> None:
    groups = Groups()
    old = mixed(groups)
    groups.advance(1_000)
    groups.consumer("third")
    assert groups.sync(old, 2)[0].code is REBALANCE


def test_a_classic_member_that_has_to_revoke_fetches_what_it_keeps() -> None:
    groups = Groups()
    (old,) = classic(groups)
    groups.consumer("new")
    assert groups.beat(old, 1) is REBALANCE
    (joined,) = groups.join(old, **consumers("a", owned={"a": [0, 1]}))
    # Its epoch stays as it was until it has revoked.
    assert (joined.code, joined.generation) == (NONE, 1)
    (synced,) = groups.sync(old, 1)
    assert (synced.code, assigned(synced.assignment)) == (NONE, {"a": [0]})
    assert rejoin(groups, old)[0].generation == 2


def test_a_classic_member_has_to_fetch_its_assignment_and_to_join_again_in_time() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    (old,) = classic(groups)
    groups.consumer("new")
    long = {"session_timeout_ms": 5 * REBALANCE_MS, **ON_A}
    groups.join(old, **long)

    def is_there() -> bool:
        kind = groups.shard._table.existing(GROUP)
        return old in kind.groups[GROUP].members

    def advance(by_ms: int) -> None:
        for _ in range(by_ms // 20_000):
            groups.advance(20_000)
            beat(groups, "new", 2)

    advance(REBALANCE_MS - 20_000)
    assert is_there()
    groups.sync(old, 2)
    advance(2 * REBALANCE_MS)
    assert is_there()
    groups.topics.change("a", 3)
    groups.shard.topics_changed(["a"], has_new=False)
    beat(groups, "new", 2)
    assert groups.beat(old, 2) is REBALANCE
    groups.advance(20_000)
    beat(groups, "new", 2)
    groups.advance(20_000)
    beat(groups, "new", 3)
    assert groups.beat(old, 2) is REBALANCE
    groups.advance(20_000)
    assert not is_there()


def test_a_static_classic_member_that_starts_anew_keeps_what_it_had() -> None:
    groups = Groups()
    (old,) = classic(groups, group_instance_id="i")
    groups.consumer("new")
    joined, owned = rejoin(groups, "", group_instance_id="i")
    assert joined.member_id != old
    assert owned == {"a": [0]}
    assert groups.beat(old, 2, "i") is ErrorCode.FENCED_INSTANCE_ID
    assert groups.refusal(old, group_instance_id="i", **ON_A) is ErrorCode.FENCED_INSTANCE_ID
    assert groups.leave(("", "i")) == [NONE]


def time_passes(groups: Groups, member_ids: list[str], by_ms: int) -> None:
    """Members of the new protocol live meanwhile."""
    for _ in range(by_ms // 5_000):
        groups.advance(5_000)
        for each in member_ids:
            beat(groups, each, groups.shard._consumer.groups[GROUP].members[each].epoch)


def test_a_classic_member_that_has_to_revoke_has_its_time_from_when_it_hears_of_that() -> None:
    groups = Groups(max_session_timeout_ms=10 * REBALANCE_MS)
    (old,) = classic(groups)
    groups.consumer("new")
    long: dict[str, Any] = {"session_timeout_ms": 5 * REBALANCE_MS}
    (joined,) = groups.join(old, **long, **consumers("a", owned={"a": [0, 1]}))
    assert joined.generation == 1
    groups.sync(old, 1)
    time_passes(groups, ["new"], REBALANCE_MS // 2)
    assert groups.beat(old, 1) is REBALANCE
    time_passes(groups, ["new"], REBALANCE_MS - 5_000)
    assert old in groups.shard._consumer.groups[GROUP].members
    groups.advance(5_000)
    assert groups.listed()[0][3] == "consumer"
    assert old not in groups.shard._consumer.groups[GROUP].members


def test_a_member_that_comes_with_the_new_protocol_need_not_fetch_what_it_had_with_the_old_one() -> None:
    groups = Groups()
    groups.consumer("new", rebalance_timeout_ms=10 * REBALANCE_MS)
    (joined,) = groups.join(**ON_A)
    assert groups.consumer(joined.member_id).code is NONE
    time_passes(groups, ["new", joined.member_id], REBALANCE_MS + 5_000)
    assert joined.member_id in groups.shard._consumer.groups[GROUP].members
