"""Mutations: the core is broken on purpose, once for each rule, to show that the invariants would notice.

Each mutation replaces functions of the core by others that break a rule. If the rule is the driver's, it replaces
functions of the simulated driver.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kafkaproto_server.base.later import Steps
from tests.sim.options import Options

Patches = list[tuple[Any, str, Any]]
"""(object, attribute, value) of each replacement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One broken rule."""

    rule: str
    """What the core does no more, or does wrongly."""
    patches: Callable[[], Patches]
    """What to replace; asked only once it is to be done, as it may build on what is there."""
    noticed_by: enum.Enum
    """The invariant that is there for this rule; others may notice it too."""
    scenario: str = "chaos"
    """Seeds of which class notice it."""
    options: Callable[[Options], bool] = lambda _options: True
    """Which of these seeds do, where only few can."""
    level: str = "quorum"
    """What has to be simulated."""
    also: tuple[enum.Enum, ...] = ()
    """Invariants that may notice it first."""
    first_seed: int = 1
    """Where the seeds begin whose runs have what the rule is about."""

    def suits(self, options: Options) -> bool:
        """Whether a seed with these options may notice it."""
        return options.scenario == self.scenario and self.options(options)


def cluster_mutation(rule: str, noticed_by: enum.Enum, patches: Callable[[], Patches]) -> Mutation:
    """A rule of the controller, or of what runs on it."""
    return Mutation(rule=rule, noticed_by=noticed_by, patches=patches, level="cluster")


def finds_nothing(*_: Any) -> Steps[list[Any]]:
    """In place of what looks for something in steps."""
    yield
    return []


@contextlib.contextmanager
def mutated(mutation: Mutation) -> Iterator[None]:
    """The core with one rule broken."""
    patches = mutation.patches()
    originals = [(owner, name, owner.__dict__[name]) for owner, name, _ in patches]
    try:
        for owner, name, value in patches:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in originals:
            setattr(owner, name, value)
