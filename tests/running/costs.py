"""What tests cost: a table of processor seconds, and how fast this machine is beside the one that it was measured on.

``bin/test --all --measure`` writes the table anew. It has a line for each part of a file that costs more than a second,
and one line for all others of a part.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.running.parts import Part

FILE = Path(__file__).with_name("costs.txt")
LISTED_S = 1.0
"""What costs less has no line of its own."""
OTHERS = "others"
_HEAD = """\
# What tests cost: seconds of processor time, seconds by the clock, tests, the part, the file.
# Written by bin/test --all --measure. "others" are the files without a line of their own, and how many they are.
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a part of a file, or of several."""

    cpu_s: float
    wall_s: float
    tests: int

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu_s + other.cpu_s, self.wall_s + other.wall_s, self.tests + other.tests)


@dataclass(frozen=True, slots=True)
class Costs:
    """The table."""

    calibration_s: float
    """What ``calibrate`` returned on the machine that it was measured on."""
    listed: Mapping[tuple[str, Part], Cost]
    others: Mapping[Part, tuple[Cost, int]]
    """Of all that have no line, and how many files that are."""

    def of(self, path: str, part: Part) -> Cost:
        """Of a file's part: an average of those without a line if it has none either."""
        found = self.listed.get((path, part))
        if found is not None:
            return found
        together, files = self.others.get(part, (Cost(0.0, 0.0, 0), 1))
        return Cost(together.cpu_s / files, together.wall_s / files, round(together.tests / files))


def read(file: Path = FILE) -> Costs:
    """The table in a file."""
    calibration_s = 0.0
    listed: dict[tuple[str, Part], Cost] = {}
    others: dict[Part, tuple[Cost, int]] = {}
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            continue
        first, *rest = line.split()
        if first == "calibration":
            calibration_s = float(rest[0])
            continue
        wall_s, tests, name, path, *files = rest
        cost, part = Cost(float(first), float(wall_s), int(tests)), Part(name)
        if path == OTHERS:
            others[part] = cost, int(files[0])
        else:
            listed[path, part] = cost
    return Costs(calibration_s, listed, others)


def write(measured: Mapping[tuple[str, Part], Cost], calibration_s: float, file: Path = FILE) -> None:
    """Write the table of what was measured."""
    listed = {key: cost for key, cost in measured.items() if max(cost.cpu_s, cost.wall_s) >= LISTED_S}
    lines = [f"calibration {calibration_s:.3f}"]
    for part in Part:
        for (path, _), cost in _dearest_first((key, cost) for key, cost in listed.items() if key[1] is part):
            lines.append(_line(cost, part, path))
        rest = [cost for key, cost in measured.items() if key[1] is part and key not in listed]
        if rest:
            lines.append(_line(sum(rest, Cost(0.0, 0.0, 0)), part, f"{OTHERS} {len(rest)}"))
    file.write_text(_HEAD + "\n".join(lines) + "\n")


def _dearest_first(
    costs: Iterable[tuple[tuple[str, Part], Cost]],
) -> list[tuple[tuple[str, Part], Cost]]:
    return sorted(costs, key=lambda each: (-each[1].cpu_s, each[0][0]))


def _line(cost: Cost, part: Part, path: str) -> str:
    return f"{cost.cpu_s:8.1f} {cost.wall_s:8.1f} {cost.tests:6} {part.value:10} {path}"


def calibrate() -> float:
    """Processor seconds of a fixed piece of work in plain Python, the best of three; half a second in all."""
    return min(_work() for _ in range(3))


def _work() -> float:
    began = time.process_time()
    for _ in range(9):
        table: dict[int, list[int]] = {}
        for number in range(160_000):
            table.setdefault(number * 7919 % 1009, []).append(number)
        text = "".join(f"{key}:{len(values)};" for key, values in sorted(table.items()))
        assert text.count(";") == 1009
    return time.process_time() - began
