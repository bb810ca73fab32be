"""Reads what is known of single faults: ``equivalent.txt``, ``noticed.txt`` and ``rules.txt``.

All have a fault in a line, and below it, indented, why it changes nothing that matters, or who notices it. Lines that
begin with ``#`` are for people. ``rules.txt`` is written by ``bin/simulate --plant --rules``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.planting.faults import Fault

_FOLDER = Path(__file__).parent
EQUIVALENT = _FOLDER / "equivalent.txt"
NOTICED = _FOLDER / "noticed.txt"
RULES = _FOLDER / "rules.txt"
NOBODY = "nobody"
"""Who notices a fault of ``rules.txt`` that is still to be judged."""
UNFIT = "cannot be planted"
"""Said of a fault whose function needs another shape then."""
_SEED = "seed "
_TEST = "tests/"


def equivalent() -> Mapping[Fault, str]:
    """The faults that change nothing that matters, with the reason."""
    return read(EQUIVALENT.read_text())


def noticed_by_tests(*, with_rules: bool = True) -> Mapping[Fault, str]:
    """Faults, and for each a test that notices it."""
    found = {**(of_rules() if with_rules else {}), **read(NOTICED.read_text())}
    return {fault: by for fault, by in found.items() if by.startswith(_TEST)}


def of_rules() -> Mapping[Fault, str]:
    """The faults of rules that decide in no run of the simulator, and for each a test that notices it, or nobody."""
    return read(RULES.read_text())


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
