"""Puts faults to the quick tests of their rooms, and those that pass to whole nodes, on some processes.

Each process has one task: the faults of a room, or faults for whole nodes. It imports what these need once, and forks
for each fault.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeAlias

from tests.planting.collected import Collected, collect
from tests.planting.faults import Fault, file_of
from tests.planting.quick import Trials
from tests.planting.recording import Recording, record
from tests.planting.results import Results
from tests.planting.rooms import ROOMS, Room, room_of
from tests.planting.swap import UnfitTreeError, live_functions

MOST_FAULTS = 50
"""Of a task."""

Say: TypeAlias = Callable[[str], None]
Task: TypeAlias = tuple[Callable[..., None], tuple[Any, ...]]


def try_all(faults: Sequence[Fault], results: Results, *, processes: int, budget_s: float, say: Say) -> None:
    """Try faults that have no result yet; whole nodes only if they have a budget.

    Raises RuntimeError if a process fails.
    """
    by_room: defaultdict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        if not results.has_quick(fault):
            by_room[room_of(fault.path).name].append(fault)
    tasks: list[Task] = [
        (_try_in_room, (ROOMS[name], part, results.recording_path(ROOMS[name])))
        for name, of_room in by_room.items()
        for part in _parts(of_room)
    ]
    for fault, outcome in run_tasks(tasks, processes):
        if isinstance(fault, str):
            say(fault)
        else:
            results.add_quick(fault, outcome)
    if not budget_s:
        return
    left = [each for each in faults if is_for_nodes(each, results) and results.nodes(each) is None]
    if left:
        say(f"{len(left)} go on to whole nodes")
    tasks = [
        (_try_in_nodes, (part, budget_s, results.clean_runs_path()))
        for part in (left[n::processes] for n in range(processes))
        if part
    ]
    for fault, outcome in run_tasks(tasks, processes):
        results.add_nodes(fault, outcome)
        say(f"{outcome.seconds:6.1f} s, {outcome.how or 'nothing'} noticed {fault}")


def is_for_nodes(fault: Fault, results: Results) -> bool:
    """Whether the quick tests let a fault pass."""
    outcome = results.quick(fault)
    return outcome is not None and outcome.noticed_by is None


def _parts(faults: Sequence[Fault]) -> Iterator[Sequence[Fault]]:
    for begin in range(0, len(faults), MOST_FAULTS):
        yield faults[begin : begin + MOST_FAULTS]


def run_tasks(tasks: Sequence[Task], processes: int) -> Iterator[Any]:
    """What the tasks send, as it comes. Raises RuntimeError if one of them fails."""
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(tasks))
    running: dict[Connection, multiprocessing.process.BaseProcess] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                function, arguments = waiting.pop()
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_run_task, args=(function, sender, *arguments))
                process.start()
                sender.close()
                running[receiver] = process
            ready = wait(list(running))
            for receiver in [each for each in running if each in ready]:
                try:
                    yield receiver.recv()
                except EOFError:
                    ended = running.pop(receiver)
                    ended.join()
                    if ended.exitcode:
                        raise RuntimeError(f"a process ends with {ended.exitcode}") from None
    finally:
        for each in running.values():
            each.terminate()
        for each in running.values():
            each.join()


def _run_task(function: Callable[..., None], sender: Connection, *arguments: Any) -> None:
    # One that is terminated ends the child that it has forked.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    function(sender, *arguments)


def _try_in_room(sender: Connection, room: Room, faults: Sequence[Fault], path: Path) -> None:
    def job(collected: Collected) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_suffix(".lock").open("w") as lock:
            # Another process with faults of this room waits for the recording rather than make it as well.
            fcntl.flock(lock, fcntl.LOCK_EX)
            recording = Recording.load(path) if path.is_file() else _recorded(room, collected, path, sender)
        live = live_functions({str(file_of(each)) for each in room.paths()})
        trials = Trials(collected, recording, live)
        for fault in faults:
            try:
                sender.send((fault, trials.attempt(fault)))
            except UnfitTreeError:
                sender.send((fault, None))
        _say_failing(trials.distrusted, sender)

    collect(room.test_paths(), job)
    sender.close()


def _recorded(room: Room, collected: Collected, path: Path, sender: Connection) -> Recording:
    recording = record(collected, room.paths())
    recording.save(path)
    seconds = sum(recording.seconds.values())
    sender.send((f"{room.name}: {len(recording.seconds)} tests, {seconds:.0f} s", None))
    _say_failing(recording.failing, sender)
    return recording


def _say_failing(tests: Mapping[str, str], sender: Connection) -> None:
    for test, why in tests.items():
        sender.send((f"fails without any fault, and is left out: {test}: {why}", None))


def _try_in_nodes(sender: Connection, faults: Sequence[Fault], budget_s: float, path: Path) -> None:
    # What the quick tests need is imported without the simulator.
    from tests.planting import nodes

    clean = nodes.CleanRuns(path)
    for fault in faults:
        seeds = room_of(fault.path).some_seeds()
        sender.send((fault, nodes.attempt(fault, seeds, budget_s, clean)))
    sender.close()
