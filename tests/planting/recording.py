"""Records which test runs which lines of some modules, and how long it takes; remembers that in a file.

coverage.py counts lines, with the test as its context.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import coverage

from tests.planting.collected import Collected
from tests.planting.faults import Site, file_of
from tests.planting.forks import Say, forked


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What the quick tests of a room run."""

    seconds: Mapping[str, float]
    """Processor time of each test that passes, without any fault and in a forked process."""
    failing: Mapping[str, str]
    """Those that do not pass like this, and why. They say nothing about faults."""
    lines: Mapping[str, Mapping[int, Sequence[str]]]
    """The tests that run each line of each module."""

    def tests_of(self, site: Site) -> Sequence[str]:
        """The tests that run any line of a place, the quickest first."""
        lines = self.lines.get(site.fault.path, {})
        numbers = range(site.first_line, site.last_line + 1)
        found = {test for number in numbers for test in lines.get(number, ())}
        return sorted(found & self.seconds.keys(), key=lambda test: (self.seconds[test], test))

    def save(self, path: Path) -> None:
        """Write it down."""
        tests = list(self.seconds)
        numbers = {test: number for number, test in enumerate(tests)}
        lines = {
            name: {line: [numbers[test] for test in found] for line, found in by_line.items()}
            for name, by_line in self.lines.items()
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"seconds": self.seconds, "failing": self.failing, "lines": lines})
        path.write_text(text)

    @classmethod
    def load(cls, path: Path) -> Recording:
        """Read what was written down."""
        read = json.loads(path.read_text())
        tests = list(read["seconds"])
        lines = {
            name: {int(line): [tests[number] for number in found] for line, found in by_line.items()}
            for name, by_line in read["lines"].items()
        }
        return cls(seconds=read["seconds"], failing=read["failing"], lines=lines)


def record(collected: Collected, modules: Collection[str]) -> Recording:
    """Run all tests once, those of a file in a forked process. A test that ends its process is one that fails.

    Raises RuntimeError if no test can be run.
    """
    by_file: dict[str, list[str]] = {}
    for test in collected.items:
        by_file.setdefault(test.partition("::")[0], []).append(test)
    seconds: dict[str, float] = {}
    failing: dict[str, str] = {}
    lines: defaultdict[str, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for tests in by_file.values():
        recorded = _record_file(collected, tests, modules, failing)
        seconds |= recorded.seconds
        failing |= recorded.failing
        for path, by_line in recorded.lines.items():
            for line, found in by_line.items():
                lines[path][line] += found
    return Recording(
        seconds=seconds, failing=failing, lines={path: dict(by_line) for path, by_line in lines.items()}
    )


def _record_file(
    collected: Collected, tests: Sequence[str], modules: Collection[str], failing: dict[str, str]
) -> Recording:
    def child(say: Say) -> None:
        say(_record(collected, left, modules, say))

    left = list(tests)
    while True:
        ended = forked(child)
        if not ended.failure:
            recording = ended.said[-1]
            assert isinstance(recording, Recording)
            return recording
        if not ended.said:
            raise RuntimeError(f"no test of {tests[0]} begins: {ended.failure}")
        # The test that began last.
        failing[ended.said[-1]] = ended.failure
        left.remove(ended.said[-1])


def _record(collected: Collected, tests: Sequence[str], modules: Collection[str], say: Say) -> Recording:
    files = {str(file_of(each)): each for each in modules}
    measured = coverage.Coverage(data_file=None, config_file=False, include=list(files))
    # The other ways to measure know no contexts.
    measured.set_option("run:core", "ctrace")
    # A file whose tests run nothing of the modules is as good as others.
    measured.set_option("run:disable_warnings", ["no-data-collected"])
    seconds: dict[str, float] = {}
    failing: dict[str, str] = {}
    measured.start()
    for test in tests:
        say(test)
        measured.switch_context(test)
        began = time.process_time()
        for failed in collected.run([test]):
            if failed is None:
                seconds[test] = time.process_time() - began
            else:
                failing[test] = failed.why
    measured.stop()
    data = measured.get_data()
    lines: dict[str, dict[int, list[str]]] = {}
    for file, path in files.items():
        by_line = data.contexts_by_lineno(file)
        lines[path] = {line: [test for test in found if test in seconds] for line, found in by_line.items()}
    return Recording(seconds=seconds, failing=failing, lines=lines)
