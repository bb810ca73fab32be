"""The report of all searches: what was tried, how long, and what was found."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.running.search import Journal, Tried
from tests.running.searches import Search

RAREST = 30
"""Rules that the report names."""


def report(journal: Journal, searches: Sequence[Search], folder: Path) -> str:
    """In Markdown."""
    return "\n".join((*_table(journal, searches), "", *_failures(journal.steps), "", *_rules(folder))) + "\n"


def _table(journal: Journal, searches: Sequence[Search]) -> Iterator[str]:
    yield "| search | what | steps | tried | processor hours | hours | failed | next |"
    yield "|---|---|---|---|---|---|---|---|"
    for search in searches:
        steps = [step for step in journal.steps if step.search == search.name]
        cells = (
            search.name,
            search.what,
            f"{len(steps):,}",
            f"{sum(step.tried for step in steps):,}",
            f"{sum(step.cpu_s for step in steps) / 3600:.2f}",
            f"{sum(step.wall_s for step in steps) / 3600:.2f}",
            f"{sum(len(step.found) for step in steps):,}",
            f"{journal.next_number(search):,}",
        )
        yield f"| {' | '.join(cells)} |"


def _failures(steps: Sequence[Tried]) -> Iterator[str]:
    """Each of them once, as it was found last."""
    found = {each.command: (each, step) for step in steps for each in step.found}
    if not found:
        yield "Nothing failed."
        return
    yield "What failed, and what shows it again:"
    for each, step in found.values():
        yield f"\n    {each.command}\n\n{each.reason} ({step.search}, commit {step.commit}, {step.at})"


def _rules(folder: Path) -> Iterator[str]:
    """Rules by how rarely seeds notice that they are broken."""
    rows = []
    for file in sorted(folder.glob("*/rules.json")):
        for rule, told in json.loads(file.read_text()).items():
            rows.append((len(told["noticed"]) / max(1, told["tried"]), -told["tried"], rule, told["noticed"]))
    if not rows:
        return
    yield "| broken rule that is noticed most rarely | seeds | noticed | by seeds |"
    yield "|---|---|---|---|"
    for _, tried, rule, noticed in sorted(rows)[:RAREST]:
        named = ", ".join(map(str, noticed[:5]))
        yield f"| {rule} | {-tried:,} | {len(noticed):,} | {named} |"
