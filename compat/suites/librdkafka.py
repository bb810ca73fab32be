"""librdkafka's own regression tests, run where a user has built them.

`test-runner` is started anew for each number of a test, so one that hangs or ends the process says nothing about
others. Tests that need no broker, or are started by hand, are none of the suite's. Some tests call Kafka's command
lines, which they get from `compat.kafka.tools`, or programs of their own with Kafka's clients.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from compat.parity.jars import jars_directory
from compat.suites.outcomes import Outcome, Verdict

ROOT = Path(__file__).parents[2]
# What it compares with what a test asks for; the release that our server is held against.
KAFKA_VERSION = "4.4.0"
TIMEOUT_MULTIPLIER = 2
NUMBER_TIMEOUT_S = 800
DEFAULT_SCENARIO = "default"

DEFINED = re.compile(r"^ *_TEST\((\w+),([^)]*)", re.MULTILINE)
SCENARIO = re.compile(r'\.scenario = "([\w,]+)"')
VERSION = re.compile(r"^# librdkafka v([\d.]+)", re.MULTILINE)
# A line of the table at the end: a test, its state, how long it took, and why it was skipped.
ROW = re.compile(r"^\| (\w+) +\| +(PASSED|FAILED|SKIPPED|DNS|RUNNING) \|[^|]*\| *(.*)$", re.MULTILINE)
FAILURE = re.compile(r"^### Test .*\n(.*)$", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
VERDICTS = {"PASSED": Verdict.PASSED, "SKIPPED": Verdict.SKIPPED}


def defined_tests(source: str) -> dict[str, str]:
    """The tests of test.c that need a broker and are not started by hand, by name, each with its scenario."""
    found = {}
    for name, rest in DEFINED.findall(source):
        if "TEST_F_LOCAL" in rest or "TEST_F_MANUAL" in rest:
            continue
        scenario = SCENARIO.search(rest)
        found[name] = scenario[1].partition(",")[0] if scenario else DEFAULT_SCENARIO
    return found


def read_outcome(name: str, printed: str) -> Outcome:
    """What a run printed about a test. Without a row for it, the runner was ended before it could say."""
    text = COLOUR.sub("", printed)
    rows = {row[0]: row for row in ROW.findall(text)}
    _, state, reason = rows.get(name, (name, "", ""))
    verdict = VERDICTS.get(state, Verdict.FAILED)
    if verdict is Verdict.FAILED:
        failure = FAILURE.search(text)
        reason = failure[1] if failure else "its runner did not report it"
    return Outcome(name=name, verdict=verdict, detail=reason.strip())


class Librdkafka:
    """See `Suite`."""

    def __init__(self, source: Path, servers: str, scenario: str, folder: Path) -> None:
        """The source folder is librdkafka's, with built tests; raises FileNotFoundError if they are not built."""
        self._tests = source.resolve() / "tests"
        if not (self._tests / "test-runner").exists():
            raise FileNotFoundError(f"{self._tests / 'test-runner'}: build librdkafka's tests first")
        version = VERSION.search((source / "CHANGELOG.md").read_text())
        self._scenario = scenario
        self.left_out_file = f"librdkafka-{scenario}"
        self.title = f"librdkafka {version[1] if version else ''}, scenario {scenario}"
        self._servers = servers
        self._folder = folder
        self._configuration = folder / "test.conf"
        self._configuration.write_text(
            f"bootstrap.servers={servers}\ntest.topic.random=true\n"
            f"test.timeout.multiplier={TIMEOUT_MULTIPLIER}\n"
        )
        _write_tools(folder)

    def tests(self) -> list[str]:
        """See Suite."""
        defined = defined_tests((self._tests / "test.c").read_text())
        return [name for name, scenario in defined.items() if scenario == self._scenario]

    def run(self, tests: Sequence[str], folder: Path) -> Iterator[Outcome]:
        """See Suite."""
        for number, names in groupby(tests, key=lambda name: name.partition("_")[0]):
            printed = self._run_number(number, folder / f"{number}.log")
            yield from (read_outcome(name, printed) for name in names)

    def _run_number(self, number: str, log: Path) -> str:
        """What the tests of this number print; there is no way to run one of several alone."""
        environment = {
            **os.environ,
            "TESTS": number,
            "RDKAFKA_TEST_CONF": str(self._configuration),
            "TEST_KAFKA_VERSION": KAFKA_VERSION,
            "KAFKA_PATH": str(self._folder),
            "BROKERS": self._servers,
            "LD_LIBRARY_PATH": "../src:../src-cpp",
        }
        # One at a time, without those that need no broker or have a known issue, in the cluster's scenario.
        command = ["./test-runner", "-p1", "-L", "-K", "-s", self._scenario]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=self._tests, env=environment, stdout=output, stderr=subprocess.STDOUT
            )
            try:
                process.wait(NUMBER_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return log.read_text(errors="replace")


def _write_tools(folder: Path) -> None:
    """Scripts and jars, where a test looks for them in what it takes for a release of Apache Kafka."""
    binaries, libraries = folder / "bin", folder / "libs"
    binaries.mkdir(parents=True, exist_ok=True)
    libraries.symlink_to(jars_directory())
    scripts = {
        f"{tool}.sh": f'cd "{ROOT}" && exec "{sys.executable}" -m compat.kafka.tools {tool} "$@"'
        for tool in ("kafka-acls", "kafka-topics")
    }
    scripts["kafka-run-class.sh"] = f'exec java -cp "$CLASSPATH:{libraries}/*" "$@"'
    for name, line in scripts.items():
        script = binaries / name
        script.write_text(f"#!/bin/sh\n{line}\n")
        script.chmod(0o755)
