"""What several tests of storage share: generators, a scripted clock, and batches to append and look at."""

from __future__ import annotations

import random
from collections.abc import Iterable

from kafkaproto.records.batch import NewRecord, build_batch, iterate_batches
from kafkaproto_server.shell.storage.log.log import Log


class SeededRng:
    """``ports.Rng`` that a seed repeats."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)

    def uuid(self) -> bytes:
        return self._random.randbytes(16)


class FixedRng:
    """A generator that always draws the same share of its range: 0 keeps nothing at a crash, 1 keeps all."""

    def __init__(self, share: float) -> None:
        self._share = share

    def below(self, limit: int) -> int:
        return round((limit - 1) * self._share)

    def uuid(self) -> bytes:
        return bytes(range(16))


class ScriptedClock:
    """``ports.Clock`` whose wall time follows a list; monotonic time is of no use in storage."""

    def __init__(self, wall_times_ms: Iterable[int]) -> None:
        self._wall_times_ms = iter(wall_times_ms)

    def now_ms(self) -> int:
        raise AssertionError("storage has no timeouts")

    def wall_ms(self) -> int:
        return next(self._wall_times_ms)


def batch(
    base_offset: int,
    *,
    count: int = 1,
    epoch: int = 1,
    timestamp_ms: int = 1_000,
    value_bytes: int = 10,
    fill: int = 0x55,
) -> bytes:
    """A batch of ``count`` data records, as a leader of ``epoch`` would append it."""
    records = [NewRecord(None, bytes([fill]) * value_bytes) for _ in range(count)]
    return build_batch(
        records, base_offset=base_offset, partition_leader_epoch=epoch, timestamp_ms=timestamp_ms
    )


def batches_of(data: bytes) -> list[tuple[int, int]]:
    """(base offset, leader epoch) of each batch in bytes that hold nothing but whole batches."""
    views = list(iterate_batches(data))
    assert sum(view.size_in_bytes for view in views) == len(data)
    for view in views:
        view.check()
    return [(view.base_offset, view.partition_leader_epoch) for view in views]


def read_all(log: Log) -> bytes:
    """Everything that a log holds."""
    parts = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        part = log.read(offset, 1 << 20)
        offset = list(iterate_batches(part))[-1].next_offset
        parts.append(part)
    return b"".join(parts)
