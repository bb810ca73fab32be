"""``bin/simulate``: run the quorum's simulator by hand."""

from __future__ import annotations

import ast
import dataclasses
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from tests.sim.options import Options
from tests.sim.rules.table import ROOMS
from tests.sim.runner import LEVELS, Totals, command, heading, pace, report, run_many
from tests.sim.trace import LineTrace

NODES_A_LINE = 20
"""Runs of whole nodes after which their pace is printed."""


_OPTIONS: Mapping[str, frozenset[str]] = {
    "--rules": frozenset({"rules", "rooms", "seeds", "more", "processes"}),
    "--mutations": frozenset({"mutations", "renew", "level", "processes"}),
    "--nodes": frozenset({"level", "seed", "runs", "processes", "events", "digest", "like"}),
    "the cores": frozenset({"level", "seed", "runs", "processes", "events", "digest", "settings"}),
}
"""What can be given in each mode."""
_OF_ONE_RUN = frozenset({"events", "digest", "settings"})
"""What can be given for one run of the cores."""


@click.command()
@click.option("--seed", type=int, help="The first seed; by default one that the commit gives.")
@click.option("--runs", type=click.IntRange(1), default=1, show_default=True, help="So many seeds in a row.")
@click.option("--processes", type=click.IntRange(1), default=1, show_default=True)
@click.option("--events", type=click.IntRange(0), default=0, help="Print so many of the last events.")
@click.option(
    "--option", "settings", multiple=True, metavar="NAME=VALUE", help="Instead of what the seed draws."
)
@click.option(
    "--cluster",
    "level",
    flag_value="cluster",
    default="quorum",
    help="With controllers, brokers and administrators on top of the quorum.",
)
@click.option(
    "--unknown-node",
    "level",
    flag_value="unknown-node",
    help="With a node that nobody knows, and that sends everything that fits the wire.",
)
@click.option(
    "--nodes",
    "level",
    flag_value="nodes",
    help="Whole nodes: their drivers, storage and bytes, with clients, on networks and disks that fail.",
)
@click.option(
    "--like",
    type=int,
    help="With --nodes: take the options of this seed, and only the dice of --seed and --runs.",
)
@click.option("--cluster-unknown-node", "level", flag_value="cluster-unknown-node", help="Both of these.")
@click.option("--digest", is_flag=True, help="Print a digest of all that happened.")
@click.option(
    "--mutations",
    is_flag=True,
    help="Break each rule of the cores, or with --nodes those of nodes, and print whether its known seed notices.",
)
@click.option(
    "--renew",
    is_flag=True,
    help="With --mutations: find other seeds for rules whose known seed does not notice, and write them down.",
)
@click.option(
    "--rules",
    is_flag=True,
    help="Run --seeds of all kinds, and print in how many of them each rule of the product is decisive.",
)
@click.option(
    "--room", "rooms", multiple=True, type=click.Choice(ROOMS), help="With --rules: of these rooms."
)
@click.option(
    "--seeds", type=click.IntRange(1), default=200, show_default=True, help="With --rules: so many."
)
@click.option(
    "--more",
    type=click.IntRange(1),
    help="With --rules: run so many seeds that were not run before, and print only what is new in them.",
)
def main(
    seed: int | None,
    runs: int,
    processes: int,
    events: int,
    settings: tuple[str, ...],
    level: str,
    digest: bool,
    mutations: bool,
    rules: bool,
    rooms: tuple[str, ...],
    seeds: int,
    renew: bool,
    like: int | None,
    more: int | None,
) -> None:
    """Simulate the Raft quorum: clock, network, disks and faults drawn from a seed, invariants watched throughout.

    The exit status is 1 if one did not hold; the last line then is the command that shows the run again.

    "bin/simulate --plant" plants faults in the product and sees who notices; it has options of its own.
    """
    mode = (
        "--rules" if rules else "--mutations" if mutations else "--nodes" if level == "nodes" else "the cores"
    )
    _check_options(mode, one_run=runs == 1)
    if rules:
        from tests.sim.rules.report import simulate_more, simulate_rules

        simulate, count = (simulate_rules, seeds) if more is None else (simulate_more, more)
        sys.exit(0 if simulate(rooms, count, processes) else 1)
    if level == "nodes" and not mutations:
        first = seed if seed is not None else _seed_of_commit()
        _run_nodes(first, runs, processes, events, digest=digest, like=like)
        return
    if mutations:
        _break_rules(level, processes, renews=renew)
        return
    first = seed if seed is not None else _seed_of_commit()
    if runs == 1 and (events or digest or settings):
        _run_one(first, level, events, settings, digest)
    else:
        _run_many(first, runs, processes, level)


