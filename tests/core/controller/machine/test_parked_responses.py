"""Parked answers leave once, in order, for one of three reasons."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.messages import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kafkaproto_server.core.controller.machine.parked_responses import ParkedResponse, ParkedResponses
from kafkaproto_server.core.controller.values.events import CommandContext, CommandReceived


def reply(command_id: int, committed_at: int, deadline_ms: int | None = None) -> ParkedResponse:
    command = CommandReceived(
        command_id=command_id,
        request=BrokerHeartbeatRequest(),
        version=0,
        context=CommandContext(deadline_ms=deadline_ms),
    )
    return ParkedResponse(command=command, response=BrokerHeartbeatResponse(), committed_at=committed_at)


def ids(replies: Iterable[ParkedResponse]) -> list[int]:
    return [each.command.command_id for each in replies]


def test_responses_leave_when_the_high_watermark_reaches_them() -> None:
    parked = ParkedResponses()
    for command_id, committed_at in ((1, 5), (2, 5), (3, 7)):
        parked.park(reply(command_id, committed_at))
    assert ids(parked.take_committed(4)) == []
    assert ids(parked.take_committed(5)) == [1, 2]
    assert ids(parked.take_committed(6)) == []
    assert ids(parked.take_committed(9)) == [3]
    assert len(parked) == 0


def test_responses_leave_when_their_time_is_up_the_earliest_first() -> None:
    parked = ParkedResponses()
    for command_id, deadline_ms in ((1, 300), (2, None), (3, 100), (4, 200)):
        parked.park(reply(command_id, 5, deadline_ms))
    assert parked.next_deadline_ms() == 100
    assert ids(parked.take_expired(99)) == []
    assert ids(parked.take_expired(200)) == [3, 4]
    assert parked.next_deadline_ms() == 300
    # Those that are gone do not hold up the others, nor come again.
    assert ids(parked.take_committed(5)) == [1, 2]
    assert parked.next_deadline_ms() is None
    assert ids(parked.take_expired(1000)) == []


def test_all_responses_leave_at_once() -> None:
    parked = ParkedResponses()
    for command_id in (1, 2, 3):
        parked.park(reply(command_id, 5, 100 * command_id))
    assert ids(parked.take_expired(100)) == [1]
    assert ids(parked.take_all()) == [2, 3]
    assert len(parked) == 0
    assert parked.next_deadline_ms() is None


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("park"), st.integers(0, 3), st.one_of(st.none(), st.integers(0, 50))),
            st.tuples(st.just("commit"), st.integers(0, 3), st.none()),
            st.tuples(st.just("expire"), st.integers(0, 50), st.none()),
            st.tuples(st.just("all"), st.just(0), st.none()),
        ),
        max_size=60,
    )
)
def test_the_queues_do_what_a_plain_list_does(steps: list[tuple[str, int, int | None]]) -> None:
    parked, model = ParkedResponses(), list[ParkedResponse]()
    committed_at = 0
    for command_id, (what, number, deadline_ms) in enumerate(steps):
        match what:
            case "park":
                committed_at += number
                model.append(reply(command_id, committed_at, deadline_ms))
                parked.park(model[-1])
            case "commit":
                found = [each for each in model if each.committed_at <= number * 5]
                assert list(parked.take_committed(number * 5)) == found
                model = [each for each in model if each not in found]
            case "expire":
                found = [each for each in model if _deadline(each) <= number]
                assert list(parked.take_expired(number)) == sorted(found, key=_deadline)
                model = [each for each in model if each not in found]
            case _:
                assert list(parked.take_all()) == model
                model = []
        assert len(parked) == len(model)
        assert parked.next_deadline_ms() == min(
            (
                each.command.context.deadline_ms
                for each in model
                if each.command.context.deadline_ms is not None
            ),
            default=None,
        )


def _deadline(parked: ParkedResponse) -> float:
    deadline_ms = parked.command.context.deadline_ms
    return float("inf") if deadline_ms is None else deadline_ms
