"""What came of a fault: with the quick tests, and with whole nodes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickOutcome:
    """What the quick tests say of a fault."""

    noticed_by: str | None
    """The test; None if all pass."""
    how: str
    """The failure of that test, in a line."""
    tests: int
    """So many run the lines of the fault."""
    seconds: float
    """Processor time of the tests with the fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesOutcome:
    """What whole nodes say of a fault."""

    noticed_by: int | None
    """The seed; None if no run failed."""
    how: str
    """The invariant that did not hold."""
    seeds: int
    """So many were run."""
    times: int
    """So often they came to the statement that has the fault, as far as they ended."""
    seconds: float
    """Processor time of the runs with the fault."""
