"""``bin/test --search``: steps of all searches in turn, until the time is over or somebody interrupts it.

What computes runs on all processors, at the lowest priority; beside it one search that starts servers. The next search
is the one that had the least time so far. `.search/` remembers the number of each, and everything that was tried.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.running.parts import ROOT, commit
from tests.running.searches import Ended, Found, Search
from tests.running.units import Lane

FOLDER = ROOT / ".search"
STEP_S = 300.0
"""A step that can be of any length takes so long."""
LOOK_S = 0.2
END_S = 30.0
"""For a command that is interrupted."""
OUTPUT_CHARACTERS = 200_000
LATE = -1
"""In place of the exit status of a command that took too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of one step."""

    at: str
    commit: str
    search: str
    number: int
    tried: int
    cpu_s: float
    wall_s: float
    found: tuple[Found, ...]

    def to_json(self) -> str:
        """For the file of all steps."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Tried:
        """The other way round."""
        told: dict[str, Any] = json.loads(line)
        return cls(**{**told, "found": tuple(Found(**each) for each in told["found"])})


class Journal:
    """All steps that were ever tried, in a file."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._file = folder / "steps.jsonl"
        text = self._file.read_text() if self._file.exists() else ""
        self.steps = [Tried.from_json(line) for line in text.splitlines()]

    def add(self, step: Tried) -> None:
        """Write one more down."""
        self.steps.append(step)
        with self._file.open("a") as file:
            file.write(f"{step.to_json()}\n")

    def next_number(self, search: Search) -> int:
        """The number of the next step of a search."""
        numbers = [step.number + step.tried for step in self.steps if step.search == search.name]
        return max(numbers, default=search.first)

    def spent_s(self, search: Search) -> float:
        """The time that it had so far."""
        return sum(step.wall_s for step in self.steps if step.search == search.name)

    def last_s(self, search: Search) -> float:
        """The time that its last step took; 0 if there was none."""
        return next((step.wall_s for step in reversed(self.steps) if step.search == search.name), 0.0)


class Hunt:
    """One run of ``bin/test --search``."""

    def __init__(
        self, searches: Sequence[Search], folder: Path, *, seconds: float, tell: Callable[[str], None]
    ) -> None:
        self._searches = searches
        self._folder = folder
        self._tell = tell
        self._ends_s = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._busy: set[str] = set()
        self._stopped = threading.Event()
        self.journal = Journal(folder)

    def go(self, processors: int, after_step: Callable[[], None]) -> None:
        """Search until the time is over. An interrupt ends what runs, whose steps are repeated the next time.

        Raises what a search raised that cannot begin or be judged.
        """
        lanes = [Lane.COMPUTING] * processors + [Lane.SERVERS]
        with ThreadPoolExecutor(len(lanes)) as pool:
            serving = [pool.submit(self._serve, lane, after_step) for lane in lanes]
            try:
                wait(serving, max(0.0, self._ends_s - time.monotonic()), FIRST_EXCEPTION)
            finally:
                self.stop()
        for each in serving:
            each.result()

    def stop(self) -> None:
        """End before the time is over."""
        self._stopped.set()

    def _serve(self, lane: Lane, after_step: Callable[[], None]) -> None:
        while not self._stopped.is_set():
            with self._lock:
                search = self.choose(lane)
                if search is not None:
                    self._busy.add(search.name)
            if search is None:
                self._stopped.wait(LOOK_S)
                continue
            self._step(search)
            with self._lock:
                self._busy.discard(search.name)
                after_step()

    def choose(self, lane: Lane) -> Search | None:
        """The next search of a lane. None if all run, or if their last steps took longer than there is time."""
        left_s = self._ends_s - time.monotonic()
        waiting = [
            search
            for search in self._searches
            if search.lane is lane and search.name not in self._busy and self.journal.last_s(search) <= left_s
        ]
        return min(waiting, key=self.journal.spent_s, default=None)

    def _step(self, search: Search) -> None:
        folder = self._folder / search.name
        folder.mkdir(exist_ok=True)
        with self._lock:
            number = self.journal.next_number(search)
        budget_s = max(1.0, min(STEP_S, self._ends_s - time.monotonic()))
        arguments = list(search.command(number, budget_s, folder))
        command, log, work = shlex.join(arguments), folder / "last.log", folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        if search.keeps_work:
            arguments += ["--work", str(work)]
        if search.lane is Lane.COMPUTING:
            arguments = ["nice", "-n", "19", *arguments]
        began_s = time.monotonic()
        with log.open("wb") as output:
            process = subprocess.Popen(
                arguments,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # The keyboard's interrupt is for this process, which passes it on.
                process_group=0,
            )
        status, cpu_s = self._wait(process, search.longest_s)
        if status is None:
            return
        found = search.judge(Ended(command, status, log.read_text(errors="replace")[-OUTPUT_CHARACTERS:]))
        if found:
            log.rename(folder / f"failed-{number}.log")
            if work.exists():
                work.rename(folder / f"failed-{number}")
        step = Tried(
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            commit=commit(),
            search=search.name,
            number=number,
            tried=search.stride,
            cpu_s=round(cpu_s, 1),
            wall_s=round(time.monotonic() - began_s, 1),
            found=tuple(found),
        )
        with self._lock:
            self.journal.add(step)
            self._tell(f"{search.name} {number}: {step.wall_s:.0f} s, {len(found)} failed")
            for each in found:
                self._tell(f"  {each.command}\n    {each.reason}")

    def _wait(self, process: subprocess.Popen[bytes], longest_s: float) -> tuple[int | None, float]:
        """The exit status of a command, and processor time; no status if this run is over before the command is."""
        late_s = time.monotonic() + longest_s
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage.ru_utime + usage.ru_stime
            if self._stopped.is_set() or time.monotonic() > late_s:
                end(process)
                return (None if self._stopped.is_set() else LATE), 0.0
            time.sleep(LOOK_S)


def end(process: subprocess.Popen[bytes]) -> None:
    """Have a command end what it started; kill what does not."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
