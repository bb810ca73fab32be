"""What the responses of all connections take while they are made is bounded, whatever small requests ask for.

Every api has to be known here: either its response can be of any length, and `large_answers` has a request for such a
one, or its response cannot be much longer than its request, which `test_turns` holds.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from functools import cache

import pytest

from kafkaproto.api import api_by_key
from kafkaproto.connection import IncomingRequest
from kafkaproto.headers import encode_request_header
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.table import APIS, TABLE
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.shell.net.connections import ConnectionInfo, Outcome
from kafkaproto_server.shell.serving.dispatch import Dispatcher
from kafkaproto_server.shell.serving.making_room import FREE_BYTES, Making, MakingRoom
from kafkaproto_server.shell.serving.slices import Slices
from tests.node.support.large_answers import COUNT, Asking, asking, knowing

BY_RECORDS = {1: "Fetch", 59: "FetchSnapshot", 78: "ShareFetch"}
"""Their responses are records, which the request's number of bytes bounds, and a key of the broker."""
BY_MEMBER = {11: "JoinGroup", 14: "SyncGroup", 68: "ConsumerGroupHeartbeat", 76: "ShareGroupHeartbeat"}
BY_MEMBER[88] = "StreamsGroupHeartbeat"
"""What members have told their leader, or what one member is assigned."""
BY_NODES = {18: "ApiVersions", 55: "DescribeQuorum", 60: "DescribeCluster", 10: "FindCoordinator"}
BY_NODES |= {17: "SaslHandshake", 36: "SaslAuthenticate"}
"""Nodes, keys, features or mechanisms."""
BY_PAGE = {75: "DescribeTopicPartitions", 32: "DescribeConfigs"}
"""At most so many partitions; the keys of each resource that is named."""
BY_STATE = {87: "ReadShareGroupStateSummary"}
"""A part of the states of partitions that are named."""
BY_ELEMENTS = frozenset(
    {0, 2, 8, 12, 13, *range(19, 29), 30, 31, 33, 34, *range(37, 41), 42, 43, 44, 45, 47, 49, *range(51, 55)}
    | {56, 57, 58, 62, 63, 64, 67, 70, 73, 79, *range(80, 84), 85, 86, 91, 92, 93, 94}
)
"""A result for each element of the request."""

SMALL_LIMIT_BYTES = 1024 * 1024
QUICK = {9, 61}
"""The apis for which many responses at once are looked at in every run."""


class CountingRoom(MakingRoom):
    """A room that remembers what one response has asked for."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(limit_bytes)
        self.grown_bytes = FREE_BYTES

    def grow(self, making: Making) -> bool:
        """See `MakingRoom.grow`."""
        before = making._left_bytes
        may = super().grow(making)
        self.grown_bytes += (making._left_bytes - before) if may else 0
        return may


@cache
def node() -> Services:
    return knowing()


@pytest.fixture(autouse=True, scope="module")
def forgotten() -> Iterator[None]:
    yield
    node.cache_clear()
    gc.collect()


class Asked:
    """A node of which connections ask the same."""

    def __init__(self, key: int, asked: Asking, limit_bytes: int) -> None:
        self.slices = Slices()
        self.room = CountingRoom(limit_bytes)
        self._dispatcher = Dispatcher(node(), slices=self.slices, making_room=self.room)
        self._key = key
        self._version = asked.version
        self._kind = ListenerKind.BROKER if APIS[key].broker is not None else ListenerKind.CONTROLLER
        if TABLE[self._kind][key].is_forwarded:
            self._kind = ListenerKind.CONTROLLER
        self._header = encode_request_header(
            api_key=key, api_version=asked.version, correlation_id=7, client_id="c"
        )
        self._frame = self._header + asked.request.encode(asked.version)
        self.answers = 0
        self.answer_bytes = 0

    @property
    def asked_bytes(self) -> int:
        """The size of the request."""
        return len(self._frame)

    def ask(self, number: int) -> None:
        """A connection asks, whose host is one of four."""
        request = IncomingRequest(
            api_key=self._key,
            api_version=self._version,
            correlation_id=7,
            client_id="c",
            frame=self._frame,
            body_offset=len(self._header),
        )
        connection = ConnectionInfo(
            connection_id=number,
            listener_name="PLAINTEXT" if self._kind is ListenerKind.BROKER else "CONTROLLER",
            listener_kind=self._kind,
            peer_host=f"10.0.0.{number % 4}",
            peer_port=4321,
            principal="User:alice",
        )
        self._dispatcher.serve(request, connection, self._take)

    def _take(self, outcome: Outcome) -> None:
        assert isinstance(outcome, list), outcome
        self.answers += 1
        # What is not read yet is counted elsewhere.
        self.answer_bytes = sum(map(len, outcome))

    def run(self) -> None:
        """Answer all."""
        while self.slices.waiting:
            self.slices.turn()


def peak_of(asked: Asked, connections: int) -> int:
    """The most memory that is taken at once."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(connections):
            asked.ask(number)
        asked.run()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert asked.answers == connections
    assert (asked.room.used_bytes, len(asked.room.waiting)) == (0, 0)
    return peak - before


def test_every_api_is_known() -> None:
    by_request = {*BY_RECORDS, *BY_MEMBER, *BY_NODES, *BY_PAGE, *BY_STATE, *BY_ELEMENTS}
    assert not by_request & asking().keys()
    assert by_request | asking().keys() == APIS.keys()


@pytest.mark.parametrize("key", asking(), ids=lambda key: api_by_key(key).name)  # type: ignore[union-attr]
def test_a_response_counts_as_much_as_it_takes(key: int) -> None:
    asked = Asked(key, asking()[key], 10**12)
    # What the first one leaves in caches is not counted.
    asked.ask(0)
    asked.run()
    asked.answers, asked.room.grown_bytes = 0, FREE_BYTES
    peak = peak_of(asked, 1)
    print(
        f"{asking()[key].request.NAME}: {asked.asked_bytes} bytes ask for {asked.answer_bytes},"
        f" which takes {peak} and counts as {asked.room.grown_bytes}"
    )
    assert asked.asked_bytes < 200
    assert asked.answer_bytes > 10 * COUNT, "it is a large one"
    assert peak <= asked.room.grown_bytes


@pytest.mark.parametrize(
    "key",
    [pytest.param(key, marks=() if key in QUICK else pytest.mark.slow) for key in asking()],
    ids=lambda key: api_by_key(key).name,  # type: ignore[union-attr]
)
def test_many_responses_take_little_more_than_one(key: int) -> None:
    one = Asked(key, asking()[key], SMALL_LIMIT_BYTES)
    one.ask(0)
    one.run()
    one.answers = 0
    peak_of_one = peak_of(one, 1)
    peak = peak_of(Asked(key, asking()[key], SMALL_LIMIT_BYTES), 8)
    assert peak <= peak_of_one + SMALL_LIMIT_BYTES + 8 * FREE_BYTES
