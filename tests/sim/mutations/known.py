"""Rules that are broken on purpose, and for each a seed that is known to notice.

The seeds are in a file for the cores and in one for whole nodes. A change of the product or of the faults makes a seed
another run. If that does not notice the broken rule any more, ``bin/simulate --mutations --renew`` finds another seed.
"""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.sim.mutations.mutation import Mutation, mutated

LONGEST_S = 3600.0
"""For the search for one seed, by the clock, as a node that spins in one turn would never end."""
_HEAD = "# For each rule that is broken on purpose, a seed that notices. Written by {command} --renew\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How a mutation was noticed."""

    rule: str
    seed: int | None
    """In which one of the mutation's invariants did not hold; None if there was none."""
    seeds: int
    """So many were tried."""
    invariant: str
    """That noticed it."""
    others: tuple[str, ...]
    """What else did not hold, in seeds before."""
    seconds: float
    """Processor time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Those of the cores, or those of whole nodes."""

    subject: str
    command: str
    """That breaks all of them."""
    file: Path
    """With the known seeds."""
    mutations: tuple[Mutation, ...]
    invariant_of: Callable[[str, int], str | None]
    """Runs a seed of a level; what does not hold."""
    suits: Callable[[Mutation, int], bool]
    """Whether a seed may notice a mutation at all."""
    most_seeds: int
    """That are tried for one mutation."""

    def known_seeds(self) -> dict[str, int]:
        """The seed of each rule."""
        seeds = {}
        for line in self.file.read_text().splitlines():
            if line and not line.startswith("#"):
                seed, _, rule = line.partition(" ")
                seeds[rule.strip()] = int(seed)
        return seeds

    def levels_and_seeds(self) -> list[tuple[str, int]]:
        """What the known seeds are seeds of, and each of them once."""
        known = self.known_seeds()
        return sorted({(each.level, known[each.rule]) for each in self.mutations if each.rule in known})

    def find(self, index: int) -> Finding:
        """Whether the known seed notices the mutation with this number."""
        mutation = self.mutations[index]
        known = self.known_seeds().get(mutation.rule)
        return self._find(mutation, iter(() if known is None else (known,)), lambda _: True)

    def renew(self, index: int) -> Finding:
        """What notices the mutation with this number: the known seed, one that notices others, or the lowest one.

        The seed has to hold without the mutation.
        """
        mutation, known = self.mutations[index], self.known_seeds()
        alike = {
            known[each.rule]
            for each in self.mutations
            if each.rule in known and (each.level, each.first_seed) == (mutation.level, mutation.first_seed)
        }
        likely = [known[mutation.rule]] if mutation.rule in known else []
        likely += sorted(alike - set(likely))
        lower = (seed for seed in itertools.count(mutation.first_seed) if seed not in likely)
        suited = filter(partial(self.suits, mutation), itertools.chain(likely, lower))
        return self._find(
            mutation,
            itertools.islice(suited, self.most_seeds),
            lambda seed: _holds(self.invariant_of, mutation.level, seed),
        )

    def noticing(self, index: int, seeds: range) -> tuple[list[int], list[int]]:
        """Which of some seeds suit the mutation with this number, and which of these notice it."""
        mutation = self.mutations[index]
        suited = [seed for seed in seeds if self.suits(mutation, seed)]
        noticed_by = invariants_of(mutation)
        return suited, [seed for seed in suited if self._invariant_with(mutation, seed) in noticed_by]

    def print_table(self, find: Callable[[int], Finding], processes: int) -> list[Finding]:
        """Find what notices each mutation, and print it; returns all. ``find`` is a function of a module, as other
        processes call it. Raises TimeoutError if that does not end."""
        print(f"{self.subject + ' ...':55} {'is noticed by':26} {'seed':>8} {'seeds':>5} {'s':>6}  and by")
        found = []
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            results = pool.imap(find, range(len(self.mutations)))
            for _ in self.mutations:
                each = results.next(LONGEST_S)
                seed = "-" if each.seed is None else str(each.seed)
                print(
                    f"{each.rule:55} {each.invariant:26} {seed:>8} {each.seeds:5} {each.seconds:6.1f}"
                    f"  {', '.join(each.others)}",
                    flush=True,
                )
                found.append(each)
        return found

    def write(self, found: list[Finding]) -> None:
        """Write the known seeds anew."""
        lines = [f"{each.seed:<8} {each.rule}\n" for each in found if each.seed is not None]
        self.file.write_text(_HEAD.format(command=self.command) + "".join(lines))

    def _find(self, mutation: Mutation, seeds: Iterator[int], is_fit: Callable[[int], bool]) -> Finding:
        others: dict[str, None] = {}
        tried, began = 0, time.process_time()
        noticed_by: tuple[int, str] | None = None
        for seed in seeds:
            tried += 1
            invariant = self._invariant_with(mutation, seed)
            if invariant in invariants_of(mutation) and is_fit(seed):
                noticed_by = seed, invariant
                break
            if invariant is not None:
                others[invariant] = None
        return Finding(
            rule=mutation.rule,
            seed=None if noticed_by is None else noticed_by[0],
            seeds=tried,
            invariant="-" if noticed_by is None else noticed_by[1],
            others=tuple(others),
            seconds=time.process_time() - began,
        )

    def _invariant_with(self, mutation: Mutation, seed: int) -> str | None:
        with mutated(mutation):
            return self.invariant_of(mutation.level, seed)


def invariants_of(mutation: Mutation) -> set[str]:
    """The names of those that may notice it."""
    return {each.name for each in (mutation.noticed_by, *mutation.also)}


@functools.cache
def _holds(invariant_of: Callable[[str, int], str | None], level: str, seed: int) -> bool:
    """Whether a seed has no failure without any mutation. Several mutations share a seed, and this run."""
    return invariant_of(level, seed) is None
