"""Large requests are decoded as far as there is room for what they may hold."""

from __future__ import annotations

import sys

import pytest

from kafkaproto_server.apis.bounds import BYTES_AN_ELEMENT
from kafkaproto_server.apis.table import APIS, possible_elements
from kafkaproto_server.shell.serving.decoding_room import MAX_DECODED_BYTES, DecodingRoom


class Harness:
    """A room for 100 elements, and who was let in."""

    def __init__(self) -> None:
        self.room = DecodingRoom(100)
        self.begun: list[str] = []

    def enter(self, name: str, elements: int, host: str = "") -> None:
        self.room.enter(elements, lambda: self.begun.append(name), name, host)


def test_requests_of_a_host_are_let_in_as_they_came_as_far_as_there_is_room() -> None:
    harness = Harness()
    harness.enter("a", 30)
    harness.enter("b", 30)
    harness.enter("c", 10)
    assert (harness.begun, harness.room.used_elements, harness.room.waiting) == (["a"], 30, 2)
    harness.room.leave(30, "")
    assert (harness.begun, harness.room.used_elements, harness.room.waiting) == (["a", "b", "c"], 40, 0)


def test_a_request_that_does_not_fit_keeps_no_other_host_waiting() -> None:
    harness = Harness()
    harness.enter("a", 60, "192.0.2.1")
    harness.enter("b", 60, "192.0.2.2")
    harness.enter("c", 30, "192.0.2.3")
    assert harness.begun == ["a", "c"]


def test_a_large_request_is_passed_over_only_for_a_time() -> None:
    harness = Harness()
    harness.enter("a", 60, "192.0.2.1")
    harness.enter("large", 60, "192.0.2.2")
    for number in range(10):
        harness.enter(f"small{number}", 20, f"192.0.2.{number + 3}")
    for number in range(10):
        if f"small{number}" in harness.begun:
            harness.room.leave(20, f"192.0.2.{number + 3}")
    assert harness.begun[-1] == "small4"
    harness.room.leave(60, "192.0.2.1")
    assert harness.begun[-3:] == ["large", "small5", "small6"]


def test_a_host_takes_half_of_the_room_or_one_request() -> None:
    harness = Harness()
    for number in range(5):
        harness.enter(f"many{number}", 20, "192.0.2.1")
    assert harness.begun == ["many0", "many1"]
    harness.enter("one", 60, "192.0.2.2")
    assert harness.begun[-1] == "one"
    harness.room.leave(60, "192.0.2.2")
    harness.room.leave(20, "192.0.2.1")
    assert harness.begun[-1] == "many2"


def test_requests_that_wait_have_a_room_of_their_own() -> None:
    harness = Harness()
    harness.enter("a", 60)
    harness.enter("b", 60)
    assert harness.room.wait(60, "")
    assert harness.begun == ["a", "b"]
    assert (harness.room.used_elements, harness.room.waiting_elements) == (60, 60)
    # The second room is full, too.
    assert not harness.room.wait(60, "")
    harness.room.end_wait(60)
    assert harness.room.wait(60, "")
    assert (harness.room.used_elements, harness.room.waiting_elements) == (0, 60)


def test_the_hosts_of_requests_take_turns() -> None:
    harness = Harness()
    for number in range(5):
        harness.enter(f"many{number}", 100, "192.0.2.1")
    harness.enter("one", 100, "192.0.2.2")
    harness.room.leave(100, "192.0.2.1")
    harness.room.leave(100, "192.0.2.1")
    assert "one" in harness.begun


def test_a_request_for_which_the_room_is_too_small_is_let_in_alone() -> None:
    harness = Harness()
    harness.enter("small", 1)
    harness.enter("largest", 1000)
    assert harness.begun == ["small"]
    harness.room.leave(1, "")
    assert harness.begun == ["small", "largest"]


def test_a_request_whose_connection_ends_waits_no_more() -> None:
    harness = Harness()
    harness.enter("a", 30)
    harness.enter("gone", 30)
    harness.enter("c", 10)
    harness.room.drop("gone")
    harness.room.drop("unknown")
    assert (harness.begun, harness.room.waiting) == (["a", "c"], 0)


def test_requests_that_are_over_when_they_are_begun_do_not_nest() -> None:
    room = DecodingRoom(1)
    room.enter(1, lambda: None, "first", "")
    depths: list[int] = []

    def begin() -> None:
        frame, depth = sys._getframe(), 0
        while frame.f_back is not None:
            frame, depth = frame.f_back, depth + 1
        depths.append(depth)
        room.leave(1, "")

    for number in range(10):
        room.enter(1, begin, number, "")
    room.leave(1, "")
    assert len(depths) == 10
    assert len({*depths}) == 1
    assert room.used_elements == 0


@pytest.mark.parametrize("key", sorted(APIS))
def test_the_largest_request_of_each_api_fits(key: int) -> None:
    assert possible_elements(key, APIS[key].bounds.max_bytes) * BYTES_AN_ELEMENT <= MAX_DECODED_BYTES


def test_a_request_holds_no_more_elements_than_bytes_and_an_envelope_what_is_inside() -> None:
    assert possible_elements(3, 500) == 500
    assert possible_elements(3, 10**7) == APIS[3].bounds.max_elements
    assert possible_elements(58, 10**7) == APIS[45].bounds.max_elements
