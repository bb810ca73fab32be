"""Watches the rules of the table while the product runs: changes the syntax trees of their modules, and nothing else.

A condition with rules becomes an expression with the same value that tells `tests.sim.rules.moments` what it has seen:

    a and b        ->  m.value() if (m := _rules.moment(0)).ends(m.saw(0, a) and m.saw(1, b)) else m.looked(locals())
    a < b          ->  _rules.whole(0, a < b)
    min(a, b)      ->  _rules.extreme(1, min, a, b)
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, ModuleType

from tests.planting.swap import swapped, tree_of
from tests.sim.rules.moments import Condition, Count, Junction, Leaf, Negation, Operand, Part, Recorder
from tests.sim.rules.table import Kind, Place, Rule, find, functions_of

NAME = "_rules"
"""The recorder's, in the modules that are watched."""
_MOMENT = "_moment_{}"
_HARMLESS = (
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.Compare,
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.List,
    ast.Set,
    ast.IfExp,
    ast.expr_context,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.boolop,
)
"""What a shadow may consist of, beside calls."""
_HARMLESS_CALLS = frozenset({"abs", "bool", "int", "isinstance", "len", "max", "min"})
_HARMLESS_METHODS = frozenset({"endswith", "get", "startswith"})
_HARMLESS_PREFIXES = ("can_", "has_", "is_", "knows", "may_", "_can_", "_has_", "_is_", "_may_")
"""Methods with such names answer a question, and change nothing."""


@contextlib.contextmanager
def watched(rules: Sequence[Rule]) -> Iterator[Recorder]:
    """Watch rules of the product in this process. Raises RowError if one names what is not there."""
    by_module: dict[str, list[Rule]] = {}
    for rule in rules:
        by_module.setdefault(rule.module, []).append(rule)
    with watched_in({importlib.import_module(name): found for name, found in by_module.items()}) as recorder:
        yield recorder


@contextlib.contextmanager
def watched_in(rules: Mapping[ModuleType, Sequence[Rule]]) -> Iterator[Recorder]:
    """As `watched`, with the module of each rule."""
    recorder = Recorder()
    trees = {}
    for module, found in rules.items():
        tree = tree_of(module)
        _Probes(tree, module, recorder, found)
        trees[module] = ast.fix_missing_locations(tree)
    for module in rules:
        vars(module)[NAME] = recorder
    try:
        with swapped(trees):
            yield recorder
    finally:
        for module in rules:
            del vars(module)[NAME]


class _Probes(ast.NodeTransformer):
    """Puts the probes of some rules into the tree of their module."""

    def __init__(
        self, tree: ast.Module, module: ModuleType, recorder: Recorder, rules: Sequence[Rule]
    ) -> None:
        self._module = module
        self._recorder = recorder
        self._moments = itertools.count()
        self._single: dict[ast.expr, tuple[Place, Count]] = {}
        self._operands: dict[ast.expr, tuple[Place, Count]] = {}
        functions = functions_of(tree)
        for rule in rules:
            place = find(rule, functions)
            is_operand = place.kind is Kind.OPERAND
            count = recorder.count_of(rule.key, needs_both=not is_operand)
            (self._operands if is_operand else self._single)[place.node] = place, count
        self._roots = {place.root for place, _ in self._operands.values()}
        self.visit(tree)

    def visit(self, node: ast.AST) -> ast.AST:
        """Put probes into a part of the tree. Returns what takes its place."""
        if not isinstance(node, ast.expr):
            return self.generic_visit(node)
        changed = self._watch_operands(node) if node in self._roots else self.generic_visit(node)
        assert isinstance(changed, ast.expr), "an expression stays one"
        if node not in self._single:
            return changed
        place, count = self._single[node]
        index = ast.Constant(len(self._recorder.counts))
        self._recorder.counts.append(count)
        if place.kind is Kind.EXTREME:
            assert isinstance(changed, ast.Call), "min and max are called"
            call = ast.Call(_of_recorder("extreme"), [index, changed.func, *changed.args], changed.keywords)
        else:
            call = ast.Call(_of_recorder("whole"), [index, changed], [])
        return ast.copy_location(call, node)

    def _watch_operands(self, root: ast.expr) -> ast.expr:
        moment = ast.Name(_MOMENT.format(next(self._moments)), ast.Load())
        operands: list[Operand] = []
        leaves: list[Leaf] = []
        whole, changed = self._part(root, moment, operands, leaves)
        number = len(self._recorder.conditions)
        self._recorder.conditions.append(Condition(whole, leaves, operands, vars(self._module), {}))
        begins = ast.NamedExpr(
            ast.Name(moment.id, ast.Store()), ast.Call(_of_recorder("moment"), [ast.Constant(number)], [])
        )
        names = ast.Call(ast.Name("locals", ast.Load()), [], [])
        watched = ast.IfExp(
            ast.Call(_attribute(begins, "ends"), [changed], []),
            ast.Call(_attribute(moment, "value"), [], []),
            ast.Call(_attribute(moment, "looked"), [names], []),
        )
        return ast.copy_location(watched, root)

    def _part(
        self, node: ast.expr, moment: ast.Name, operands: list[Operand], leaves: list[Leaf]
    ) -> tuple[Part, ast.expr]:
        part: Part
        changed: ast.expr
        known = self._operands.get(node)
        if isinstance(node, ast.BoolOp):
            found = [self._part(each, moment, operands, leaves) for each in node.values]
            part = Junction([each for each, _ in found], isinstance(node.op, ast.And))
            changed = ast.BoolOp(node.op, [each for _, each in found])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner, expression = self._part(node.operand, moment, operands, leaves)
            part = Negation(inner)
            changed = ast.UnaryOp(node.op, expression)
        else:
            index = len(leaves)
            part = Leaf(index, _shadow(node))
            leaves.append(part)
            seen = self.visit(node) if node in self._single else self.generic_visit(node)
            assert isinstance(seen, ast.expr), "an expression stays one"
            changed = ast.Call(_attribute(moment, "saw"), [ast.Constant(index), seen], [])
        if known is not None:
            place, count = known
            operands.append(Operand(count, part, place.is_needed))
        return part, ast.copy_location(changed, node)


def _of_recorder(name: str) -> ast.Attribute:
    return _attribute(ast.Name(NAME, ast.Load()), name)


def _attribute(node: ast.expr, name: str) -> ast.Attribute:
    return ast.Attribute(node, name, ast.Load())


def _shadow(node: ast.expr) -> CodeType | None:
    """The code that looks at a part of a condition; None if that may have effects."""
    if not _is_harmless(node):
        return None
    return compile(ast.Expression(copy.deepcopy(node)), "<shadow>", "eval")


def _is_harmless(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        if node.keywords and any(each.arg is None for each in node.keywords):
            return False
        is_known = (isinstance(node.func, ast.Name) and node.func.id in _HARMLESS_CALLS) or (
            isinstance(node.func, ast.Attribute)
            and (node.func.attr in _HARMLESS_METHODS or node.func.attr.startswith(_HARMLESS_PREFIXES))
        )
        parts = [*node.args, *(each.value for each in node.keywords)]
        if isinstance(node.func, ast.Attribute):
            parts.append(node.func.value)
        return is_known and all(map(_is_harmless, parts))
    return isinstance(node, _HARMLESS) and all(map(_is_harmless, ast.iter_child_nodes(node)))
