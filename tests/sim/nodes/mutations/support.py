"""What mutations of whole nodes share."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable
from typing import Any

from tests.sim.mutations.mutation import Mutation, Patches
from tests.sim.nodes.data.traffic import FIRST_WITH_RECORDS


def node_mutation(
    rule: str,
    noticed_by: enum.Enum,
    patches: Callable[[], Patches],
    *,
    also: tuple[enum.Enum, ...] = (),
    first_seed: int = 1,
) -> Mutation:
    """A rule of a node beside those of the two cores."""
    return Mutation(
        rule=rule,
        noticed_by=noticed_by,
        also=also,
        patches=patches,
        level="nodes",
        first_seed=first_seed,
    )


def record_mutation(
    rule: str,
    noticed_by: tuple[enum.Enum, ...],
    patches: Callable[[], Patches],
    first_seed: int = FIRST_WITH_RECORDS + 1,
) -> Mutation:
    """A rule of records. Any of ``noticed_by`` may notice it."""
    first, *also = noticed_by
    return node_mutation(rule, first, patches, also=tuple(also), first_seed=first_seed)


def nothing(*_: Any, **__: Any) -> None:
    """In place of what has to be done."""


def one_in(number: int) -> Callable[[], bool]:
    """A function that returns True at every so many calls."""
    calls = itertools.count(1)
    return lambda: next(calls) % number == 0


class Wrapped:
    """Another object, with some attributes replaced."""

    def __init__(self, original: Any, **replaced: Any) -> None:
        self._original = original
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        return self._replaced[name] if name in self._replaced else getattr(self._original, name)
