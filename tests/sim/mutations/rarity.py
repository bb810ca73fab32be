"""How rarely seeds notice each rule that is broken: ``bin/test --search`` has this run, each time from where it ended.

A file says of each rule how many seeds were tried, which ones noticed, and which comes next. Each step takes the rules
that were tried least, and those first that have no known seed. If a seed notices such a rule, that is printed.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click

from tests.sim.mutations.known import Rules

SEEDS = 10
"""In a row for a rule."""


@dataclass(slots=True)
class Rarity:
    """What is known of one rule."""

    next: int
    tried: int = 0
    noticed: list[int] = field(default_factory=list)


def read(file: Path, rules: Rules) -> dict[str, Rarity]:
    """Of all rules; what no rule is called any more is left out."""
    told = json.loads(file.read_text()) if file.exists() else {}
    return {
        each.rule: Rarity(**told[each.rule]) if each.rule in told else Rarity(each.first_seed)
        for each in rules.mutations
    }


def search(rules: Rules, file: Path, seconds: float) -> list[str]:
    """Try seeds for so long, those of one rule at least, and write down what came of it; returns what is to be told."""
    ends_s = time.monotonic() + seconds
    known, found = rules.known_seeds(), []
    rarities = read(file, rules)
    numbers = {mutation.rule: index for index, mutation in enumerate(rules.mutations)}
    is_over = False
    while not is_over:
        rule = min(
            rarities, key=lambda each: (each in known or bool(rarities[each].noticed), rarities[each].tried)
        )
        rarity = rarities[rule]
        seeds = range(rarity.next, rarity.next + SEEDS)
        rarity.next = seeds.stop
        # A seed in which a node spins for ever is not tried again.
        _write(file, rarities)
        tried, noticed = rules.noticing(numbers[rule], seeds)
        rarity.tried += len(tried)
        rarity.noticed += noticed
        _write(file, rarities)
        if rule not in known and noticed:
            found.append(f"seed {noticed[0]} notices what no known seed does: {rules.subject} {rule}")
        is_over = time.monotonic() >= ends_s
    return found


def _write(file: Path, rarities: dict[str, Rarity]) -> None:
    text = json.dumps({rule: asdict(rarity) for rule, rarity in rarities.items()}, indent=1)
    part = file.with_suffix(".part")
    part.write_text(text)
    part.replace(file)


@click.command()
@click.option("--nodes", "is_of_nodes", is_flag=True, help="The rules of whole nodes.")
@click.option("--seconds", type=float, required=True)
@click.argument("file", type=click.Path(path_type=Path))
def main(is_of_nodes: bool, seconds: float, file: Path) -> None:
    """Try seeds for broken rules."""
    if is_of_nodes:
        from tests.sim.nodes.mutations.search import RULES as rules
    else:
        from tests.sim.mutations.search import RULES as rules
    for line in search(rules, file, seconds):
        click.echo(line)


if __name__ == "__main__":
    main(prog_name="python -m tests.sim.mutations.rarity")
