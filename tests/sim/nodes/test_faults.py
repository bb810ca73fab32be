"""Strikes: who is hit when a partition's leader does something."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.sim.nodes.faults import Faults
from tests.sim.nodes.options import Act, Event, Strike, Victim

EVENT: Event = "loses a follower"


class _Connections(int):
    """Those of a host, which are two."""

    def __init__(self, _number: int) -> None:
        self.streams = [1, 2]


class Cluster:
    """Brokers 1, 2 and 3 and controller 4, which leads; 3 is down. Only what happens to them is noted."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.due: list[Callable[[], object]] = []
        self.hosts: list[Any] = [self._host(number) for number in (1, 2, 3, 4)]
        net: Any = SimpleNamespace(
            cut=lambda source, target: self.said.append(f"cut {source} {target}"),
            join=lambda *_: None,
            reset_some=self._reset,
        )
        timeline: Any = SimpleNamespace(
            after=lambda _, act: self.due.append(act), trace=SimpleNamespace(add=lambda _: None)
        )
        self.faults = Faults(self.hosts, net, timeline, random.Random(1), {})

    def _reset(self, net: _Connections) -> bool:
        self.said.append(f"reset {net}")
        net.streams.pop()
        return True

    def _host(self, number: int) -> Any:
        is_down = number == 3

        def note(what: str) -> Callable[..., None]:
            return lambda *_: self.said.append(f"{what} {number}")

        return SimpleNamespace(
            id=number,
            net=_Connections(number),
            is_broker=number != 4,
            leads=number == 4,
            is_up=not is_down,
            has_ended=SimpleNamespace(is_set=lambda: is_down),
            failures=[],
            kill=note("kill"),
            lose_power=note("power loss"),
            start=note("start"),
        )

    def strike(self, *hits: tuple[Victim, Act], member_id: int | None = 3, event: Event = EVENT) -> list[str]:
        """What happens if broker 1 leads and loses a follower."""
        strike = Strike(event=EVENT, share=1.0, hits=hits, within_s=0.1)
        self.faults.strike([strike], random.Random(1), event, self.hosts[0], member_id)
        for act in self.due[:]:
            act()
        return self.said


@pytest.mark.parametrize(
    ("hits", "said"),
    [
        pytest.param([("itself", "kill")], ["kill 1"], id="the leader"),
        pytest.param([("the controller", "kill")], ["kill 4"], id="the controller"),
        pytest.param(
            [("itself", "kill"), ("the others", "kill"), ("a follower", "start")],
            ["kill 1", "kill 2", "start 3"],
            id="a follower is left behind",
        ),
        pytest.param([("a follower", "hide")], ["cut 1 3", "cut 3 1"], id="a follower is hidden"),
        pytest.param([("itself", "reset")], ["reset 1", "reset 1"], id="all connections are gone"),
        pytest.param([("a follower", "kill"), ("itself", "start")], [], id="who is down, and who is up"),
    ],
)
def test_a_strike_hits_whom_it_names(hits: list[tuple[Victim, Act]], said: list[str]) -> None:
    assert Cluster().strike(*hits) == said


def test_any_follower_is_hit_if_none_is_named() -> None:
    said = Cluster().strike(("a follower", "hide"), ("the others", "hide"), member_id=None)
    assert sorted(said) == ["cut 1 2", "cut 1 3", "cut 2 1", "cut 3 1"]


def test_other_events_and_clusters_that_heal_are_left_alone() -> None:
    assert Cluster().strike(("itself", "kill"), event="begins to lead") == []
    healed = Cluster()
    healed.faults.is_healed = True
    assert healed.strike(("itself", "kill")) == []
