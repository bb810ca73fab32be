"""A rule that decides in no run of the simulator is taken away as the table means it, and tests notice."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.planting import faults, rules
from tests.planting.faults import all_sites
from tests.planting.judged import NOBODY, UNFIT, equivalent
from tests.planting.outcomes import QuickOutcome
from tests.planting.results import Results
from tests.sim.rules import table
from tests.sim.rules.table import Rule, read_rules, undecided

MODULE = """
def leads(node, epoch, offset):
    if epoch < node.epoch or (offset > 3 and node.is_ready):
        return False
    for each in node.others:
        def heard():
            return each == node
        offset = min(offset, each.end)
    return offset > node.end
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A product of one file."""
    (tmp_path / "leads.py").write_text(MODULE)
    monkeypatch.setattr(faults, "SERVER", tmp_path)
    monkeypatch.setattr(table, "PRODUCT", tmp_path)


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("function", "expression", "expected"),
    [
        (
            "leads",
            "epoch < node.epoch or (offset > 3 and node.is_ready)",
            [
                "if True:",
                "if False:",
            ],
        ),
        ("leads", "epoch < node.epoch", ["if offset > 3 and node.is_ready:"]),
        ("leads", "node.is_ready", ["if epoch < node.epoch or offset > 3:"]),
        ("leads", "min(offset, each.end)", ["offset = offset", "offset = each.end"]),
        ("leads", "offset > node.end", ["return offset >= node.end"]),
        ("leads.<locals>.heard", "each == node", ["return each != node"]),
    ],
)
def test_the_product_without_a_rule(function: str, expression: str, expected: list[str]) -> None:
    rule = Rule(row="", room="", path="leads.py", function=function, expression=expression, cost="")
    lines = []
    for fault in rules.faults_of(rule):
        tree = ast.parse(MODULE)
        (site,) = (each for each in faults.sites_of("leads.py", tree, MODULE) if each.fault == fault)
        faults.plant(tree, site.change)
        changed = ast.unparse(_Shown().visit(tree)).splitlines()
        before = ast.unparse(ast.parse(MODULE)).splitlines()
        lines += [new.strip() for old, new in zip(before, changed, strict=True) if old != new]
    assert lines == expected


class _Shown(ast.NodeTransformer):
    """Leaves out what a fault keeps and never reaches."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return node.body


def test_rules_that_decide_in_no_run_are_those_with_nothing_and_those_that_were_not_counted() -> None:
    first, second, *others = read_rules()
    lines = [f"   0.0  {first}", f"  25.0  {second}", *(f"1000.0  {each}" for each in others[1:])]
    assert undecided("\n".join(["# raft: 40 runs, seeds 1 to 40", *lines])) == [first, others[0]]


def test_what_is_written_names_the_test_or_nobody(tmp_path: Path) -> None:
    held, open_one, unfit = (each.fault for each in all_sites("core/quotas/rate.py")[:3])
    judged = next(iter(equivalent()))
    results = Results(tmp_path / "results.jsonl", 0.0)
    results.add_quick(held, QuickOutcome(noticed_by="tests/a.py::test_a", how="", tests=1, seconds=0.1))
    results.add_quick(open_one, QuickOutcome(noticed_by=None, how="", tests=1, seconds=0.1))
    results.add_quick(unfit, None)
    text = rules.text_of([held, open_one, unfit, judged], results)
    below = [line.strip() for line in text.splitlines() if line.startswith(" ")]
    named = [line for line in text.splitlines() if line[0] not in "# "]
    assert dict(zip(named, below, strict=True)) == {
        str(held): "tests/a.py::test_a",
        str(open_one): NOBODY,
        str(unfit): UNFIT,
    }
