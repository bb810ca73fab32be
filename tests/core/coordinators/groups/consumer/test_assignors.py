"""The assignors: everything is given away once, evenly, and to those who had it.

Tests: `core.coordinators.groups.consumer.uniform`.
"""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.coordinators.groups.consumer.assignors import ASSIGNORS, assign_range
from kafkaproto_server.core.coordinators.groups.consumer.uniform import assign_uniform
from kafkaproto_server.core.coordinators.groups.consumer.values import MemberSpec
from kafkaproto_server.requests.consumer_group_requests import Partitions

A, B, C = (bytes([number] * 16) for number in range(1, 4))


def spec(
    member_id: str, *topics: bytes, target: Partitions | None = None, instance_id: str | None = None
) -> MemberSpec:
    return MemberSpec(member_id, instance_id, tuple(sorted(topics)), target or {})


def sizes(found: dict[str, Partitions]) -> dict[str, int]:
    return {each: sum(len(indexes) for indexes in topics.values()) for each, topics in found.items()}


def given_partitions(found: dict[str, Partitions]) -> Counter[tuple[bytes, int]]:
    return Counter(
        (topic_id, index)
        for topics in found.values()
        for topic_id, indexes in topics.items()
        for index in indexes
    )


# -- range -------------------------------------------------------------------------------------------------------


def test_range_gives_each_member_the_same_range_of_equal_topics() -> None:
    found = assign_range([spec("m2", A, B), spec("m1", A, B)], {A: 3, B: 3})
    assert found == {"m1": {A: (0, 1), B: (0, 1)}, "m2": {A: (2,), B: (2,)}}


def test_range_leaves_members_without_a_share_empty() -> None:
    found = assign_range([spec("m1", A), spec("m2", A), spec("m3", A)], {A: 2})
    assert found == {"m1": {A: (0,)}, "m2": {A: (1,)}, "m3": {}}


def test_range_looks_at_the_subscribers_of_each_topic() -> None:
    found = assign_range([spec("m1", A), spec("m2", A, B), spec("m3", B)], {A: 3, B: 2})
    assert found == {"m1": {A: (0, 1)}, "m2": {A: (2,), B: (0,)}, "m3": {B: (1,)}}


def test_range_puts_static_members_first_in_order_of_their_instance_ids() -> None:
    members = [spec("m1", A), spec("m3", A, instance_id="i2"), spec("m2", A, instance_id="i1")]
    new_ids = [spec("m1", A), spec("x", A, instance_id="i2"), spec("y", A, instance_id="i1")]
    assert assign_range(members, {A: 3}) == {"m2": {A: (0,)}, "m3": {A: (1,)}, "m1": {A: (2,)}}
    assert assign_range(new_ids, {A: 3}) == {"y": {A: (0,)}, "x": {A: (1,)}, "m1": {A: (2,)}}


# -- uniform, equal subscriptions --------------------------------------------------------------------------------


def test_uniform_shares_evenly() -> None:
    found = assign_uniform([spec("m1", A, B), spec("m2", A, B)], {A: 3, B: 2})
    assert sorted(sizes(found).values()) == [2, 3]


def test_uniform_moves_no_more_than_it_must() -> None:
    had = {A: (0, 1, 2, 3, 4, 5)}
    found = assign_uniform([spec("m1", A, target=had), spec("m2", A)], {A: 6})
    assert found == {"m1": {A: (0, 1, 2)}, "m2": {A: (3, 4, 5)}}


def test_uniform_lets_those_who_have_more_keep_it() -> None:
    members = [spec("m1", A, target={A: (0,)}), spec("m2", A, target={A: (1, 2)})]
    assert assign_uniform(members, {A: 3}) == {"m1": {A: (0,)}, "m2": {A: (1, 2)}}


def test_uniform_drops_what_is_no_more() -> None:
    members = [spec("m1", A, target={A: (0, 7), B: (0,)})]
    assert assign_uniform(members, {A: 1}) == {"m1": {A: (0,)}}


