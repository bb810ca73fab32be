"""What is remembered of ids that were handed out is bounded, whoever asks for how many."""

from __future__ import annotations

import tracemalloc

from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup
from kafkaproto_server.core.coordinators.groups.classic.pending_members import (
    ID_BYTES,
    LATE_MS,
    MAX_BYTES,
    PendingMembers,
    id_key,
)
from tests.core.coordinators.support.world import World


class Pending:
    """The ids of some groups, and for which a group was told that it need not wait."""

    def __init__(self, max_ids: int) -> None:
        self.world = World()
        self.gone: list[str] = []
        self.pending = PendingMembers(
            self.world, lambda group: self.gone.append(group.group_id), max_ids * (ID_BYTES + 4)
        )
        self.groups = [ClassicGroup(group_id=name) for name in "abcdef"]


def test_beyond_the_limit_the_oldest_ids_are_forgotten() -> None:
    told = Pending(3)
    for number, group in enumerate(told.groups):
        told.pending.hand_out(group, f"m{number}", 1_000 + number)
    assert told.gone == ["a", "b", "c"]
    assert [len(group.pending_ids) for group in told.groups] == [0, 0, 0, 1, 1, 1]
    told.world.advance(10_000)
    assert told.gone == list("abcdef")
    assert told.pending._used_bytes == len(told.pending._groups) == len(told.pending._ends) == 0


def test_one_id_always_has_room() -> None:
    told = Pending(0)
    told.pending.hand_out(told.groups[0], "m", 1_000)
    assert told.groups[0].pending_ids == {id_key("m")}


def test_an_id_that_was_used_is_nobodys_end() -> None:
    told = Pending(3)
    told.pending.hand_out(told.groups[0], "m", 1_000)
    told.groups[0].pending_ids.discard(id_key("m"))
    told.world.advance(1_000)
    assert told.gone == []


def test_ids_expire_in_time() -> None:
    told = Pending(100)
    for number, (group, timeout_ms) in enumerate(zip(told.groups, (5_000, 9_000, 1_000), strict=False)):
        told.pending.hand_out(group, f"m{number}", timeout_ms)
    seen = []
    for _ in range(10):
        told.world.advance(1_000)
        seen.append("".join(told.gone))
    assert seen == ["c", "c", "c", "c", "ca", "ca", "ca", "ca", "cab", "cab"]


def test_shorter_and_shorter_timeouts_need_few_timers() -> None:
    told = Pending(10)
    for number in range(5_000):
        told.pending.hand_out(told.groups[number % 6], f"m{number}", 100_000 - number)
    assert len(told.world.due()) <= 5_000 // LATE_MS + 1
    assert len(told.pending._ends) <= 2 * 10 + 16 + 1


def test_twenty_thousand_requests_with_long_names_take_little() -> None:
    world = World()
    pending = PendingMembers(world, lambda group: None)
    tracemalloc.start()
    try:
        for number in range(20_000):
            group = ClassicGroup(group_id=f"{number}" * 50)
            pending.hand_out(group, "c" * 10_000 + str(number), 1_800_000)
            del group
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * MAX_BYTES
