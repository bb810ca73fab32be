"""A search resumes where it has ended, and remembers what it has found."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import pytest

from compat.chaos.__main__ import command as chaos
from compat.runs.__main__ import cli
from tests.planting.__main__ import main as planting
from tests.running.findings import report
from tests.running.search import Hunt, Journal, Tried
from tests.running.searches import Ended, Found, Search, by_commands, by_status, files_with_properties, table
from tests.running.units import Lane
from tests.sim.__main__ import main as simulate
from tests.sim.mutations.rarity import main as rarity
from tests.sim.rules.runs import read_corpus

SCRIPT = """
import pathlib, sys, time
number = int(sys.argv[1])
print("running", number, flush=True)
(pathlib.Path(sys.argv[2]) / f"running-{number}").touch()
if number == 3:
    print("bin/simulate --seed 3")
    sys.exit(1)
if number >= 5:
    time.sleep(60)
"""


def fake(name: str, *, longest_s: float = 600.0, lane: Lane = Lane.COMPUTING) -> Search:
    """One whose third step fails, and whose fifth does not end."""

    def command(number: int, _budget_s: float, folder: Path) -> Sequence[str]:
        return [sys.executable, "-c", SCRIPT, str(number), str(folder)]

    return Search(
        name=name, what="Counts.", command=command, judge=by_commands, lane=lane, longest_s=longest_s
    )


def hunt(folder: Path, search: Search, until: Callable[[Hunt], bool]) -> Journal:
    """Search until something is so."""
    made = Hunt([search], folder, seconds=600.0, tell=lambda _: None)

    def watch() -> None:
        while not until(made):
            time.sleep(0.01)
        made.stop()

    watcher = threading.Thread(target=watch)
    watcher.start()
    made.go(1, lambda: None)
    watcher.join()
    return made.journal


def tried(search: str, wall_s: float, number: int = 1) -> Tried:
    return Tried(
        at="2026-11-29T00:00:00+00:00",
        commit="0" * 12,
        search=search,
        number=number,
        tried=1,
        cpu_s=0.0,
        wall_s=wall_s,
        found=(),
    )


def test_a_search_resumes_where_it_was_stopped(tmp_path: Path) -> None:
    search = fake("fake")
    journal = hunt(tmp_path, search, lambda _: (tmp_path / "fake" / "running-5").exists())
    assert [step.number for step in journal.steps] == [1, 2, 3, 4]
    assert [len(step.found) for step in journal.steps] == [0, 0, 1, 0]
    assert journal.steps[2].found == (Found("bin/simulate --seed 3", "running 3"),)
    assert "running 3" in (tmp_path / "fake" / "failed-3.log").read_text()
    again = Journal(tmp_path)
    assert again.steps == journal.steps
    assert again.next_number(search) == 5
    written = report(again, [search, fake("other")], tmp_path)
    assert "| fake | Counts. | 4 | 4 |" in written
    assert "| other | Counts. | 0 | 0 |" in written
    assert written.count("bin/simulate --seed 3") == 1


def test_a_command_that_takes_too_long_has_failed(tmp_path: Path) -> None:
    Journal(tmp_path).add(tried("fake", 1.0, number=4))
    journal = hunt(tmp_path, fake("fake", longest_s=1.0), lambda made: len(made.journal.steps) > 1)
    step = journal.steps[1]
    assert step.number == 5
    assert len(step.found) == 1


def test_a_search_that_cannot_begin_ends_all(tmp_path: Path) -> None:
    def command(_number: int, _budget_s: float, _folder: Path) -> Sequence[str]:
        raise ValueError("no such seeds")

    broken = Search(name="broken", what="Cannot begin.", command=command)
    made = Hunt([broken, fake("other")], tmp_path, seconds=600.0, tell=lambda _: None)
    with pytest.raises(ValueError, match="no such seeds"):
        made.go(2, lambda: None)


def test_the_one_that_had_the_least_time_is_next(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for name, wall_s in (("a", 9.0), ("b", 2.0), ("b", 2.0), ("c", 6.0)):
        journal.add(tried(name, wall_s))
    searches = [fake("a"), fake("b"), fake("c"), fake("servers", lane=Lane.SERVERS)]
    made = Hunt(searches, tmp_path, seconds=600.0, tell=lambda _: None)
    assert made.choose(Lane.COMPUTING) is searches[1]
    assert made.choose(Lane.SERVERS) is searches[3]
    assert made.choose(Lane.SPARK) is None


def test_what_took_longer_than_there_is_time_does_not_begin(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.add(tried("long", 100.0))
    journal.add(tried("short", 3.0))
    searches = [fake("long"), fake("short")]
    made = Hunt(searches, tmp_path, seconds=50.0, tell=lambda _: None)
    assert made.choose(Lane.COMPUTING) is searches[1]


def test_only_lines_that_are_commands_show_failures() -> None:
    ended = Ended(
        "bin/simulate --runs 9", 1, "after 3 s: LOST\nbin/simulate --seed 4\n9 runs\nbin/simulate --seed 4\n"
    )
    assert by_commands(ended) == [Found("bin/simulate --seed 4", "after 3 s: LOST")]
    assert by_commands(Ended("bin/simulate --runs 9", 1, "Traceback\nKeyError: 4\n")) == [
        Found("bin/simulate --runs 9", "KeyError: 4")
    ]
    assert by_commands(Ended("bin/simulate --runs 9", 0, "9 runs\n")) == []
    assert by_status(Ended("pytest", 5, ""), (0, 5)) == []


@pytest.fixture(scope="module")
def searches() -> list[Search]:
    return table()


def test_every_part_of_the_runs_beside_apache_kafka_is_searched(searches: list[Search]) -> None:
    names = {search.name.removeprefix("compat-") for search in searches if search.name.startswith("compat-")}
    assert names == set(cli.commands)


def test_every_search_has_a_command_for_each_number(searches: list[Search], tmp_path: Path) -> None:
    assert len({search.name for search in searches}) == len(searches)
    for search in searches:
        assert search.what.endswith(".")
        for number in range(search.first, search.first + 9):
            command = search.command(number, 10.0, tmp_path)
            assert command
            assert all("{" not in word for word in command)


def test_seeds_of_the_corpus_are_run_with_other_dice_each_time(
    searches: list[Search], tmp_path: Path
) -> None:
    (search,) = (each for each in searches if each.name == "corpus")
    likes: list[int] = []
    dice: list[int] = []
    for number in range(search.first, search.first + 4 * search.stride, search.stride):
        *_, like, _, seed, _, count = search.command(number, 10.0, tmp_path)
        likes.append(int(like))
        dice += range(int(seed), int(seed) + int(count))
    corpus = read_corpus()
    assert likes == (4 * corpus)[:4]
    assert len(set(dice)) == len(dice) == 4 * search.stride


PROGRAMS: dict[tuple[str, ...], click.Command] = {
    # The longer one first.
    ("bin/simulate", "--plant"): planting,
    ("bin/simulate",): simulate,
    ("bin/chaos",): chaos,
    (".venv/bin/python", "-m", "tests.sim.mutations.rarity"): rarity,
    **{("bin/compat", name): command for name, command in cli.commands.items()},
}


def test_the_programs_know_the_options_that_they_get(searches: list[Search], tmp_path: Path) -> None:
    checked = 0
    for search in searches:
        # All variants of each.
        for number in range(search.first, search.first + 16):
            words = tuple(search.command(number, 10.0, tmp_path))
            start = next((start for start in PROGRAMS if words[: len(start)] == start), None)
            if start is not None:
                PROGRAMS[start].make_context(" ".join(start), list(words[len(start) :]))
                checked += 1
    assert checked > 16 * 25


def test_no_two_kinds_of_seeds_overlap(searches: list[Search]) -> None:
    firsts = [search.first for search in searches if search.name.startswith("nodes-") and search.stride > 1]
    assert len(firsts) == 11
    assert len({first // 100_000 for first in firsts}) == len(firsts)


def test_properties_are_found() -> None:
    assert "tests/core/raft/test_properties.py" in files_with_properties()
