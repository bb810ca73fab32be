"""Clients whose leader is killed in the middle of what they write, and how what they wrote is judged."""

from __future__ import annotations

import subprocess
import threading
import zlib
from pathlib import Path

import pytest

from compat.runs.clients_deaths import (
    CLIENTS,
    Case,
    Row,
    cases,
    feed,
    judge,
    run,
    table,
    value_of,
    violations,
)
from compat.runs.telling import in_silence

Read = list[tuple[int, int, int | None]]


def judged(read: Read, *, acks: str = "all", failed: tuple[int, ...] = ()) -> list[str]:
    """What is wrong with three thousand bytes of records that were read like this: (partition, number, checksum)."""
    row = Row(case=Case(client="kafka-python", compression="none", acks=acks, megabytes=1), at_death=500)
    whole: Read = [(0, number, zlib.crc32(value_of(number))) for number in range(3, row.case.records)]
    judge(row, iter([*read, *whole]), frozenset(failed))
    return violations(row)


def good(number: int, partition: int = 0) -> tuple[int, int, int]:
    return partition, number, zlib.crc32(value_of(number))


def test_all_records_once_in_the_order_of_their_partitions_are_right() -> None:
    assert judged([good(1, 1), good(0), good(2)]) == []


@pytest.mark.parametrize(
    ("read", "failed", "what"),
    [
        ([good(0), good(2)], (), "1 records lost"),
        ([good(0), good(2)], (1,), "1 records failed"),
        ([good(0), good(1), good(1), good(2)], (), "1 records doubled"),
        ([good(1), good(0), good(2)], (), "1 records out of order"),
        ([good(0), good(1), good(2), (0, 2, 17)], (), "1 records damaged"),
        ([good(0), good(1), good(2), (0, 5_000, None)], (), "1 records damaged"),
    ],
)
def test_each_fault_is_noticed(read: Read, failed: tuple[int, ...], what: str) -> None:
    assert judged(read, failed=failed) == [what]


def test_without_all_acknowledgements_losses_are_counted_and_allowed() -> None:
    assert judged([good(2), good(2)], acks="1") == []
    assert judged([(0, 2, 17)], acks="0") == ["1 records damaged"]


def test_every_client_has_rows_with_each_compression_and_acks() -> None:
    wanted = list(cases(list(CLIENTS), megabytes=20, large=1_000))
    for name, client in CLIENTS.items():
        mine = [case for case in wanted if case.client == name]
        small = {(case.compression, case.acks) for case in mine if case.megabytes == 20}
        assert small == {(each, acks) for each in client.compressions for acks in ("all", "1", "0")}
        assert [case.acks for case in mine if case.megabytes == 1_000] == ["all"]


def test_the_large_rows_of_one_client_are_the_same_as_in_a_run_of_all() -> None:
    wanted = list(cases(list(CLIENTS), megabytes=0, large=1_000))
    assert [case.client for case in wanted] == list(CLIENTS)
    assert [next(cases([case.client], megabytes=0, large=1_000)) for case in wanted] == wanted


def test_a_row_without_a_leaders_death_is_wrong() -> None:
    row = Row(case=Case(client="kafka-python", compression="none", acks="0", megabytes=1))
    assert violations(row) == ["the writer was done before the leader died"]


class Death(threading.Event):
    """Comes while a feeder waits for the second time."""

    waits = 0

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.waits += 1
        if self.waits == 2:
            self.set()
        return self.is_set()


def test_the_last_quarter_of_the_records_comes_slowly_until_the_leader_is_dead() -> None:
    death = Death()
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        feed(running, 16, death)
        assert running.stdout is not None
        read = running.stdout.readlines()
    assert [int(line.split(b"\t")[0]) for line in read] == list(range(16))
    assert death.waits == 2


@pytest.mark.jvm
@pytest.mark.clients
@pytest.mark.slow
def test_clients_lose_nothing_by_a_leaders_death(tmp_path: Path) -> None:
    pairs = (
        ("franz-go", "zstd"),
        ("kafkajs", "gzip"),
        ("kafka-python", "none"),
    )
    wanted = [Case(client=name, compression=each, acks="all", megabytes=4) for name, each in pairs]
    rows = run(tmp_path, wanted, tell=in_silence)
    assert [problem for row in rows for problem in violations(row)] == []
    assert len(table(rows)) == len(pairs) + 1
