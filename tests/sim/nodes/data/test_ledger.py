"""What the ledger of records takes for a violation, and what for the end of all promises."""

from __future__ import annotations

import random
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from kafkaproto_server.core.replicas.partition import Role
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.elections import Election, Elections
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.data.logs import Batch
from tests.sim.nodes.invariants import NodeInvariant

PLACE: Place = ("t", 0)
LOST, NEW = b"l" * 16, b"n" * 16
"""Incarnations of the member: the one that lost records, and the next one."""


@pytest.mark.parametrize(
    ("isr", "incarnation_id", "partition_epoch", "has_joined"),
    [
        pytest.param((1, 2), NEW, 5, True, id="registered again"),
        pytest.param((1, 2), NEW, 6, True, id="the controller has answered, the image comes later"),
        pytest.param((1, 2), LOST, 5, False, id="not registered again"),
        pytest.param((1, 2), None, 5, False, id="not registered"),
        pytest.param((2,), NEW, 5, False, id="the last one"),
        pytest.param((1, 2), NEW, 4, False, id="the partition has the ISR of before"),
    ],
)
def test_who_is_in_an_isr_since_it_registered_again(
    isr: tuple[int, ...], incarnation_id: bytes | None, partition_epoch: int, has_joined: bool
) -> None:
    ledger = Ledger([], random.Random(1), {PLACE: 1})
    ledger._losers[2] = frozenset({LOST})
    topic = SimpleNamespace(partitions={0: SimpleNamespace(partition_epoch=5)})
    brokers = {} if incarnation_id is None else {2: SimpleNamespace(incarnation_id=incarnation_id)}
    image = SimpleNamespace(brokers=brokers, topic_by_name={"t": topic}.get)
    leader: Any = SimpleNamespace(quorum=SimpleNamespace(published=SimpleNamespace(image=image)))
    partition: Any = SimpleNamespace(isr=isr, partition_epoch=partition_epoch)
    member: Any = SimpleNamespace(id=2)
    assert ledger._has_joined(leader, PLACE, partition, member) is has_joined


FIRST_OF_TWO, LAST = Election(1, 3, NEW, frozenset({2})), Election(1, 4, NEW, frozenset())


@pytest.mark.parametrize(
    ("found", "loses", "violated"),
    [
        pytest.param([LAST], True, None, id="the last one has lost records"),
        pytest.param([LAST], False, NodeInvariant.COMMITTED_STAYS, id="the last one has lost nothing"),
        pytest.param(
            [FIRST_OF_TWO], True, NodeInvariant.ACKNOWLEDGED_IS_KEPT, id="another one has everything"
        ),
        pytest.param([FIRST_OF_TWO, LAST], True, NodeInvariant.ACKNOWLEDGED_IS_KEPT, id="another one had"),
        pytest.param([], True, NodeInvariant.COMMITTED_STAYS, id="nobody was elected"),
    ],
)
def test_before_it_blames_anybody_it_looks_for_leaders_that_nobody_saw(
    monkeypatch: pytest.MonkeyPatch, found: list[Election], loses: bool, violated: NodeInvariant | None
) -> None:
    def after(self: Elections, place: Place, leader_epoch: int) -> list[Election]:
        return [each for each in found if each.leader_epoch > leader_epoch]

    monkeypatch.setattr(Elections, "after", after)
    monkeypatch.setattr(Ledger, "_is_missing", lambda self, host, place: loses)
    leader: Any = SimpleNamespace(id=1, is_broker=True, quorum=None, node=None)
    ledger = Ledger([leader], random.Random(1), {PLACE: 1})
    ledger._losers[1] = frozenset({LOST})
    with nullcontext() if violated is None else pytest.raises(ViolationError) as caught:
        ledger.refused(PLACE, "a consumer is behind the end")
    assert (None if caught is None else caught.value.invariant) is violated
    assert ledger.known[PLACE].is_excused is (violated is None)


