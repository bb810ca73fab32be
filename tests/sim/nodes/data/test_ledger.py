"""When a host that has lost records counts as one that joined an ISR again."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Place

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