def test_uniform_repairs_a_partition_with_two_owners() -> None:
    members = [spec("m1", A, target={A: (0, 1)}), spec("m2", A, target={A: (1,)})]
    found = assign_uniform(members, {A: 3})
    assert max(given_partitions(found).values()) == 1
    assert len(given_partitions(found)) == 3


# -- uniform, different subscriptions ----------------------------------------------------------------------------


def test_uniform_gives_to_the_subscriber_with_least() -> None:
    found = assign_uniform([spec("m1", A, B), spec("m2", B)], {A: 2, B: 4})
    assert sizes(found) == {"m1": 3, "m2": 3}
    assert found["m1"][A] == (0, 1)


def test_uniform_moves_from_most_to_least_where_both_subscribe() -> None:
    members = [spec("m1", A, B, target={A: (0, 1), B: (0, 1)}), spec("m2", B, C)]
    found = assign_uniform(members, {A: 2, B: 2, C: 0})
    assert found == {"m1": {A: (0, 1)}, "m2": {B: (0, 1)}}


def test_uniform_keeps_a_balanced_assignment() -> None:
    targets: list[Partitions] = [{A: (0,), B: (1,)}, {B: (0, 2)}]
    members = [spec("m1", A, B, target=targets[0]), spec("m2", B, target=targets[1])]
    assert assign_uniform(members, {A: 1, B: 3}) == {"m1": targets[0], "m2": targets[1]}


# -- both --------------------------------------------------------------------------------------------------------

TOPICS = st.lists(st.sampled_from([A, B, C]), unique=True)
COUNTS = st.fixed_dictionaries({A: st.integers(0, 9), B: st.integers(0, 9), C: st.integers(0, 9)})


@st.composite
def groups(draw: st.DrawFn) -> tuple[list[MemberSpec], dict[bytes, int]]:
    counts = draw(COUNTS)
    is_homogeneous = draw(st.booleans())
    common = draw(TOPICS)
    members = []
    for number in range(draw(st.integers(1, 6))):
        topics = common if is_homogeneous else draw(TOPICS)
        target = {
            topic: tuple(sorted(indexes))
            for topic in [A, B, C]
            if (indexes := draw(st.sets(st.integers(0, 9), max_size=4)))
        }
        instance_id = f"i{9 - number}" if draw(st.booleans()) else None
        members.append(spec(f"m{number}", *topics, target=target, instance_id=instance_id))
    return members, counts


@given(groups())
def test_each_partition_with_a_subscriber_goes_to_one_of_them(
    group: tuple[list[MemberSpec], dict[bytes, int]],
) -> None:
    members, counts = group
    subscribed = {topic_id for member in members for topic_id in member.topic_ids}
    for assign in ASSIGNORS.values():
        found = assign(members, counts)
        assert found.keys() == {member.member_id for member in members}
        expected = {(topic_id, index) for topic_id in subscribed for index in range(counts[topic_id])}
        assert given_partitions(found) == Counter(expected)
        for member in members:
            assert found[member.member_id].keys() <= set(member.topic_ids)
            assert all(
                indexes and list(indexes) == sorted(indexes) for indexes in found[member.member_id].values()
            )


@given(groups())
def test_uniform_is_even_and_does_not_move_what_is_even(
    group: tuple[list[MemberSpec], dict[bytes, int]],
) -> None:
    members, counts = group
    found = assign_uniform(members, counts)
    loads = sizes(found)
    if len({member.topic_ids for member in members}) == 1:
        assert max(loads.values()) - min(loads.values()) <= 1
    # Nobody has two more than another who subscribes to one of its topics.
    for giver in members:
        for taker in members:
            if set(found[giver.member_id]) & set(taker.topic_ids):
                assert loads[giver.member_id] - loads[taker.member_id] <= 1
    again = [member._replace(target=found[member.member_id]) for member in members]
    assert assign_uniform(again, counts) == found


@given(groups())
def test_the_order_of_members_does_not_matter(
    group: tuple[list[MemberSpec], dict[bytes, int]],
) -> None:
    members, counts = group
    other = list(reversed(members))
    for assign in ASSIGNORS.values():
        assert assign(other, counts) == assign(members, counts)
