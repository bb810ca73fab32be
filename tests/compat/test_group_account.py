"""How the members of a group are judged by what they say."""

from __future__ import annotations

import pytest

from compat.group_account import Event, History, copy_problems, parse, problems, shared


def assigned(at_ms: float, *partitions: int) -> Event:
    return Event(at_ms=at_ms, what="assigned", partitions=[*partitions])


def revoked(at_ms: float, *partitions: int) -> Event:
    return Event(at_ms=at_ms, what="revoked", partitions=[*partitions])


def read(at_ms: float, offset: int) -> Event:
    """Of partition 0, whose values are their offsets."""
    return Event(at_ms=at_ms, what="read", partition=0, offset=offset, value=offset)


def committed(at_ms: float, offset: int) -> Event:
    return Event(at_ms=at_ms, what="committed", partition=0, offset=offset)


def history(*events: Event, name: str = "one", ended_ms: float | None = None) -> History:
    return History(name=name, events=[*events], ended_ms=ended_ms)


def test_a_line_of_a_member_is_an_event() -> None:
    line = b'{"at_ms": 7.5, "what": "read", "partition": 1, "offset": 3, "value": 9}\n'
    assert parse(line) == Event(at_ms=7.5, what="read", partition=1, offset=3, value=9)


def test_a_member_owns_what_was_assigned_and_not_revoked() -> None:
    member = history(assigned(1, 0, 1), revoked(2, 1), assigned(3, 2))
    assert member.owned() == {0, 2}
    member.ended_ms = 4
    assert member.owned() == set()


@pytest.mark.parametrize(
    ("others", "is_shared"), [((1, 2), True), ((1,), False), ((0, 1, 2), False), ((), False)]
)
def test_a_group_shares_if_each_partition_has_one_member_and_none_is_idle(
    others: tuple[int, ...], is_shared: bool
) -> None:
    assert shared([history(assigned(1, 0)), history(assigned(1, *others))], 3) is is_shared


def test_what_was_handed_over_with_its_offset_is_right() -> None:
    former = history(assigned(1, 0), read(2, 0), read(3, 1), committed(4, 1), revoked(5, 0))
    # It was read once more, since it was not committed.
    following = history(assigned(6, 0), read(7, 1), committed(7, 2), name="two")
    assert problems([following, former], {0, 1}) == []


def test_a_record_that_nobody_has_read_is_noticed() -> None:
    assert problems([history(read(1, 0))], {0, 1, 2}) == ["2 records were not read, first 1"]


def test_a_record_that_is_read_after_its_commit_is_noticed() -> None:
    members = [history(read(1, 0), committed(2, 1)), history(read(3, 0), name="two")]
    assert problems(members, {0}) == ["two read 0/0 again, which was committed up to 1"]


def test_two_owners_at_a_time_are_noticed() -> None:
    former, following = history(assigned(1, 0), revoked(5, 0)), history(assigned(4, 0), name="two")
    assert problems([former, following], set()) == ["one and two had partition 0 for 1.0 ms"]
    # One that was killed has it no more.
    killed = history(assigned(1, 0), ended_ms=3)
    assert problems([killed, following], set()) == []


def failed(at_ms: float) -> Event:
    return Event(at_ms=at_ms, what="failed", error="UNKNOWN_MEMBER_ID")


EXPELLED = (assigned(1, 0), read(2, 0), committed(3, 1), read(9_000, 1), failed(9_001), revoked(9_002, 0))
"""It was silent from 3 ms on, and did not know that it was no member any more."""
NEXT = (assigned(6_100, 0), read(6_101, 1), committed(6_102, 2))


def test_a_member_that_was_expelled_may_go_on_until_it_hears_of_it() -> None:
    assert problems([history(*EXPELLED), history(*NEXT, name="two")], {0, 1}) == []


@pytest.mark.parametrize("heard", [3, 4, 5])
def test_a_member_that_was_expelled_may_be_killed_before_it_hears_of_it(heard: int) -> None:
    killed = history(*EXPELLED[:heard], ended_ms=9_003)
    assert problems([killed, history(*NEXT, name="two")], {0, 1}) == []


def test_a_member_that_was_not_silent_for_a_session_was_not_expelled() -> None:
    # It has committed 1.1 s before another member got its partition.
    heard = (*EXPELLED[:3], committed(5_000, 1), *EXPELLED[3:])
    found = problems([history(*heard), history(*NEXT, name="two")], {0, 1})
    assert found == [
        "one read 0/1 again, which was committed up to 2",
        "one and two had partition 0 for 2902.0 ms",
    ]


def test_a_member_that_commits_was_not_expelled() -> None:
    commits = (*EXPELLED[:-2], committed(9_001, 2), revoked(9_002, 0))
    assert len(problems([history(*commits), history(*NEXT, name="two")], {0, 1})) == 2


def test_copies_are_there_once() -> None:
    assert copy_problems([2, 0, 1], {0, 1, 2}) == []
    assert copy_problems([0, 0], {0, 1, 2}) == [
        "2 records were not copied, first 1",
        "1 records were copied again",
    ]
