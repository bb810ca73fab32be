"""``bin/simulate --rules``: runs seeds, and says of each rule in how many of them it was decisive."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from tests.sim.rules.moments import Found
from tests.sim.rules.runs import (
    FIRST_SEEDS,
    KEPT,
    RuleRun,
    all_seeds,
    by_room,
    corpus_text,
    digests_of,
    keep,
    kept,
    run_many,
    seeds_in,
    seeds_of,
    states_of,
)
from tests.sim.rules.table import CORPUS, RESULTS, ROOMS, Rule, read_rules

_NOTHING = Found(0, 0, 0, ())
_ROOM_HEAD = re.compile(r"# (\w+): (\d+) runs, ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """In how many runs something became of a rule."""

    rule: Rule
    runs: int
    reached: int
    decisive: int
    maybe: int
    """May have decided, and has not certainly done so."""

    @property
    def per_thousand(self) -> float:
        """In how many of 1,000 runs it is decisive."""
        return 1000 * self.decisive / self.runs if self.runs else 0.0


def tallies(rules: Iterable[Rule], runs: Sequence[RuleRun]) -> list[Tally]:
    """What became of rules in runs, those that are decisive in most first. A seed counts once for each room, with its
    newest run that had the room's present rules."""
    rules = list(rules)
    digests = digests_of(rules)
    counted: dict[str, dict[int, RuleRun]] = {room: {} for room in digests}
    for run in runs:
        for room, digest in run.rooms.items():
            if digests.get(room) == digest:
                counted[room][run.seed] = run
    made = []
    for rule in rules:
        found = [run.found.get(rule.key, _NOTHING) for run in counted[rule.room].values()]
        made.append(
            Tally(
                rule=rule,
                runs=len(found),
                reached=sum(each.reached > 0 for each in found),
                decisive=sum(each.decisive > 0 for each in found),
                maybe=sum(each.maybe > 0 and not each.decisive for each in found),
            )
        )
    return sorted(made, key=lambda each: -each.per_thousand)


def simulate_rules(rooms: Sequence[str], count: int, processes: int, folder: Path = KEPT) -> bool:
    """Run those of so many seeds that were not run before with the same rules, and print what became of each rule.
    Returns whether every run has held."""
    chosen = tuple(rooms) or ROOMS
    rules, runs = read_rules(chosen), kept(folder)
    done = _done(rules, runs)
    holds = _run(chosen, [seed for seed in seeds_of(count) if seed not in done], processes, runs, folder)
    for line in table_of(tallies(rules, runs)):
        click.echo(line)
    write_tables(runs)
    return holds


def write_tables(runs: Sequence[RuleRun]) -> None:
    """Write ``decisive.txt`` and ``corpus.txt`` anew, as far as the runs at hand are more than those behind them."""
    RESULTS.write_text("\n".join(decisive_lines(read_rules(), runs, RESULTS.read_text())) + "\n")
    if seeds_in(CORPUS).keys() <= {run.seed for run in runs}:
        CORPUS.write_text(corpus_text(runs))


def simulate_more(rooms: Sequence[str], count: int, processes: int, folder: Path = KEPT) -> bool:
    """Run so many seeds that were not run before with the same rules, and print what is new in them. Returns whether
    every run has held."""
    chosen, runs = tuple(rooms) or ROOMS, kept(folder)
    done = _done(read_rules(chosen), runs)
    seeds = itertools.islice((seed for seed in all_seeds() if seed not in done), count)
    return _run(chosen, list(seeds), processes, runs, folder)


def _done(rules: Iterable[Rule], runs: Iterable[RuleRun]) -> set[int]:
    """The seeds that were run with all of some rules."""
    digests = digests_of(rules)
    return {run.seed for run in runs if digests.items() <= run.rooms.items()}


def _run(
    rooms: Sequence[str], seeds: Sequence[int], processes: int, runs: list[RuleRun], folder: Path
) -> bool:
    """Run seeds, keep what they find, and tell it. Returns whether every run has held. ``runs`` are those before, and
    get the new ones."""
    known = frozenset[str]().union(*map(states_of, runs))
    holds = True
    for run in run_many(rooms, seeds, processes):
        keep(run, folder)
        runs.append(run)
        new = states_of(run) - known
        known |= new
        news = f"{len(new)} states that no run before it reached" if new else "nothing new"
        click.echo(f"seed {run.seed}: {news}, {len(known)} in all")
        if run.invariant is not None:
            holds = False
            click.echo(f"{run.invariant} does not hold:\nbin/simulate --nodes --seed {run.seed}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CORPUS.name).write_text(corpus_text(runs))
    return holds


def table_of(found: Iterable[Tally]) -> list[str]:
    """The lines to be printed."""
    lines = []
    for each in found:
        mark = "" if each.decisive else "  DECISIVE IN NONE"
        maybe = f", perhaps in {each.maybe} more" if each.maybe else ""
        lines.append(f"{each.rule}{mark}")
        lines.append(f"    decisive in {each.decisive} of {each.runs} runs{maybe}; reached in {each.reached}")
        lines += textwrap.wrap(each.rule.cost, 110, initial_indent="    ", subsequent_indent="    ")
    return lines


def decisive_lines(rules: Sequence[Rule], runs: Sequence[RuleRun], before: str = "") -> list[str]:
    """The content of ``decisive.txt``. A room stays as it was ``before`` if there are no runs of it now, or fewer with
    the same rules."""
    lines = [
        "# In how many of each 1,000 runs of whole nodes a rule of this folder is decisive: the run would have gone",
        "# another way without it. Above each room: the runs that were made. By bin/simulate --rules.",
    ]
    found = {each.rule: each for each in tallies(rules, runs)}
    kept_rooms = _rooms_in(before)
    for room, in_room in by_room(rules).items():
        count = found[in_room[0]].runs
        runs_before, lines_before = kept_rooms.get(room, (0, []))
        is_of_same_rules = [_rule_in(line) for line in lines_before[1:]] == list(map(str, in_room))
        if lines_before and (not count or (is_of_same_rules and runs_before > count)):
            lines += ["", *lines_before]
        elif count:
            lines += ["", f"# {room}: {_seeds_text(room, digests_of(in_room), runs)}"]
            lines += [f"{found[rule].per_thousand:6.1f}  {rule}" for rule in in_room]
    return lines


def _rooms_in(text: str) -> dict[str, tuple[int, list[str]]]:
    """The rooms of ``decisive.txt``: the number of runs, and all lines."""
    rooms: dict[str, tuple[int, list[str]]] = {}
    for paragraph in text.split("\n\n"):
        lines = paragraph.strip().splitlines()
        head = _ROOM_HEAD.match(lines[0]) if lines else None
        if head is not None:
            rooms[head[1]] = int(head[2]), lines
    return rooms


def _rule_in(line: str) -> str:
    return line.split(maxsplit=1)[1]


def _seeds_text(room: str, digests: Mapping[str, str], runs: Iterable[RuleRun]) -> str:
    """Which seeds were run with the rules of a room."""
    seeds = sorted({run.seed for run in runs if run.rooms.get(room) == digests[room]})
    firsts = sorted(FIRST_SEEDS)
    parts = []
    for begin, end in zip(firsts, [*firsts[1:], None], strict=True):
        part = [seed for seed in seeds if begin <= seed and (end is None or seed < end)]
        if part:
            parts.append(str(part[0]) if len(part) == 1 else f"{part[0]} to {part[-1]}")
    return f"{len(seeds)} runs, seeds {', '.join(parts)}"
