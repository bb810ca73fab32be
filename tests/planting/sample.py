"""Plants some of the faults of ``noticed.txt`` again, and sees whether who noticed them still does.

The sample is another one for each text that it is drawn by, such as the hash of a commit.
"""

from __future__ import annotations

import random
import resource
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from tests.planting.collected import Collected, collect
from tests.planting.faults import Fault, planted
from tests.planting.forks import Ended, Say, forked
from tests.planting.judged import noticed_by_seeds, noticed_by_tests
from tests.planting.quick import LIMIT_FACTOR, LIMIT_S
from tests.planting.results import FOLDER, all_sources
from tests.planting.swap import Exchange, exchange, exchanged

T = TypeVar("T")

MOST_TESTS = 10
MOST_CPU_S = 6.0
"""When so much was used for faults and tests, no other fault is put to a test; the same of seeds."""
TEST_LIMIT_S = 60.0


def unnoticed(text: str) -> Sequence[str]:
    """A sentence for each fault of the sample that passes, and for each test that fails without its fault."""
    problems = of_tests(dict(_shuffled(noticed_by_tests(), text)[:MOST_TESTS]))
    return [*problems, *of_seeds(dict(_shuffled(noticed_by_seeds(), text)))]


def _shuffled(faults: Mapping[Fault, T], text: str) -> Sequence[tuple[Fault, T]]:
    pairs = list(faults.items())
    random.Random(f"sample {text}").shuffle(pairs)
    return pairs


def of_tests(faults: Mapping[Fault, str]) -> Sequence[str]:
    """What is wrong with tests that notice some faults."""
    problems: list[str] = []

    def job(collected: Collected) -> None:
        for fault, test in _some(faults):
            without = _run(collected, test, (), TEST_LIMIT_S)
            # With some faults a test does not end.
            limit_s = LIMIT_FACTOR * without.seconds + LIMIT_S
            if _has_failed(without):
                problems.append(f"{test} fails without {fault}")
            elif not _has_failed(_run(collected, test, exchange(*planted(fault)), limit_s)):
                problems.append(f"{test} passes with {fault}")

    if faults:
        collect(sorted(set(faults.values())), job)
    return problems


def _run(collected: Collected, test: str, functions: Exchange, limit_s: float) -> Ended:
    def child(say: Say) -> None:
        with exchanged(functions):
            for failed in collected.run([test], {test: limit_s}):
                say(failed)

    return forked(child)


def _has_failed(ended: Ended) -> bool:
    return bool(ended.failure) or ended.said != [None]


def of_seeds(faults: Mapping[Fault, int]) -> Sequence[str]:
    """What is wrong with seeds that notice some faults."""
    if not faults:
        return []
    # What the quick tests need is imported without the simulator.
    from tests.planting.nodes import CleanRuns, attempt

    clean = CleanRuns(FOLDER / f"clean-{all_sources()}")
    problems = []
    for fault, seed in _some(faults):
        outcome = attempt(fault, [seed], 0, clean)
        if outcome.noticed_by is None:
            problems.append(f"seed {seed} passes with {fault}")
    return problems


def _some(faults: Mapping[Fault, T]) -> Iterator[tuple[Fault, T]]:
    """At least one, and others until the time is used."""
    ends_s = _used_s() + MOST_CPU_S
    for each in faults.items():
        yield each
        if _used_s() > ends_s:
            return


def _used_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
