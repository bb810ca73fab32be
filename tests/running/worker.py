"""A process that runs tests, as a plugin of pytest: it asks for units of work, and tells of each test.

One process takes many units, one after the other. So what a session's fixtures started, a server or a JVM, serves all
of them, and each module is imported once. The next unit is asked for before the last test of the one at hand runs,
because pytest keeps the fixtures that the next test needs.

Both directions are lines of JSON over one socket, whose file descriptor is the option ``--running-fd``. The process
sends ``{"event": "want"}`` and gets a unit (``Unit.to_json``), or ``null`` if there is nothing left for it. The events
that it sends:

| event | with |
|---|---|
| ``want`` | |
| ``collected`` | ``unit``; ``tests``: how many; ``names``: see `_digest`; ``others``: how many, by other part |
| ``began`` | ``unit``, ``test`` |
| ``test`` | ``unit``, ``test``, ``outcome``, ``reason``, ``report``, ``cpu_s``, ``wall_s``, ``counts``, ``marks`` |
| ``broken`` | ``unit``, ``reason``, ``report``: the file cannot be collected |
| ``spent`` | ``unit``, ``cpu_s``, ``wall_s``: for collecting it |
| ``ended`` | : no other test runs; what is left is to stop what the session has started |
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from tests.running.counting import take_counts
from tests.running.covering import Covering, is_covered
from tests.running.parts import Part, outside_of_share, part_of_item
from tests.running.processor_time import used_by_all_s
from tests.running.units import Unit, files_with_tests


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of this process."""
    parser.addoption("--running-fd", type=int, help="Where units come from and events go to.")
    parser.addoption("--running-share", help="Of the simulations run a share, drawn by this text.")
    parser.addoption("--running-coverage", help="The file that gets what units with coverage have covered.")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to serve."""
    # What a shell has put into the background inherits that interrupts are ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    connection = socket.socket(fileno=config.getoption("--running-fd"))
    # Servers and JVMs that tests start would else keep it open.
    connection.set_inheritable(False)
    covering = config.getoption("--running-coverage")
    covers = None if covering is None else Covering(covering)
    config.pluginmanager.register(Worker(connection, config.getoption("--running-share"), covers))


@dataclass(frozen=True, slots=True)
class Spent:
    """Processor time of this process and of its children, and time by the clock."""

    cpu_s: float
    wall_s: float

    @classmethod
    def now(cls) -> Spent:
        """Until now."""
        return cls(used_by_all_s(), time.monotonic())

    def since(self, began: Spent) -> dict[str, float]:
        """The difference, as events have it."""
        return {
            "cpu_s": round(self.cpu_s - began.cpu_s, 3),
            "wall_s": round(self.wall_s - began.wall_s, 3),
        }


class Worker:
    """Runs units until there are no more."""

    def __init__(self, connection: socket.socket, drawn_by: str | None, covers: Covering | None) -> None:
        self._lines = connection.makefile("rw", encoding="utf-8", newline="\n")
        self._drawn_by = drawn_by
        self._covers = covers
        self._files: dict[str, pytest.Item | pytest.Collector] = {}
        """By path from the root. Fixtures belong to nodes of pytest, so there is one for each file and each folder."""
        self._collected: dict[str, list[pytest.Item]] = {}
        """The tests of files of which another unit may come."""
        self._reports: list[pytest.TestReport] = []
        self._broken: list[pytest.CollectReport] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Find all files, and import none of them yet."""
        root = session.config.rootpath
        found = session.perform_collect([str(file) for file in files_with_tests(root)], genitems=False)
        self._files = {node.path.relative_to(root).as_posix(): node for node in found}
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all that is given."""
        waiting = self._items(session)
        at_hand = next(waiting, None)
        while at_hand is not None:
            unit, item = at_hand
            following = next(waiting, None)
            self._run(unit, item, None if following is None else following[1])
            at_hand = following
        if self._covers is not None:
            self._covers.save()
        self._send(event="ended")
        return True

    def _items(self, session: pytest.Session) -> Iterator[tuple[Unit, pytest.Item]]:
        while (unit := self._next_unit()) is not None:
            if unit.nice > os.getpriority(os.PRIO_PROCESS, 0):
                os.setpriority(os.PRIO_PROCESS, 0, unit.nice)
            for item in self._collect(session, unit):
                yield unit, item

    def _next_unit(self) -> Unit | None:
        self._send(event="want")
        line = self._lines.readline()
        told = json.loads(line) if line else None
        return None if told is None else Unit.from_json(told)

    def _collect(self, session: pytest.Session, unit: Unit) -> Sequence[pytest.Item]:
        """The tests of a unit."""
        began = Spent.now()
        items = self._collected.get(unit.path)
        if items is None:
            with self._measuring(unit):
                items = list(session.genitems(self._files[unit.path]))
            session.config.hook.pytest_collection_modifyitems(
                session=session, config=session.config, items=items
            )
        for failed in self._broken:
            self._send(event="broken", unit=unit.number, reason=reason_of(failed), report=failed.longreprtext)
        self._broken.clear()
        parts = Counter(part_of_item(item) for item in items)
        if unit.slices > 1 or len(parts) > 1:
            self._collected[unit.path] = items
        mine = [item for item in items if part_of_item(item) is unit.part]
        if self._drawn_by is not None and unit.part is Part.SIMULATION:
            left_out = {item.nodeid for item in outside_of_share(mine, self._drawn_by)}
            mine = [item for item in mine if item.nodeid not in left_out]
        names = _digest(mine)
        mine = mine[unit.slice :: unit.slices]
        others = {part.value: count for part, count in parts.items() if part is not unit.part}
        self._send(event="collected", unit=unit.number, tests=len(mine), names=names, others=others)
        self._send(event="spent", unit=unit.number, **Spent.now().since(began))
        return mine

    def _run(self, unit: Unit, item: pytest.Item, following: pytest.Item | None) -> None:
        self._send(event="began", unit=unit.number, test=item.nodeid)
        take_counts()
        self._reports.clear()
        began = Spent.now()
        with self._measuring(unit):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        spent = Spent.now().since(began)
        outcome, reason = outcome_of(self._reports)
        counts = take_counts()
        self._send(
            event="test",
            unit=unit.number,
            test=item.nodeid,
            outcome=outcome,
            reason=reason,
            report="\n".join(map(text_of, self._reports)) if outcome == "failed" else "",
            counts=counts if outcome == "passed" else {},
            marks=sorted({mark.name for mark in item.iter_markers()}),
            **spent,
        )

    def _measuring(self, unit: Unit) -> contextlib.AbstractContextManager[None]:
        if self._covers is None or not is_covered(unit.path, unit.part):
            return contextlib.nullcontext()
        return self._covers.measuring()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what came of one phase of a test."""
        self._reports.append(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what cannot be collected."""
        if report.failed:
            self._broken.append(report)

    def _send(self, **event: object) -> None:
        self._lines.write(json.dumps(event) + "\n")
        self._lines.flush()


def _digest(items: Sequence[pytest.Item]) -> str:
    """The same in each process that collects the same tests in the same order."""
    return hashlib.sha256("\n".join(item.nodeid for item in items).encode()).hexdigest()


def outcome_of(reports: Sequence[pytest.TestReport]) -> tuple[str, str]:
    """``passed``, ``failed`` or ``skipped``, and why not passed, in a line. What was not called has not passed."""
    for report in reports:
        if report.failed:
            return "failed", reason_of(report)
    for report in reports:
        if report.skipped:
            return "skipped", reason_of(report)
    was_called = any(report.when == "call" for report in reports)
    return ("passed", "") if was_called else ("failed", "it was not called")


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test did not pass, in a line."""
    told = report.longrepr
    if isinstance(told, tuple):
        return told[2].removeprefix("Skipped: ")
    crash = getattr(told, "reprcrash", None)
    if crash is None:
        # Of a file that cannot be collected: pytest marks the lines of the exception.
        errors = [line.removeprefix("E").strip() for line in str(told).splitlines() if line.startswith("E ")]
        return errors[-1] if errors else str(told).partition("\n")[0]
    first: str = crash.message.partition("\n")[0]
    return f"{report.when}: {first}" if report.when in ("setup", "teardown") else first


def text_of(report: pytest.TestReport) -> str:
    """All that is known of a phase that failed, with what it printed; empty if it did not fail."""
    if not report.failed:
        return ""
    printed = [f"--- {title} ---\n{text}" for title, text in report.sections if text]
    return "\n".join([report.longreprtext, *printed])
