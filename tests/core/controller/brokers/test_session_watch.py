"""The watch over the brokers' sessions: whose silence it returns, and which contacts count for which session."""

from __future__ import annotations

import pytest
from immutables import Map

from kafkaproto_server.core.controller.brokers.session_watch import SessionWatch
from kafkaproto_server.core.controller.values.sessions import BrokerSession, SessionChange

TIMEOUT_MS = 100


def session(last_contact_ms: int, *, epoch: int = 1) -> BrokerSession:
    return BrokerSession(broker_epoch=epoch, last_contact_ms=last_contact_ms)


def watch_of(sessions: dict[int, BrokerSession]) -> SessionWatch:
    watch = SessionWatch(TIMEOUT_MS)
    watch.replace(Map(sessions))
    return watch


def test_a_silent_broker_is_returned_once_while_its_fencing_lasts() -> None:
    watch = watch_of({1: session(0), 2: session(30)})
    assert watch.take_silent(100) == [1]
    # Broker 1 is still being fenced when the session of broker 2 ends.
    assert watch.take_silent(130) == [2]
    watch.fencing_ended(1)
    assert watch.take_silent(130) == [1]


def test_a_heartbeat_of_the_previous_incarnation_that_waited_does_not_count_for_the_new_one() -> None:
    watch = watch_of({1: session(10, epoch=2)})
    watch.heard_meanwhile(1, session(50, epoch=1))
    assert watch.sessions == Map({1: session(10, epoch=2)})


def test_a_contact_of_the_previous_incarnation_does_not_count_for_a_session_that_begins() -> None:
    change = SessionChange(broker_id=1, session=session(10, epoch=2))
    assert change.applied(Map({1: session(50, epoch=1)}), 0) == Map({1: session(10, epoch=2)})


@pytest.mark.parametrize("later_ms", [10, 50])
def test_a_heartbeat_that_waited_never_makes_the_last_contact_an_earlier_one(later_ms: int) -> None:
    watch = watch_of({1: session(later_ms)})
    watch.heard_meanwhile(1, session(60 - later_ms))
    assert watch.sessions == Map({1: session(50)})
