"""The faults that stand for the rules of `tests.sim.rules`: the product without the rule.

A rule that decides in no run of the simulator is held by tests alone. Its absence, planted, shows by which:
``rules.txt`` says so of each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.planting.faults import Fault, Site, all_sites
from tests.planting.judged import NOBODY, UNFIT, equivalent, noticed_by_seeds, noticed_by_tests
from tests.planting.results import Results
from tests.sim.rules.table import RESULTS, Kind, Rule, place_of, undecided

_HEAD = """\
# The product without the rules of tests/sim/rules that decide in no run of the simulator, and the test that notices
# each. Written by bin/simulate --plant --rules. What nobody notices is to be judged: it wants a test, or a line in
# equivalent.txt.
"""

_WITHOUT: Mapping[Kind, Sequence[frozenset[str]]] = {
    Kind.WHOLE: (
        frozenset({"condition always false", "condition always true"}),
        frozenset({"return negated", "comparison turned", "not dropped"}),
        frozenset({"bound off by one"}),
    ),
    Kind.OPERAND: (frozenset({"operand dropped"}),),
    Kind.EXTREME: (frozenset({"only one argument"}),),
}
"""The operators that take away a rule of each kind; those of the first group that has one in its place."""


def faults_of(rule: Rule) -> Sequence[Fault]:
    """The faults that take a rule away; none if no operator does."""
    place = place_of(rule)
    sites = [each for each in all_sites(rule.path) if each.fault.function == _name(rule)]
    if place.kind is Kind.OPERAND:
        sites = list(_dropped(sites, place.node))
    else:
        sites = [each for each in sites if _position(each.change.node) == _position(place.node)]
    for operators in _WITHOUT[place.kind]:
        found = [each.fault for each in sites if each.fault.operator in operators]
        if found:
            return found
    return []


def faults_of_undecided() -> list[Fault]:
    """Those of all rules that decide in no run."""
    return list(dict.fromkeys(fault for rule in undecided(RESULTS.read_text()) for fault in faults_of(rule)))


def text_of(faults: Iterable[Fault], results: Results) -> str:
    """The content of ``rules.txt`` for faults that were tried. Those that the other files know are left out."""
    known = {*equivalent(), *noticed_by_seeds(), *noticed_by_tests(with_rules=False)}
    paragraphs = [_HEAD]
    for fault in sorted(set(faults) - known):
        outcome = results.quick(fault)
        by = UNFIT if outcome is None else outcome.noticed_by or NOBODY
        paragraphs.append(f"{fault}\n    {by}\n")
    return "".join(paragraphs)


def _dropped(sites: Sequence[Site], operand: ast.expr) -> Iterator[Site]:
    """Those that drop an operand: of the sites that an operator has at one node, each drops the next."""
    for site in sites:
        node = site.change.node
        if site.fault.operator == "operand dropped" and isinstance(node, ast.BoolOp):
            at_node = [
                each
                for each in sites
                if each.change.node is node and each.fault.operator == site.fault.operator
            ]
            if _position(node.values[at_node.index(site)]) == _position(operand):
                yield site


def _name(rule: Rule) -> str:
    """The name of a rule's function as faults have it."""
    return rule.function.replace(".<locals>", "")


def _position(node: ast.AST) -> tuple[int, int, int | None, int | None] | None:
    if not isinstance(node, ast.expr):
        return None
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
