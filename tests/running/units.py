"""Units of work: the tests of one part of one file, or a slice of them; and the lane in which they run.

What starts servers looks at the clock, so only one such test runs at a time, and has the processors before all others.
What runs on Spark shares one JVM. What only computes runs on all processors, with what the others leave of them.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.running.costs import Costs
from tests.running.parts import ROOT, SHARE, Part

COMPUTING_FOLDERS = (
    "tests/core/controller/",
    "tests/fuzz/",
    "tests/metadata/image/",
    "tests/node/test_turns.py",
    "tests/oracles/",
    "tests/sim/",
    "tests/shell/storage/",
)
"""Long tests in these only compute. All others start servers."""
SPARK_FOLDER = "tests/pipeline/"

NICE = 10
"""Of what runs beside servers: where all want a processor, it has a tenth of what a server has."""
SLICE_S = 30.0
"""A unit that computes longer is cut into slices, so that at the end one processor does not work alone for long."""

_MARKS = re.compile(r"mark\.(slow|jvm|clients|simulation)\b")
_MARKS_OF_ALL = re.compile(r"^pytestmark = .*mark\.(slow|jvm|clients|simulation)\b", re.MULTILINE)


class Lane(enum.Enum):
    """Who runs a unit."""

    COMPUTING = "computing"
    """A process for each processor."""
    SERVERS = "servers"
    """One process."""
    SPARK = "spark"
    """One process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a process runs in one go."""

    number: int
    path: str
    """Of the file, from the root."""
    part: Part
    slice: int = 0
    slices: int = 1
    nice: int = 0
    """The process makes itself at least so nice before it begins."""
    lane: Lane = Lane.COMPUTING

    def to_json(self) -> dict[str, Any]:
        """For the process that runs it."""
        return {**asdict(self), "part": self.part.value, "lane": self.lane.value}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Unit:
        """The other way round."""
        return cls(**{**told, "part": Part(told["part"]), "lane": Lane(told["lane"])})


def files_with_tests(root: Path = ROOT) -> list[Path]:
    """All files with tests."""
    return sorted((root / "tests").rglob("test_*.py"))


def parts_of_text(text: str) -> set[Part]:
    """The parts that a file may have, by what it says of marks. A process that collects it knows for certain."""
    found = {Part.QUICK} if _MARKS_OF_ALL.search(text) is None else set()
    for mark in _MARKS.findall(text):
        found.add(Part.SIMULATION if mark == "simulation" else Part.LONG)
    return found


def lane_of(path: str, part: Part) -> Lane:
    """The lane of a file's part."""
    if part is not Part.LONG or path.startswith(COMPUTING_FOLDERS):
        return Lane.COMPUTING
    return Lane.SPARK if path.startswith(SPARK_FOLDER) else Lane.SERVERS


class Plan:
    """The units of a run, each with what it costs as far as that is known."""

    def __init__(self, costs: Costs, *, is_all: bool) -> None:
        self._costs = costs
        self._is_all = is_all
        self._next = 0

    def units(self, files: Iterable[Path], root: Path = ROOT) -> list[Unit]:
        """Of some files: what is quick first, and of that what takes longest."""
        made = []
        for file in files:
            path = file.relative_to(root).as_posix()
            for part in parts_of_text(file.read_text()) & self.parts:
                made += self.units_of(path, part)
        return sorted(made, key=lambda unit: (unit.part is not Part.QUICK, -self.cpu_s(unit), unit.path))

    @property
    def parts(self) -> set[Part]:
        """Which are run."""
        return {Part.QUICK, Part.SIMULATION} | ({Part.LONG} if self._is_all else set())

    def units_of(self, path: str, part: Part) -> list[Unit]:
        """Of a file's part."""
        lane = lane_of(path, part)
        is_nice = self._is_all and lane is not Lane.SERVERS
        cost = self._costs.of(path, part)
        slices = 1
        if lane is Lane.COMPUTING:
            slices = max(1, min(math.ceil(cost.cpu_s * self._share(part) / SLICE_S), cost.tests))
        numbers = range(self._next, self._next + slices)
        self._next += slices
        return [
            Unit(
                number=number,
                path=path,
                part=part,
                slice=index,
                slices=slices,
                nice=NICE if is_nice else 0,
                lane=lane,
            )
            for index, number in enumerate(numbers)
        ]

    def _share(self, part: Part) -> float:
        return 1 / SHARE if part is Part.SIMULATION and not self._is_all else 1.0

    def cpu_s(self, unit: Unit) -> float:
        """Processor time of a unit on the machine of the table."""
        return self._costs.of(unit.path, unit.part).cpu_s * self._share(unit.part) / unit.slices

    def waiting_s(self, unit: Unit) -> float:
        """How long a unit waits for clocks and servers, beside that."""
        cost = self._costs.of(unit.path, unit.part)
        return max(0.0, cost.wall_s - cost.cpu_s) if unit.lane is not Lane.COMPUTING else 0.0

    def tests(self, unit: Unit) -> float:
        """How many tests it has, as far as that is known before it is collected."""
        return self._costs.of(unit.path, unit.part).tests * self._share(unit.part) / unit.slices

    def seconds(self, units: Sequence[Unit], scale: float, processors: int) -> float:
        """By the clock, on a machine that needs ``scale`` times the processor time of the table.

        That is what is to be computed, on all processors, or the longest of the lanes that have one process.
        """
        computed_s = sum(map(self.cpu_s, units)) * scale
        longest_s = max(
            sum(self.cpu_s(unit) * scale + self.waiting_s(unit) for unit in units if unit.lane is lane)
            for lane in (Lane.SERVERS, Lane.SPARK)
        )
        return max(computed_s / processors, longest_s)
