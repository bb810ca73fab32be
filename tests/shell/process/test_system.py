"""The real clocks and the real randomness, as far as they can be held to anything."""

from __future__ import annotations

import uuid

from kafkaproto_server.shell.process.system import SystemClock, SystemRng


def test_monotonic_time_never_goes_back_and_wall_time_is_of_this_century() -> None:
    clock = SystemClock()
    times = [clock.now_ms() for _ in range(1_000)]
    assert times == sorted(times)
    assert 1_700_000_000_000 < clock.wall_ms() < 4_100_000_000_000


def test_numbers_stay_below_their_limit_and_reach_all_of_it() -> None:
    rng = SystemRng()
    assert {rng.below(3) for _ in range(1_000)} == {0, 1, 2}
    assert rng.below(1) == 0


def test_ids_are_random_uuids() -> None:
    rng = SystemRng()
    ids = {rng.uuid() for _ in range(100)}
    assert len(ids) == 100
    assert all(uuid.UUID(bytes=each).version == 4 for each in ids)
