"""Remembers what came of each fault, as lines of JSON, so that nothing is tried twice with the same sources."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.planting.faults import Fault
from tests.planting.outcomes import NodesOutcome, QuickOutcome
from tests.planting.rooms import ROOMS, Room, digest_of, room_of
from tests.running.parts import ROOT

FOLDER = ROOT / ".search" / "planting"


class Results:
    """Those of the sources as they are now."""

    def __init__(self, path: Path, budget_s: float) -> None:
        self._path = path
        self._budget_s = budget_s
        # As the sources are now, even if somebody changes them meanwhile.
        self._rooms = {room.name: room.digest() for room in ROOMS.values()}
        self._all = all_sources()
        self._quick: dict[tuple[str, str], QuickOutcome | None] = {}
        self._nodes: dict[tuple[str, str], NodesOutcome] = {}
        if path.is_file():
            for line in path.read_text().splitlines():
                self._take(json.loads(line))

    def recording_path(self, room: Room) -> Path:
        """Where it is written down what the tests of a room run."""
        return self._path.parent / f"{room.name.replace('/', '-')}-{self._rooms[room.name]}.json"

    def clean_runs_path(self) -> Path:
        """Where it is written down what seeds come to without a fault."""
        return self._path.parent / f"clean-{self._all}"

    def has_quick(self, fault: Fault) -> bool:
        return (str(fault), self._room(fault)) in self._quick

    def quick(self, fault: Fault) -> QuickOutcome | None:
        """What the quick tests said; None if the fault cannot be planted."""
        return self._quick[str(fault), self._room(fault)]

    def nodes(self, fault: Fault) -> NodesOutcome | None:
        """What whole nodes said within a budget as large as this one; None if they were not asked."""
        return self._nodes.get((str(fault), self._all))

    def forget(self, faults: Iterable[Fault]) -> None:
        """Have these tried once more."""
        for fault in faults:
            self._quick.pop((str(fault), self._room(fault)), None)
            self._nodes.pop((str(fault), self._all), None)

    def add_quick(self, fault: Fault, outcome: QuickOutcome | None) -> None:
        said = None if outcome is None else dataclasses.asdict(outcome)
        self._write({"fault": str(fault), "sources": self._room(fault), "quick": said})

    def add_nodes(self, fault: Fault, outcome: NodesOutcome) -> None:
        said = {"fault": str(fault), "sources": self._all, "budget_s": self._budget_s}
        self._write({**said, "nodes": dataclasses.asdict(outcome)})

    def _write(self, line: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self._take(line)

    def _take(self, line: dict[str, Any]) -> None:
        key = line["fault"], line["sources"]
        if "nodes" not in line:
            self._quick[key] = None if line["quick"] is None else QuickOutcome(**line["quick"])
            return
        outcome = NodesOutcome(**line["nodes"])
        if outcome.noticed_by is not None or line["budget_s"] >= self._budget_s:
            self._nodes[key] = outcome

    def _room(self, fault: Fault) -> str:
        return self._rooms[room_of(fault.path).name]


def all_sources() -> str:
    """A digest of the product and of the simulator."""
    return digest_of(ROOT / each for each in ("kafkaproto", "server", "tests/sim", "tests/support"))