@pytest.mark.parametrize("compacted", [(PLACE,), ()])
def test_what_a_process_committed_after_the_last_look_is_missed_once_its_machine_has_lost_it(
    monkeypatch: pytest.MonkeyPatch, compacted: tuple[Place, ...]
) -> None:
    """It ends before anybody looks again: a member of a group has heard of it all the same."""
    log = SimpleNamespace(log=SimpleNamespace(log_start_offset=0))
    partition = SimpleNamespace(
        topic=PLACE[0], index=PLACE[1], role=Role.LEADER, high_watermark=5, log_start_offset=0
    )
    manager = SimpleNamespace(replicas=[SimpleNamespace(partition=partition, log=log)])
    node = SimpleNamespace(_broker=SimpleNamespace(manager=manager))
    host: Any = SimpleNamespace(id=1, life=1, is_broker=True, quorum=None, node=node, ids_drawn=[LOST])
    ledger = Ledger([host], random.Random(1), {PLACE: 1}, compacted)
    batches = [Batch(0, 5, 0, 1, (-1, -1), -1, 5, False)]
    monkeypatch.setattr("tests.sim.nodes.data.ledger.flush", lambda _: None)
    monkeypatch.setattr(Ledger, "_end", lambda *_: 5 if batches else 0)
    monkeypatch.setattr(ledger.logs, "of", lambda *_: list(batches))
    monkeypatch.setattr(ledger.logs, "range_of", lambda *_: (0, 5))
    monkeypatch.setattr(ledger.logs, "end_without_gap", lambda *_: 5 if batches else 0)
    host.losing_power(host)
    batches.clear()
    host.lost_power(host)
    ledger.known[PLACE].leader_epoch = 1
    assert ledger._is_missing(host, PLACE)


@pytest.mark.parametrize("compacted", [(PLACE,), ()])
def test_a_log_that_lost_its_middle_is_whole_once_it_was_opened(
    monkeypatch: pytest.MonkeyPatch, compacted: tuple[Place, ...]
) -> None:
    """Its end is where it was, and what is gone may be deleted elsewhere: whether it lacks anything shows when it is
    opened."""
    host: Any = SimpleNamespace(id=1, is_broker=True, quorum=None, node=None, ids_drawn=[LOST])
    ledger = Ledger([host], random.Random(1), {PLACE: 1}, compacted)
    batches = [Batch(base, base + 5, 0, base, (-1, -1), -1, 5, False) for base in (0, 5, 10)]
    monkeypatch.setattr(Ledger, "_end", lambda *_: 15)
    monkeypatch.setattr(ledger.logs, "of", lambda *_: list(batches))
    monkeypatch.setattr(ledger.logs, "checkpoints_of", lambda *_: (15, 15))
    with ledger.losing_files(host, PLACE):
        del batches[1]
    assert not ledger.is_whole(host, PLACE)
    monkeypatch.setattr(Ledger, "is_open", lambda *_: True)
    assert ledger.is_whole(host, PLACE)


def test_a_log_that_has_everything_again_is_whole_also_if_it_was_closed_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It lost its middle, was opened, fetched anew, elected, and its node ended before anybody asked."""
    host: Any = SimpleNamespace(id=1, is_broker=True, quorum=None, node=None, ids_drawn=[LOST])
    ledger = Ledger([host], random.Random(1), {PLACE: 1})
    batches = [Batch(base, base + 5, 0, base, (-1, -1), -1, 5, False) for base in (0, 5, 10)]
    whole = list(batches)
    monkeypatch.setattr(Ledger, "_end", lambda *_: 15)
    monkeypatch.setattr(ledger.logs, "of", lambda *_: list(batches))
    monkeypatch.setattr(ledger.logs, "checkpoints_of", lambda *_: (15, 15))
    with ledger.losing_files(host, PLACE):
        del batches[1]
    partition = SimpleNamespace(role=Role.FOLLOWER, leader_epoch=0, log_start_offset=0)
    opened: Any = SimpleNamespace(
        partition=partition, log=SimpleNamespace(log=SimpleNamespace(log_start_offset=0))
    )
    ledger._note_elections([(host, PLACE, opened)])
    batches[:] = whole
    assert ledger.is_whole(host, PLACE)