def _check_options(mode: str, *, one_run: bool) -> None:
    """Raise UsageError if an option is given that says nothing in this mode."""
    context = click.get_current_context()
    for option in context.command.params:
        assert option.name is not None, "options have names"
        if context.get_parameter_source(option.name) is not click.core.ParameterSource.COMMANDLINE:
            continue
        if option.name not in _OPTIONS[mode]:
            name = f"--{context.params['level']}" if option.name == "level" else option.opts[0]
            raise click.UsageError(f"{name} does not go with {mode}")
        if mode == "the cores" and option.name in _OF_ONE_RUN and not one_run:
            raise click.UsageError(f"{option.opts[0]} goes with one run")


def _break_rules(level: str, processes: int, *, renews: bool) -> None:
    if level == "nodes":
        from tests.sim.nodes.mutations import search as of_nodes

        rules, find = of_nodes.RULES, of_nodes.renew if renews else of_nodes.find
    else:
        from tests.sim.mutations import search as of_cores

        rules, find = of_cores.RULES, of_cores.renew if renews else of_cores.find
    found = rules.print_table(find, processes)
    if renews:
        rules.write(found)
    unnoticed = [each.rule for each in found if each.seed is None]
    if unnoticed:
        sys.exit(f"{len(unnoticed)} of {len(found)} rules are broken without notice: {', '.join(unnoticed)}")


def _run_nodes(first: int, runs: int, processes: int, events: int, *, digest: bool, like: int | None) -> None:
    from tests.sim.nodes import runner
    from tests.sim.nodes.run import run
    from tests.sim.nodes.swarms import draw

    totals = runner.NodesTotals()
    results = (
        [run(first, None if like is None else draw(like), kept_lines=events)]
        if runs == 1
        else runner.run_many(range(first, first + runs), processes, like)
    )
    for result in results:
        totals.add(result)
        for line in result.lines[-events:] if events else ():
            click.echo(line)
        if digest:
            click.echo(f"{result.seed} {result.digest}")
        if result.invariant is not None:
            click.echo(runner.report(result, like))
        if totals.runs % NODES_A_LINE == 0 and totals.runs < runs:
            click.echo(pace(totals.runs, totals.seconds))
    click.echo(str(totals))
    sys.exit(1 if totals.failed else 0)


def _seed_of_commit() -> int:
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(commit.stdout[:8], 16)


def _run_one(seed: int, level: str, events: int, settings: tuple[str, ...], digest: bool) -> None:
    simulate, options_of = LEVELS[level]
    options = _with_settings(options_of(seed), settings)
    click.echo(heading(seed, options))
    trace = LineTrace(events)
    result = dataclasses.replace(simulate(seed, options, trace), level=level)
    for line in trace.lines:
        click.echo(line)
    if digest:
        click.echo(trace.digest)
    if result.invariant is not None:
        click.echo(report(result))
        sys.exit(1)


def _with_settings(options: Options, settings: tuple[str, ...]) -> Options:
    values: dict[str, object] = {}
    types = {field.name: field.type for field in dataclasses.fields(Options)}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in types:
            raise click.UsageError(f"--option {name}: known are {', '.join(types)}")
        values[name] = value if types[name] == "str" else ast.literal_eval(value)
    return dataclasses.replace(options, **values)  # type: ignore[arg-type]


def _run_many(first: int, runs: int, processes: int, level: str) -> None:
    totals = Totals()
    failed = []
    click.echo(heading(first, LEVELS[level][1](first)))
    seeds = range(first, first + runs)
    for result in run_many(seeds, 1 if runs == 1 else processes, level):
        totals.add(result)
        if result.invariant is not None:
            failed.append(result)
            click.echo(report(result))
        if totals.runs % 1000 == 0 and totals.runs < runs:
            click.echo(str(totals))
    click.echo(str(totals))
    if failed:
        click.echo(f"{len(failed)} of {runs} runs failed")
        click.echo(command(failed[-1]))
        sys.exit(1)


if __name__ == "__main__":
    main(prog_name="bin/simulate")
