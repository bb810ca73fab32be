"""Reads what is known of single faults: ``equivalent.txt`` and ``noticed.txt``.

Both have a fault in a line, and below it, indented, why it changes nothing that matters, or who notices it. Lines that
begin with ``#`` are for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.planting.faults import Fault

_FOLDER = Path(__file__).parent
EQUIVALENT = _FOLDER / "equivalent.txt"
NOTICED = _FOLDER / "noticed.txt"
_SEED = "seed "


def equivalent() -> Mapping[Fault, str]:
    """The faults that change nothing that matters, with the reason."""
    return read(EQUIVALENT.read_text())


def noticed_by_tests() -> Mapping[Fault, str]:
    """Faults, and for each a test that notices it."""
    return {fault: by for fault, by in read(NOTICED.read_text()).items() if not by.startswith(_SEED)}


def noticed_by_seeds() -> Mapping[Fault, int]:
    """Faults, and for each a seed of whole nodes that notices it."""
    found = read(NOTICED.read_text()).items()
    return {fault: int(by.removeprefix(_SEED)) for fault, by in found if by.startswith(_SEED)}


def read(text: str) -> Mapping[Fault, str]:
    """What is below each fault. Raises ValueError if a line is not of this form."""
    found: dict[Fault, str] = {}
    fault: Fault | None = None
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            fault = Fault.parse(line)
            if fault in found:
                raise ValueError(f"twice: {fault}")
            found[fault] = ""
        elif fault is None:
            raise ValueError(f"no fault is above {line.strip()!r}")
        else:
            found[fault] = f"{found[fault]} {line.strip()}".strip()
    bare = next((each for each, below in found.items() if not below), None)
    if bare is not None:
        raise ValueError(f"nothing is below {bare}")
    return found
