"""``bin/simulate --plant``: plant faults in the product, and see who notices."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

import click

from tests.planting import report
from tests.planting.campaign import try_all
from tests.planting.faults import Fault, all_sites, find
from tests.planting.judged import RULES, equivalent, noticed_by_seeds, noticed_by_tests
from tests.planting.results import FOLDER, Results
from tests.planting.rooms import ROOMS
from tests.planting.rules import faults_of_undecided, text_of
from tests.planting.sample import unnoticed

BUDGET_S = 60.0


@click.command()
@click.option("--number", type=click.IntRange(1), default=60, show_default=True, help="Draw so many faults.")
@click.option("--seed", type=int, default=1, show_default=True, help="Another one draws other faults.")
@click.option("--room", "rooms", multiple=True, type=click.Choice(list(ROOMS)), help="Of these rooms only.")
@click.option(
    "--fault", "lines", multiple=True, metavar="LINE", help="Plant this one again, instead of a draw."
)
@click.option(
    "--rules",
    "is_of_rules",
    is_flag=True,
    help="Instead of a draw, take away each rule of tests/sim/rules that decides in no run, and write rules.txt.",
)
@click.option(
    "--budget",
    "budget_s",
    type=click.FloatRange(0),
    default=BUDGET_S,
    show_default=True,
    help="Seconds of processor time of whole nodes for a fault that the quick tests let pass; 0 for none.",
)
@click.option("--processes", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--sample", metavar="TEXT", help="Only see whether some known faults, drawn by TEXT, are noticed."
)
def main(
    number: int,
    seed: int,
    rooms: tuple[str, ...],
    lines: tuple[str, ...],
    is_of_rules: bool,
    budget_s: float,
    processes: int,
    sample: str | None,
) -> None:
    """Plant faults in the product: each is one change of its syntax tree, in a process of its own.

    First the quick tests that run its lines look at it, then whole nodes. Faults that nobody notices are printed; a
    person judges each: a new test, or a line with the reason in tests/planting/equivalent.txt. The exit status is 1 if
    there are any. What was tried with the same sources is not tried again; the results are in .search/planting.
    """
    if sample is not None:
        problems = unnoticed(sample)
        for each in problems:
            click.echo(each)
        sys.exit(1 if problems else 0)
    results = Results(FOLDER / "results.jsonl", budget_s)
    if lines:
        faults: Sequence[Fault] = [_known(line) for line in lines]
        results.forget(faults)
        judged: set[Fault] = set()
    elif is_of_rules:
        known = {*noticed_by_tests(with_rules=False), *noticed_by_seeds()}
        faults = [each for each in faults_of_undecided() if each not in known]
        judged = set(equivalent())
    else:
        places = [
            site.fault for name in rooms or ROOMS for path in ROOMS[name].paths() for site in all_sites(path)
        ]
        click.echo(report.places(places))
        faults = random.Random(f"faults {seed}").sample(places, min(number, len(places)))
        judged = set(equivalent())
    try_all(
        [each for each in faults if each not in judged],
        results,
        processes=processes,
        budget_s=budget_s,
        say=click.echo,
    )
    if is_of_rules:
        RULES.write_text(text_of(faults, results))
    summary = report.Summary(faults, judged, results)
    click.echo(str(summary))
    sys.exit(1 if summary.survivors else 0)


def _known(line: str) -> Fault:
    try:
        fault = Fault.parse(line)
        find(fault)
    except (ValueError, LookupError) as error:
        raise click.UsageError(str(error)) from None
    return fault


if __name__ == "__main__":
    main(prog_name="bin/simulate --plant")
