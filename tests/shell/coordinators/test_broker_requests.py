"""Requests to other brokers: one at a time to each, with what has come meanwhile, and none twice."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
import trio
import trio.testing

from kafkaproto.message import Message
from kafkaproto.messages import EndTxnResponse, WriteTxnMarkersRequest
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.shell.coordinators import broker_requests
from kafkaproto_server.shell.coordinators.broker_requests import MAX_ELEMENTS, MAX_QUEUED, BrokerRequests
from kafkaproto_server.shell.net.peers import PeerTimeout
from tests.node.support.other_brokers import other_brokers

pytestmark = pytest.mark.trio

BROKER, GONE = 2, 3
RESPONSE = EndTxnResponse()


class Part(msgspec.Struct, frozen=True):
    """A part of a request."""

    key: str
    elements: int = 1
    lane: str = ""


class Peer:
    """In place of connections: what was sent, and the responses that a test gives."""

    all: dict[int, Peer]

    def __init__(self, host: str, port: int, **settings: Any) -> None:
        self.host, self.port = host, port
        self.is_closed = False
        Peer.all[port] = self

    async def send(self, request: Message, *, timeout_ms: int) -> Message:
        with trio.move_on_after(timeout_ms / 1000):
            Requests.sent.append((self.port, request))
            await Requests.answers.acquire()
            return RESPONSE
        raise PeerTimeout(self.host, self.port, "is silent", was_connected=True)

    def close(self) -> None:
        self.is_closed = True


class Requests:
    """The queues under test."""

    sent: list[tuple[int, Message]]
    answers: trio.Semaphore

    def __init__(self) -> None:
        Requests.sent, Requests.answers = [], trio.Semaphore(0)
        Peer.all = {}
        self.port = 9092
        self.made: list[list[str]] = []
        self.results: list[tuple[list[str], Message | None]] = []
        self.requests: BrokerRequests[Part] = BrokerRequests(
            other_brokers(1, endpoint=self.endpoint),
            "test",
            request=self.make,
            responded=self.responded,
            lane=lambda part: part.lane,
        )

    def endpoint(self, broker_id: int) -> Endpoint | None:
        return None if broker_id == GONE else Endpoint(name="PLAINTEXT", host="h", port=self.port)

    def make(self, parts: Sequence[Part]) -> Message:
        self.made.append([each.key for each in parts])
        return WriteTxnMarkersRequest()

    def responded(self, parts: Sequence[Part], response: Message | None) -> None:
        self.results.append(([each.key for each in parts], response))

    async def send(self, *parts: Part, broker_id: int = BROKER) -> None:
        for each in parts:
            self.requests.send(broker_id, each)
        await trio.testing.wait_all_tasks_blocked()

    async def answer(self) -> None:
        Requests.answers.release()
        await trio.testing.wait_all_tasks_blocked()


@pytest.fixture
def queues(monkeypatch: pytest.MonkeyPatch) -> Requests:
    monkeypatch.setattr(broker_requests, "PeerChannel", Peer)
    return Requests()


async def test_what_comes_while_a_request_is_under_way_goes_into_the_next_one(
    queues: Requests, nursery: trio.Nursery
) -> None:
    await nursery.start(queues.requests.run)
    await queues.send(Part("a"))
    await queues.send(Part("b"), Part("c"))
    assert queues.made == [["a"]]
    await queues.answer()
    assert queues.results == [(["a"], RESPONSE)]
    assert queues.made == [["a"], ["b", "c"]]


async def test_a_request_has_each_key_once(queues: Requests, nursery: trio.Nursery) -> None:
    await nursery.start(queues.requests.run)
    await queues.send(Part("first"))
    await queues.send(Part("a"), Part("b"), Part("a"), Part("c"))
    await queues.answer()
    await queues.answer()
    assert queues.made == [["first"], ["a", "b", "c"], ["a"]]


async def test_a_request_has_its_size(queues: Requests, nursery: trio.Nursery) -> None:
    await nursery.start(queues.requests.run)
    await queues.send(Part("first"))
    await queues.send(Part("a", MAX_ELEMENTS - 1), Part("b", MAX_ELEMENTS), Part("c"))
    await queues.answer()
    assert queues.made[1:] == [["a", "b"]]


async def test_a_request_is_of_one_lane_and_lanes_take_turns(queues: Requests, nursery: trio.Nursery) -> None:
    await nursery.start(queues.requests.run)
    await queues.send(Part("first"))
    await queues.send(Part("a", MAX_ELEMENTS, "x"), Part("b", 1, "y"), Part("c", 1, "x"), Part("d", 1, "y"))
    for _ in range(3):
        await queues.answer()
    assert queues.made == [["first"], ["a"], ["b", "d"], ["c"]]


async def test_each_broker_has_its_own_queue(queues: Requests, nursery: trio.Nursery) -> None:
    await nursery.start(queues.requests.run)
    await queues.send(Part("a"))
    await queues.send(Part("b"), broker_id=7)
    assert queues.made == [["a"], ["b"]]


async def test_who_does_not_respond_in_time_has_not_responded(
    queues: Requests, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    await nursery.start(queues.requests.run)
    await queues.send(Part("a"))
    await trio.sleep(2)
    assert queues.results == [(["a"], None)]
    # And what follows is sent all the same.
    await queues.send(Part("b"))
    await queues.answer()
    assert queues.results[1:] == [(["b"], RESPONSE)]


async def test_the_log_tells_once_of_a_broker_that_does_not_respond_until_it_responds(
    queues: Requests,
    nursery: trio.Nursery,
    autojump_clock: trio.testing.MockClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await nursery.start(queues.requests.run)
    with caplog.at_level(logging.INFO):
        for key in ("a", "b"):
            await queues.send(Part(key))
            await trio.sleep(2)
        assert len(caplog.messages) == 1
        await queues.send(Part("c"))
        await queues.answer()
        await queues.send(Part("d"))
        await trio.sleep(2)
    assert [each.split(":")[0] for each in caplog.messages] == [f"broker {BROKER}"] * 2


async def test_nothing_is_sent_to_a_broker_that_is_not_there(queues: Requests, nursery: trio.Nursery) -> None:
    await nursery.start(queues.requests.run)
    await queues.send(Part("a"), broker_id=GONE)
    assert (queues.results, Requests.sent) == ([(["a"], None)], [])


async def test_a_broker_that_has_moved_is_asked_where_it_is(queues: Requests, nursery: trio.Nursery) -> None:
    await nursery.start(queues.requests.run)
    await queues.send(Part("a"))
    await queues.answer()
    queues.port = 9093
    await queues.send(Part("b"))
    assert [port for port, _ in Requests.sent] == [9092, 9093]
    assert Peer.all[9092].is_closed


async def test_too_much_for_one_broker_is_refused_at_once(
    queues: Requests, nursery: trio.Nursery, mock_clock: trio.testing.MockClock
) -> None:
    await nursery.start(queues.requests.run)
    await queues.send(Part("first"))
    await queues.send(*(Part(str(number)) for number in range(MAX_QUEUED)))
    assert queues.results == []
    await queues.send(Part("last"))
    assert queues.results == [(["last"], None)]
