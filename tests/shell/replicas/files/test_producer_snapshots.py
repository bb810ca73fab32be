"""The states of producers are written some at a time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafkaproto.producer_snapshot import ProducerSnapshotEntry, decode_producer_snapshot
from kafkaproto_server.core.log_state.producers import ProducerStates
from kafkaproto_server.shell.replicas.files import producer_snapshots
from kafkaproto_server.shell.replicas.files.producer_snapshots import ProducerSnapshots

COUNT = 1_000


def states(count: int = COUNT) -> ProducerStates:
    producers = ProducerStates()
    entries = [ProducerSnapshotEntry(number, 0, 0, number, 0, 1_000, -1, -1) for number in range(count)]
    producers.load(entries, end_offset=count, now_ms=0, expiration_ms=1_000)
    return producers


class Log:
    """Notes what is written."""

    def __init__(self) -> None:
        self.written: list[tuple[bytes, int]] = []

    def write_producers(self, content: bytes, offset: int) -> None:
        self.written.append((content, offset))


class Partition:
    def __init__(self) -> None:
        self.producers = states()


class Replica:
    def __init__(self) -> None:
        self.partition = Partition()
        self.log: Log | None = Log()


class Node:
    """A loop whose turns the test takes."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []
        self.jobs: list[Callable[[], object]] = []
        self.snapshots: ProducerSnapshots = ProducerSnapshots(  # type: ignore[type-arg]
            self, lambda at_ms, call: self.due.append(call), lambda hosted, work: self.jobs.append(work)
        )

    def now_ms(self) -> int:
        return 0

    def wall_ms(self) -> int:
        return 0

    def turn(self) -> None:
        due, self.due = self.due, []
        for call in due:
            call()


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr(producer_snapshots, "PRODUCERS_A_TURN", 300)
    return Node()


def test_a_turn_takes_some_of_them(node: Node) -> None:
    replica = Replica()
    expected = replica.partition.producers.snapshot_entries()
    node.snapshots.write(replica)
    turns = 1
    while node.due:
        assert node.jobs == []
        # Another segment is complete meanwhile.
        node.snapshots.write(replica)
        assert len(node.due) == 1
        node.turn()
        turns += 1
    assert turns == 4
    for job in node.jobs:
        job()
    log = replica.log
    assert log is not None
    ((content, offset),) = log.written
    assert (decode_producer_snapshot(content), offset) == (expected, COUNT)
    node.snapshots.write(replica)
    assert len(node.due) == 1, "the next one"


def test_few_are_written_at_once(node: Node) -> None:
    replica = Replica()
    replica.partition.producers = states(300)
    node.snapshots.write(replica)
    assert (len(node.due), len(node.jobs)) == (0, 1)


@pytest.mark.parametrize("is_cut", [True, False])
def test_nothing_is_written_of_a_log_that_was_cut_or_closed(node: Node, *, is_cut: bool) -> None:
    replica = Replica()
    before = replica.partition.producers
    node.snapshots.write(replica)
    if is_cut:
        replica.partition.producers = states(2)
    else:
        replica.log = None
    node.turn()
    assert (node.due, node.jobs, before._snapshots) == ([], [], ())
    replica.log = Log()
    node.snapshots.write(replica)
    assert node.due or node.jobs
