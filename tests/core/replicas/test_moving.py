"""The steps of a move to another log directory: the table, and random histories against a log that is copied whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.core.replicas.moving import MAX_WAIT_MS, Act, Extent, Move, Pace, Step


def move(copy: Extent, *, cut_to: int | None = None, is_prepared: bool = False) -> Move:
    made = Move()
    made.copy = copy
    made.is_prepared = is_prepared
    if cut_to is not None:
        made.source_was_cut(cut_to)
    return made


@pytest.mark.parametrize(
    ("copy", "source", "state", "expected"),
    [
        # Copying.
        ((0, 0), (0, 9), {}, Step(Act.COPY, 0)),
        ((0, 5), (0, 9), {}, Step(Act.COPY, 5)),
        ((0, 5), (0, 9), {"is_prepared": True}, Step(Act.COPY, 5)),
        ((0, 5), (0, 9), {"is_being_cut": True}, Step(Act.WAIT)),
        # The replica does not start at 0, or not any more.
        ((0, 0), (4, 9), {}, Step(Act.BEGIN, 4)),
        ((0, 3), (4, 9), {}, Step(Act.BEGIN, 4)),
        ((0, 6), (4, 9), {}, Step(Act.MOVE_START, 4)),
        # It was cut.
        ((0, 6), (0, 4), {"cut_to": 4}, Step(Act.CUT, 4)),
        ((0, 6), (0, 9), {"cut_to": 4}, Step(Act.CUT, 4)),
        ((0, 6), (0, 9), {"cut_to": 6}, Step(Act.COPY, 6)),
        ((0, 6), (0, 9), {"cut_to": 0}, Step(Act.BEGIN, 0)),
        ((3, 6), (20, 20), {"cut_to": 20}, Step(Act.BEGIN, 20)),
        ((0, 6), (0, 4), {"cut_to": 4, "is_being_cut": True}, Step(Act.CUT, 4)),
        # All is there.
        ((0, 9), (0, 9), {}, Step(Act.PREPARE)),
        ((0, 9), (0, 9), {"is_recorded": True}, Step(Act.PREPARE)),
        ((0, 9), (0, 9), {"is_prepared": True}, Step(Act.WAIT)),
        ((0, 9), (0, 9), {"is_prepared": True, "is_recorded": True}, Step(Act.SWITCH)),
        ((0, 8), (0, 9), {"is_prepared": True, "is_recorded": True}, Step(Act.COPY, 8)),
        ((0, 9), (0, 9), {"is_prepared": True, "is_recorded": True, "is_being_cut": True}, Step(Act.WAIT)),
    ],
)
def test_the_next_step(
    copy: tuple[int, int], source: tuple[int, int], state: dict[str, int], expected: Step
) -> None:
    of_move = {key: value for key, value in state.items() if key in ("cut_to", "is_prepared")}
    more = {key: bool(state.get(key)) for key in ("is_being_cut", "is_recorded")}
    assert move(Extent(*copy), **of_move).next_step(Extent(*source), **more) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("act", [Act.CUT, Act.BEGIN])
def test_a_copy_that_was_cut_is_prepared_again(act: Act) -> None:
    moving = move(Extent(0, 9), is_prepared=True, cut_to=4)
    moving.begins(act)
    moving.copy = Extent(0, 4)
    assert moving.next_step(Extent(0, 4), is_being_cut=False, is_recorded=True) == Step(Act.PREPARE)


@pytest.mark.parametrize("act", [Act.COPY, Act.CUT, Act.BEGIN, Act.MOVE_START])
def test_a_cut_during_a_step_counts_after_it(act: Act) -> None:
    moving = move(Extent(0, 9), cut_to=7)
    moving.begins(act)
    moving.source_was_cut(4)
    moving.copy = Extent(0, 12)
    assert moving.next_step(Extent(0, 6), is_being_cut=False, is_recorded=True) == Step(Act.CUT, 4)


def test_a_cut_that_the_copy_has_followed_is_forgotten() -> None:
    """Otherwise what follows is cut off again and again."""
    moving = move(Extent(0, 5), cut_to=5)
    assert moving.next_step(Extent(0, 9), is_being_cut=False, is_recorded=False) == Step(Act.COPY, 5)
    moving.copy = Extent(0, 9)
    assert moving.next_step(Extent(0, 9), is_being_cut=False, is_recorded=False) == Step(Act.PREPARE)


def test_a_copy_that_begins_anew_has_followed_all_cuts() -> None:
    moving = move(Extent(2, 5), cut_to=2)
    assert moving.next_step(Extent(2, 4), is_being_cut=False, is_recorded=False) == Step(Act.BEGIN, 2)
    moving.begins(Act.BEGIN)
    moving.copy = Extent(2, 4)
    assert moving.next_step(Extent(2, 4), is_being_cut=False, is_recorded=False) == Step(Act.PREPARE)


def test_the_lowest_of_several_cuts_counts() -> None:
    moving = move(Extent(0, 9), cut_to=4)
    moving.source_was_cut(6)
    assert moving.next_step(Extent(0, 6), is_being_cut=False, is_recorded=False) == Step(Act.CUT, 4)


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 4)),
        st.tuples(st.just("cut"), st.integers(0, 20)),
        st.tuples(st.just("start"), st.integers(0, 20)),
        st.tuples(st.just("begin again"), st.integers(1, 5)),
        st.tuples(st.just("step"), st.integers(1, 3)),
    ),
    max_size=40,
)


@given(CHANGES)
def test_a_copy_that_may_switch_equals_the_replica(changes: list[tuple[str, int]]) -> None:
    """Each append writes records that nobody wrote before: what the copy has of a former history would show."""
    source: dict[int, int] = {}
    copy: dict[int, int] = {}
    start = end = written = 0
    moving = Move()

    def step(count: int) -> Act:
        nonlocal copy
        act, offset = moving.next_step(Extent(start, end), is_being_cut=False, is_recorded=True)
        moving.begins(act)
        if act is Act.BEGIN:
            copy = {each: source[each] for each in range(offset, min(end, offset + count))}
            moving.copy = Extent(offset, offset + len(copy))
        elif act is Act.COPY:
            new = {each: source[each] for each in range(offset, min(end, offset + count))}
            copy |= new
            moving.copy = Extent(moving.copy.start, offset + len(new))
        elif act is Act.CUT:
            copy = {each: value for each, value in copy.items() if each < offset}
            moving.copy = Extent(moving.copy.start, offset)
        elif act is Act.MOVE_START:
            copy = {each: value for each, value in copy.items() if each >= offset}
            moving.copy = Extent(offset, moving.copy.end)
        elif act is Act.PREPARE:
            moving.is_prepared = True
        else:
            assert act is Act.SWITCH
            assert (copy, moving.copy) == (source, Extent(start, end))
        return act

    for change, number in changes:
        if change == "append":
            for _ in range(number):
                written += 1
                source[end], end = written, end + 1
        elif change == "cut" and start <= number < end:
            end = number
            source = {each: value for each, value in source.items() if each < end}
            moving.source_was_cut(end)
        elif change == "start" and start < number <= end:
            start = number
            source = {each: value for each, value in source.items() if each >= start}
        elif change == "begin again":
            start = end = end + number
            source = {}
            moving.source_was_cut(end)
        elif change == "step":
            step(number)
    for _ in range(200):
        if step(3) is Act.SWITCH:
            return
    raise AssertionError("the move does not come to an end")


def test_without_a_limit_nothing_waits() -> None:
    pace = Pace()
    pace.moved(1 << 30)
    assert pace.wait_ms(None, 5) == 0
    assert pace.wait_ms(1000, 5) == 0


def test_bytes_are_moved_at_the_rate() -> None:
    pace = Pace()
    assert pace.wait_ms(1000, 5000) == 0
    pace.moved(500)
    assert pace.wait_ms(1000, 5000) == 500
    assert pace.wait_ms(1000, 5200) == 300
    assert pace.wait_ms(1000, 5500) == 0
    # Time in which nothing was moved is not made up for.
    assert pace.wait_ms(1000, 60_000) == 0
    pace.moved(10_000)
    assert pace.wait_ms(1000, 60_000) == MAX_WAIT_MS
    # The rate may change meanwhile.
    assert pace.wait_ms(1_000_000, 60_010) == 0


def test_the_rate_is_kept_to_the_millisecond() -> None:
    pace = Pace()
    assert pace.wait_ms(2000, 5000) == 0
    pace.moved(1999)
    assert pace.wait_ms(2000, 5000) == 999
    assert pace.wait_ms(2000, 6000) == 0
    pace.moved(2000)
    assert pace.wait_ms(2000, 7000) == 0


def test_a_rate_of_zero_moves_nothing() -> None:
    assert Pace().wait_ms(0, 5) == MAX_WAIT_MS
