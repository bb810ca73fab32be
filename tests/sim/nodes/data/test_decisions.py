"""Wrong decisions of a partition are noticed at once, and faults strike when a leader decides."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from tests.core.replicas.test_partition import Replica
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.decisions import Decisions
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.invariants import NodeInvariant

PLACE: Place = ("topic", 0)


class Watched:
    """One partition on broker 1, whose decisions are looked at. Brokers 2 and 3 have logs that end somewhere."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, ends: dict[int, int], log_end: int = 10) -> None:
        self.replica = Replica(log_end=log_end)
        self.found: list[NodeInvariant] = []
        self.strikes: list[tuple[str, int | None]] = []
        hosted: Any = SimpleNamespace(partition=self.replica.partition, log=None)
        self.held = SimpleNamespace(get=lambda topic_id, index: hosted)
        broker = SimpleNamespace(manager=SimpleNamespace(replicas=self.held))
        hosts: list[Any] = [
            SimpleNamespace(
                id=number, is_broker=True, is_up=True, node=SimpleNamespace(_broker=broker), quorum=None
            )
            for number in (1, 2, 3)
        ]
        self.ledger = Ledger(hosts, random.Random(1), {PLACE: 2})
        monkeypatch.setattr(Ledger, "replicas", lambda _: [(hosts[0], PLACE, hosted)])
        monkeypatch.setattr(Ledger, "note_elections", lambda _: None)
        monkeypatch.setattr(Ledger, "_end", lambda _, host, place: ends.get(host.id, log_end))
        self.decisions = Decisions(self.ledger, self._violated, self._strike)

    def _strike(self, event: str, host: Any, member_id: int | None) -> None:
        self.strikes.append((event, member_id))

    def _violated(self, violation: ViolationError) -> None:
        assert isinstance(violation.invariant, NodeInvariant)
        self.found.append(violation.invariant)

    @contextmanager
    def leading(self) -> Iterator[Partition]:
        """The partition leads from epoch 2 on, alone in its ISR, and 10 is acknowledged."""
        with self.decisions.watched():
            self.ledger.known[PLACE].acknowledged[9] = 0
            self.replica.see(isr=(1,))
            yield self.replica.partition


@pytest.mark.parametrize(
    ("end", "lost_in", "found"),
    [
        pytest.param(10, None, [], id="has all"),
        pytest.param(9, None, [NodeInvariant.ISR_HAS_THE_COMMITTED], id="lacks the last one"),
        pytest.param(
            9, 1, [NodeInvariant.ISR_HAS_THE_COMMITTED], id="lost it to an earlier leader's knowledge"
        ),
        pytest.param(9, 2, [], id="lost it after it was fetched"),
    ],
)
def test_who_is_asked_into_an_isr_has_all_that_is_committed(
    monkeypatch: pytest.MonkeyPatch, end: int, lost_in: int | None, found: list[NodeInvariant]
) -> None:
    watched = Watched(monkeypatch, ends={2: end})
    if lost_in is not None:
        watched.ledger._missing[2, PLACE] = (10, lost_in)
    with watched.leading() as partition:
        partition._ask((1, 2))
    assert watched.found == found
    assert watched.strikes == [("begins to lead", None), ("asks for an ISR", 2)]


@pytest.mark.parametrize(("excused", "known_epoch"), [(True, 2), (False, 3)])
def test_a_former_leader_and_a_lost_partition_are_not_blamed(
    monkeypatch: pytest.MonkeyPatch, excused: bool, known_epoch: int
) -> None:
    watched = Watched(monkeypatch, ends={2: 0})
    known = watched.ledger.known[PLACE]
    known.is_excused, known.leader_epoch = excused, known_epoch
    with watched.leading() as partition:
        partition._ask((1, 2))
    assert not watched.found


def test_a_deletion_of_what_nobody_calls_committed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch, ends={})
    with watched.leading() as partition:
        partition.high_watermark = 6
        partition.log_start_moved(6, now_ms=0)
        assert not watched.found
        partition.log_start_moved(7, now_ms=0)
    assert watched.found == [NodeInvariant.UNCOMMITTED_STAYS]


def test_a_high_watermark_behind_the_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch, ends={})
    with watched.decisions.watched():
        watched.replica.see(leader=2)
        watched.replica.partition.leader_said(100)
    assert not watched.found

    def leader_said(self: Partition, high_watermark: int) -> None:
        self.high_watermark = high_watermark

    monkeypatch.setattr(Partition, "leader_said", leader_said)
    with watched.decisions.watched():
        watched.replica.partition.leader_said(11)
    assert watched.found == [NodeInvariant.HIGH_WATERMARK_IN_LOG]


def test_another_isr_is_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch, ends={})
    with watched.leading() as partition:
        partition._ask((1, 2))
        change = partition.isr_change
        assert change is not None
        partition.isr_accepted(change, isr=(1, 2), partition_epoch=3, now_ms=0)
    assert watched.strikes == [
        ("begins to lead", None),
        ("asks for an ISR", 2),
        ("has another ISR", 2),
    ]


def test_a_follower_that_leaves_the_isr_is_an_event_whoever_takes_it_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch, ends={})
    with watched.decisions.watched():
        watched.replica.see(isr=(1, 2, 3))
        watched.strikes.clear()
        watched.replica.see(isr=(1, 3))
        assert watched.strikes == [("loses a follower", 2)]
        partition = watched.replica.partition
        partition._ask((1,))
        change = partition.isr_change
        assert change is not None
        partition.isr_accepted(change, isr=(1,), partition_epoch=partition.partition_epoch + 1, now_ms=0)
    assert watched.strikes[1:] == [
        ("asks for an ISR", None),
        ("has another ISR", None),
        ("loses a follower", 3),
    ]


def test_the_end_of_a_transaction_is_an_event_where_its_coordinator_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch, ends={})
    said: list[str] = []
    log = object.__new__(PartitionLog)
    hosted: Any = SimpleNamespace(partition=watched.replica.partition)
    log._hosted = hosted
    coordinator: Any = SimpleNamespace(_states=SimpleNamespace(_log=log))
    decide = watched.decisions._deciding(lambda _, ended, told: said.append(f"{ended} {told}"))
    decide(coordinator, "ended", "told")
    assert said == ["ended told"]
    assert watched.strikes == [("ends a transaction", None)]
    watched.held.get = lambda topic_id, index: None
    decide(coordinator, "ended", "told")
    assert len(said) == 2
    assert len(watched.strikes) == 1


def test_a_partition_of_a_node_that_has_ended_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch, ends={2: 0})
    watched.held.get = lambda topic_id, index: None
    with watched.leading() as partition:
        partition._ask((1, 2))
    assert not watched.found
    assert not watched.strikes


def test_methods_are_their_own_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(Partition.__dict__)
    with Watched(monkeypatch, ends={}).decisions.watched():
        assert dict(Partition.__dict__) != before
    assert dict(Partition.__dict__) == before
