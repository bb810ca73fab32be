"""Responses in the making: what is counted, who waits, and who goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafkaproto_server.base.later import Steps
from kafkaproto_server.shell.serving.making_room import (
    BYTES_A_STEP,
    CHUNK_BYTES,
    FREE_BYTES,
    Making,
    MakingRoom,
)
from kafkaproto_server.shell.serving.slices import Slices

HOST, OTHER = "10.0.0.1", "10.0.0.2"


class Room:
    """A room for so many chunks, and who goes on."""

    def __init__(self, chunks: int) -> None:
        self.room = MakingRoom(chunks * CHUNK_BYTES)
        self.went_on: list[Making] = []

    def begin(self, host: str = HOST) -> Making:
        """A response that has used up what is free."""
        making = Making(self.room, host)
        assert making.spend(FREE_BYTES)
        return making

    def waits(self, making: Making, chunks: int = 1) -> Making:
        """A response waits for so many chunks."""
        assert not making.spend(chunks * CHUNK_BYTES)
        making.when_room(lambda: self.went_on.append(making))
        return making


def test_what_is_free_is_not_counted() -> None:
    room = Room(2)
    for _ in range(1_000):
        room.begin()
    assert room.room.used_bytes == 0


def test_a_response_that_is_alone_goes_on_whatever_its_size() -> None:
    room = Room(2)
    making = room.begin()
    assert all(making.spend(CHUNK_BYTES) for _ in range(1_000))
    # It is the one that needs no room, so that the others have all of it.
    assert room.room.used_bytes == 0


def test_all_of_them_take_no_more_than_the_room_and_one_response() -> None:
    room = Room(8)
    hosts = [f"10.0.0.{number}" for number in range(100)]
    makings = [room.begin(host) for host in hosts]
    taken = dict.fromkeys(makings, 0)
    running = list(makings)
    while running:
        for making in list(running):
            if making.spend(CHUNK_BYTES):
                taken[making] += 1
            else:
                running.remove(making)
            if taken[making] == 50:
                running.remove(making)
    assert max(taken.values()) == 50
    assert sum(taken.values()) - 50 <= 8


def test_one_host_has_half_of_the_room() -> None:
    room = Room(8)
    big = room.begin()
    assert all(big.spend(CHUNK_BYTES) for _ in range(20))
    second = room.begin()
    while second.spend(CHUNK_BYTES):
        pass
    assert room.room.used_bytes <= 4 * CHUNK_BYTES
    assert room.begin(OTHER).spend(CHUNK_BYTES)


def test_hosts_take_turns_to_go_on_without_room() -> None:
    room = Room(1)
    first = room.begin()
    assert first.spend(5 * CHUNK_BYTES)
    greedy = [room.waits(room.begin(), 5) for _ in range(3)]
    other = room.waits(room.begin(OTHER), 5)
    first.free()
    assert room.went_on == [greedy[0]]
    greedy[0].free()
    assert room.went_on == [greedy[0], other]
    other.free()
    greedy[1].free()
    assert room.went_on == [greedy[0], other, *greedy[1:]]
    assert (room.room.used_bytes, len(room.room.waiting)) == (0, 0)


def test_what_fits_goes_on_when_others_are_freed() -> None:
    room = Room(4)
    first = room.begin()
    assert first.spend(9 * CHUNK_BYTES)
    makings = [room.begin(host) for host in (HOST, OTHER)]
    # A chunk for the step, and one for the next steps.
    assert all(making.spend(CHUNK_BYTES) for making in makings)
    waiting = room.waits(room.begin("10.0.0.3"))
    assert room.went_on == []
    makings[0].free()
    assert room.went_on == [waiting]


def test_who_is_dropped_is_not_told() -> None:
    room = Room(1)
    first = room.begin()
    assert first.spend(5 * CHUNK_BYTES)
    waiting = room.waits(room.begin(), 5)
    assert waiting.drop()
    assert not waiting.drop()
    waiting.free()
    first.free()
    assert room.went_on == []


def steps(count: int, made: list[int], *, sizes: Callable[[int], int | None] = lambda _: None) -> Steps[int]:
    """Work that notes each step."""
    for number in range(count):
        yield sizes(number)
        made.append(number)
    return count


class Working:
    """Slices whose turns the test takes."""

    def __init__(self, chunks: int) -> None:
        self.room = MakingRoom(chunks * CHUNK_BYTES)
        self.now = self._times()
        self.slices = Slices(in_place_s=0, clock=lambda: next(self.now))
        self.done: list[Any] = []

    @staticmethod
    def _times() -> Iterator[float]:
        for number in range(10**9):
            yield number * 0.0001

    def start(self, work: Steps[Any], owner: str, host: str = HOST, **more: Any) -> Making:
        """Start work of an owner."""
        making = Making(self.room, host)

        def fail(error: Exception) -> None:
            raise error

        def done(result: Any) -> None:
            self.done.append((owner, result))
            making.free()

        self.slices.start(work, done, fail, owner, host=host, making=making, **more)
        return making

    def run(self) -> None:
        """Take turns until all wait or are complete."""
        while self.slices.waiting:
            self.slices.turn()


def test_work_waits_between_two_steps_and_goes_on_later() -> None:
    working = Working(1)
    a_step_makes_a_chunk: dict[str, Any] = {"sizes": lambda _: CHUNK_BYTES}
    made: dict[str, list[int]] = {name: [] for name in "abc"}
    most = 0

    def watched(name: str) -> Steps[int]:
        nonlocal most
        for each in steps(20, made[name], **a_step_makes_a_chunk):
            unfinished = [len(made[other]) for other in "abc" if len(made[other]) < 20]
            most = max(most, sum(unfinished))
            yield each
        return 20

    for name in "abc":
        working.start(watched(name), name)
    working.run()
    assert sorted(working.done) == [("a", 20), ("b", 20), ("c", 20)]
    # Four steps of each are free, and one takes all it needs.
    assert most <= 20 + 2 * 5


def test_work_of_unnamed_size_counts_by_its_steps() -> None:
    working = Working(1)
    some = (FREE_BYTES + 3 * CHUNK_BYTES) // BYTES_A_STEP
    made: list[int] = []
    first = Making(working.room, OTHER)
    assert first.spend(FREE_BYTES + 9 * CHUNK_BYTES)
    working.start(steps(some, made), "a")
    working.run()
    assert working.done == []
    assert len(made) == pytest.approx(FREE_BYTES // BYTES_A_STEP, abs=8)
    first.free()
    working.run()
    assert working.done == [("a", some)]


def test_waiting_work_is_dropped_with_its_owner() -> None:
    working = Working(1)
    first = Making(working.room, OTHER)
    assert first.spend(FREE_BYTES + 9 * CHUNK_BYTES)
    dropped: list[Any] = []
    made: list[int] = []
    working.start(steps(5, made, sizes=lambda _: 10 * CHUNK_BYTES), "a", dropped=dropped.append)
    working.run()
    assert (made, len(working.room.waiting)) == ([], 1)
    working.slices.drop("a")
    assert (len(dropped), len(working.room.waiting)) == (1, 0)
    first.free()
    working.run()
    assert (made, working.done) == ([], [])
