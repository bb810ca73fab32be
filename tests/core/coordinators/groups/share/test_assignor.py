"""The assignor of share groups: how even it is, and how little it changes."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.coordinators.groups.share.assignor import ShareMemberSpec, assign_simple
from kafkaproto_server.requests.consumer_group_requests import Partitions
from tests.core.coordinators.support.share_groups import flat

A, B = b"a" * 16, b"b" * 16


def spec(member_id: str, *topic_ids: bytes, target: Partitions | None = None) -> ShareMemberSpec:
    return ShareMemberSpec(member_id, tuple(sorted(topic_ids)), target or {})


def counts(targets: dict[str, Partitions]) -> dict[str, int]:
    return {member_id: len(flat(target)) for member_id, target in targets.items()}


def test_one_member_gets_everything() -> None:
    found = assign_simple([spec("m", A, B)], {A: frozenset({0, 1}), B: frozenset({5})})
    assert found == {"m": {A: (0, 1), B: (5,)}}


def test_with_fewer_members_than_partitions_each_partition_has_one() -> None:
    found = assign_simple([spec("m", A), spec("n", A)], {A: frozenset(range(5))})
    assert counts(found) == {"m": 3, "n": 2}
    assert sorted(flat(found["m"]) | flat(found["n"])) == [(A, index) for index in range(5)]


def test_with_more_members_than_partitions_nobody_is_idle() -> None:
    found = assign_simple([spec(each, A) for each in "hijkl"], {A: frozenset({0, 1})})
    assert min(counts(found).values()) == 1
    sharers = Counter(each for target in found.values() for each in flat(target))
    assert sorted(sharers.values()) == [3, 3]


def test_what_is_not_assignable_is_not_assigned() -> None:
    held: Partitions = {A: (0, 1)}
    assert assign_simple([spec("m", A, target=held)], {A: frozenset({1})}) == {"m": {A: (1,)}}
    assert assign_simple([spec("m", A, target=held)], {}) == {"m": {}}
    assert assign_simple([], {A: frozenset({1})}) == {}


def test_members_keep_what_they_have() -> None:
    before = assign_simple([spec(each, A) for each in "mn"], {A: frozenset(range(8))})
    after = assign_simple(
        [spec(each, A, target=before.get(each)) for each in "amn"], {A: frozenset(range(8))}
    )
    for member_id in "mn":
        assert flat(after[member_id]) < flat(before[member_id])


def test_members_with_different_topics_share_topic_by_topic() -> None:
    found = assign_simple([spec("m", A, B), spec("n", B)], {A: frozenset({0, 1}), B: frozenset({0, 1})})
    assert found["m"][A] == (0, 1)
    assert len(found["m"][B]) == len(found["n"][B]) == 1


def test_members_with_the_same_topics_share_all_of_them_at_once() -> None:
    found = assign_simple([spec("m", A, B), spec("n", A, B)], {A: frozenset({0}), B: frozenset({0})})
    assert counts(found) == {"m": 1, "n": 1}


def test_a_member_loses_a_topic_to_which_only_others_subscribe() -> None:
    found = assign_simple([spec("m", B, target={A: (0,)}), spec("n", A, B)], {A: frozenset({0})})
    assert found == {"m": {}, "n": {A: (0,)}}


topics = st.sampled_from([(A,), (B,), (A, B)])
held = st.dictionaries(st.sampled_from([A, B]), st.sets(st.integers(0, 6), min_size=1), max_size=2)


@given(
    st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.tuples(topics, held), max_size=12),
    st.dictionaries(st.sampled_from([A, B]), st.frozensets(st.integers(0, 6), max_size=6), max_size=2),
)
def test_every_partition_has_a_member_and_every_member_its_part(
    members: dict[str, tuple[tuple[bytes, ...], dict[bytes, set[int]]]],
    assignable: dict[bytes, frozenset[int]],
) -> None:
    specs = [
        ShareMemberSpec(
            member_id, topic_ids, {each: tuple(sorted(indexes)) for each, indexes in before.items()}
        )
        for member_id, (topic_ids, before) in members.items()
    ]
    found = assign_simple(specs, assignable)
    assert found == assign_simple(list(reversed(specs)), assignable), "the input's order does not matter"
    assert found.keys() == members.keys()
    for topic_id in (A, B):
        subscribers = [each for each, (names, _) in members.items() if topic_id in names]
        shared = {index for target in found.values() for each, index in flat(target) if each == topic_id}
        if subscribers:
            assert shared == assignable.get(topic_id, frozenset())
        for member_id, target in found.items():
            assert topic_id not in target or member_id in subscribers
    if len({names for names, _ in members.values()}) == 1:
        names = next(iter(members.values()))[0]
        partitions = sum(len(assignable.get(each, ())) for each in names)
        sharing = -(-len(members) // partitions) if partitions else 0
        least = partitions * sharing // len(members)
        for member_id, target in found.items():
            assert min(1, least) <= len(flat(target)) <= least + 1, member_id
        sharers = Counter(each for target in found.values() for each in flat(target))
        assert all(count <= sharing for count in sharers.values())


@given(st.integers(1, 12), st.integers(1, 12))
def test_what_was_assigned_once_is_assigned_again(members: int, partitions: int) -> None:
    assignable = {A: frozenset(range(partitions))}
    before = assign_simple([spec(f"m{each:02}", A) for each in range(members)], assignable)
    again = [ShareMemberSpec(member_id, (A,), target) for member_id, target in before.items()]
    assert assign_simple(again, assignable) == before
