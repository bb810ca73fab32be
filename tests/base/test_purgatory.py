"""Operations that wait: each is taken once, in order or when its time is over, and leaves nothing behind."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.base.purgatory import SLACK, Purgatory


def waiting(*deadlines: int | None) -> Purgatory[int]:
    """Operations 0, 1, ..., with these deadlines."""
    purgatory: Purgatory[int] = Purgatory()
    for number, deadline_ms in enumerate(deadlines):
        purgatory.add(number, deadline_ms)
    return purgatory


def test_operations_leave_in_order_up_to_the_first_that_waits_on() -> None:
    purgatory = waiting(None, 10, None, None)
    assert list(purgatory.take_while(lambda number: number != 2)) == [0, 1]
    assert list(purgatory.take_while(lambda number: number != 2)) == []
    assert list(purgatory) == [2, 3]


def test_the_earliest_deadline_is_over_first() -> None:
    purgatory = waiting(300, None, 100, 200)
    assert purgatory.next_deadline_ms() == 100
    assert list(purgatory.take_expired(99)) == []
    assert list(purgatory.take_expired(200)) == [2, 3]
    assert purgatory.next_deadline_ms() == 300
    assert list(purgatory) == [0, 1]


def test_one_that_is_put_first_is_the_next_and_keeps_its_deadline() -> None:
    purgatory = waiting(50, 60)
    purgatory.add_first(9, 40)
    assert purgatory.next_deadline_ms() == 40
    assert purgatory.first == 9
    assert [purgatory.take_first() for _ in range(3)] == [9, 0, 1]
    assert purgatory.first is None
    assert purgatory.next_deadline_ms() is None


def test_operations_that_leave_early_do_not_leave_their_deadlines_behind() -> None:
    purgatory = waiting(60_000)
    for number in range(10_000):
        purgatory.add(number, 2**31)
        assert purgatory.take_where(lambda operation, number=number: operation == number)[-1:] == [number]  # type: ignore[misc]
        assert len(purgatory._by_deadline) <= 2 * (len(purgatory) + 1) + SLACK


DEADLINES = st.one_of(st.none(), st.integers(0, 50))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), DEADLINES),
        st.tuples(st.just("add first"), DEADLINES),
        st.tuples(st.just("expire"), st.integers(0, 50)),
        st.tuples(st.just("while"), st.integers(0, 20)),
        st.tuples(st.just("where"), st.integers(2, 4)),
        st.tuples(st.just("all"), st.none()),
    )
)


@given(STEPS)
def test_it_is_a_list_that_is_looked_through(steps: list[tuple[str, int | None]]) -> None:
    purgatory: Purgatory[int] = Purgatory()
    model: list[tuple[int, int | None]] = []
    for number, (step, value) in enumerate(steps):
        taken: list[int] = []
        gone: list[int] = []
        match step, value:
            case "add", _:
                purgatory.add(number, value)
                model.append((number, value))
            case "add first", _:
                purgatory.add_first(number, value)
                model.insert(0, (number, value))
            case "expire", int():
                taken = list(purgatory.take_expired(value))
                over = [
                    (deadline, each) for each, deadline in model if deadline is not None and deadline <= value
                ]
                gone = [each for _, each in sorted(over)]
            case "while", int():
                taken = list(purgatory.take_while(lambda each, value=value: each % 21 < value))  # type: ignore[misc]
                for each, _ in model:
                    if each % 21 >= value:
                        break
                    gone.append(each)
            case "where", int():
                taken = purgatory.take_where(lambda each, value=value: each % value == 0)  # type: ignore[misc]
                gone = [each for each, _ in model if each % value == 0]
            case _:
                taken = purgatory.take_all()
                gone = [each for each, _ in model]
        assert taken == gone
        model = [(each, deadline) for each, deadline in model if each not in gone]
        assert list(purgatory) == [each for each, _ in model]
        deadlines = [deadline for _, deadline in model if deadline is not None]
        assert purgatory.next_deadline_ms() == min(deadlines, default=None)
