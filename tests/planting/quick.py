"""Plants faults one after the other, and puts each to the quick tests that run its lines."""

from __future__ import annotations

from collections.abc import Sequence

from tests.planting.collected import Collected, Failed
from tests.planting.faults import Fault, find, planted
from tests.planting.forks import Ended, Say, forked
from tests.planting.outcomes import QuickOutcome
from tests.planting.recording import Recording
from tests.planting.swap import Exchange, LiveFunctions, exchange, exchanged

LIMIT_FACTOR = 10.0
LIMIT_S = 3.0
"""A test with a fault may take so much longer than without it, and so many seconds more."""


class Trials:
    """Faults and the tests of their room, in the process that collected these."""

    def __init__(self, collected: Collected, recording: Recording, live: LiveFunctions) -> None:
        self._collected = collected
        self._recording = recording
        self._live = live
        self._passing: set[str] = set()
        """Tests that noticed a fault, and pass without one after the same tests."""
        self.distrusted: dict[str, str] = {}
        """Tests that did not pass then, and why. They are left out."""

    def attempt(self, fault: Fault) -> QuickOutcome:
        """Plant a fault. Raises UnfitTreeError if it cannot be planted, and LookupError if there is no such place."""
        functions = exchange(*planted(fault), self._live)
        site = find(fault)
        while True:
            tests = [each for each in self._recording.tests_of(site) if each not in self.distrusted]
            ended = self._run(tests, functions)
            failed = _failed(tests, ended)
            if failed is None or self._passes(tests[: tests.index(failed.test) + 1]):
                return QuickOutcome(
                    noticed_by=failed.test if failed else None,
                    how=failed.why if failed else "",
                    tests=len(tests),
                    seconds=ended.seconds,
                )

    def _passes(self, tests: Sequence[str]) -> bool:
        """Whether the last of some tests passes after the others, without a fault."""
        last = tests[-1]
        if last not in self._passing:
            failed = _failed(tests, self._run(tests, ()))
            if failed is not None:
                self.distrusted[failed.test] = failed.why
                return False
            self._passing.add(last)
        return True

    def _run(self, tests: Sequence[str], functions: Exchange) -> Ended:
        limits_s = {test: LIMIT_FACTOR * self._recording.seconds[test] + LIMIT_S for test in tests}

        def run(say: Say) -> None:
            with exchanged(functions):
                for failed in self._collected.run(tests, limits_s):
                    say(failed)
                    if failed is not None:
                        break

        return forked(run)


def _failed(tests: Sequence[str], ended: Ended) -> Failed | None:
    if ended.failure:
        # The one that said nothing of itself.
        return Failed(test=tests[len(ended.said)], why=ended.failure)
    return next((each for each in ended.said if each is not None), None)
