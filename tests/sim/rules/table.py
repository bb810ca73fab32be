"""The rows of the table of rules, and the places in the product that they name.

Each room has a file, ``<room>.txt``. A row is a paragraph:

    replica/partition.py Partition._maybe_expand_isr
        end >= self.leader_epoch_start
        A follower joins the ISR without the start of the leader's epoch. A record that was acknowledged may be on no
        member that can be elected.

First comes the file below ``server/kafkaproto_server`` with the function, then the expression as `ast.unparse` prints
it, then what it costs if the rule is missing. If an expression stands in a function more than once, `` #2`` behind it
names the second one. Lines that begin with ``#`` say what the file is.

An expression is a whole condition, an operand of ``and`` or ``or`` in one, or a call of ``min`` or ``max``. Conditions
in lambdas and comprehensions belong to the function around them.
"""

from __future__ import annotations

import ast
import enum
import functools
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

TABLE = Path(__file__).parent
PRODUCT = Path(__file__).parents[3] / "server" / "kafkaproto_server"
RESULTS = TABLE / "decisive.txt"
"""What ``bin/simulate --rules`` has found."""
CORPUS = TABLE / "corpus.txt"
"""The seeds that ``bin/test --search`` starts from: they have reached what no other seed had."""
ROOMS = tuple(sorted(path.stem for path in TABLE.glob("*.txt") if path not in (RESULTS, CORPUS)))
_INDENT = "    "
_NUMBERED = re.compile(r"(.*) #(\d+)")

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class RowError(Exception):
    """A row that is not one, or that names what the product does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row."""

    row: str
    """The file of the row, and its first line."""
    room: str
    path: str
    """Below ``server/kafkaproto_server``."""
    function: str
    """Its qualified name."""
    expression: str
    number: int | None = None
    """Which of several that have the same text; None if there is one."""
    cost: str

    def __str__(self) -> str:
        number = "" if self.number is None else f" #{self.number}"
        return f"{self.path} {self.function}: {self.expression}{number}"

    @property
    def key(self) -> str:
        """A short name, the same as long as the row names the same."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:10]

    @property
    def module(self) -> str:
        """The name of the module with the function."""
        return f"kafkaproto_server.{self.path.removesuffix('.py').replace('/', '.')}"


class Kind(enum.Enum):
    """How an expression decides."""

    WHOLE = "whole condition"
    OPERAND = "operand of and, or"
    EXTREME = "min, max"


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """An expression that a row may name."""

    kind: Kind
    node: ast.expr
    root: ast.expr
    """The whole condition."""
    is_needed: bool = False
    """Whether it is an operand of ``and``: without it, True takes its place."""


def read_rules(rooms: Sequence[str] = ROOMS) -> list[Rule]:
    """The rows of some rooms. Raises RowError."""
    return [rule for room in rooms for rule in rules_in(TABLE / f"{room}.txt")]


def undecided(text: str) -> list[Rule]:
    """The rules that decide in no run, or were never counted, if ``text`` is the content of ``decisive.txt``."""
    counted = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    decisive = {rule for number, rule in counted if float(number)}
    return [rule for rule in read_rules() if str(rule) not in decisive]


def rules_in(path: Path) -> list[Rule]:
    """The rows of one file. Raises RowError."""
    rows: list[Rule] = []
    paragraph: list[str] = []
    for number, line in enumerate([*path.read_text().splitlines(), ""], start=1):
        if line.strip():
            if not line.startswith("#"):
                paragraph.append(line)
        elif paragraph:
            rows.append(_rule(paragraph, path, number - len(paragraph)))
            paragraph = []
    return rows


def _rule(paragraph: Sequence[str], path: Path, line: int) -> Rule:
    row = f"{path.name}:{line}"
    head, *rest = paragraph
    where, _, function = head.partition(" ")
    if head.startswith(" ") or not where.endswith(".py") or not function or " " in function:
        raise RowError(f"{row}: a row begins with a file and the qualified name of a function")
    if len(rest) < 2 or not all(each.startswith(_INDENT) and each[4] != " " for each in rest):
        raise RowError(f"{row}: an expression and what its absence costs follow, four spaces in")
    numbered = _NUMBERED.fullmatch(rest[0].strip())
    return Rule(
        row=row,
        room=path.stem,
        path=where,
        function=function,
        expression=numbered[1] if numbered else rest[0].strip(),
        number=int(numbered[2]) if numbered else None,
        cost=" ".join(each.strip() for each in rest[1:]),
    )


@functools.cache
def _functions_in(path: str) -> Mapping[str, Sequence[Function]]:
    file = PRODUCT / path
    return functions_of(ast.parse(file.read_text())) if file.is_file() else {}


def check(rule: Rule) -> None:
    """Raise RowError unless the product has the expression of a row, once."""
    place_of(rule)


def place_of(rule: Rule) -> Place:
    """The expression of a row in the product. Raises RowError if it is not there once."""
    if not (PRODUCT / rule.path).is_file():
        raise RowError(f"{rule.row}: there is no file {rule.path}")
    return find(rule, _functions_in(rule.path))


def functions_of(tree: ast.Module) -> Mapping[str, Sequence[Function]]:
    """The functions in a tree by their qualified names; a property and its setter have one name."""
    found: dict[str, list[Function]] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                found.setdefault(prefix + child.name, []).append(child)
                visit(child, f"{prefix}{child.name}.<locals>.")
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")
            else:
                visit(child, prefix)

    visit(tree, "")
    return found


def find(rule: Rule, functions: Mapping[str, Sequence[Function]]) -> Place:
    """The expression of a row. Raises RowError if there is none, or more than one."""
    if rule.function not in functions:
        raise RowError(f"{rule.row}: {rule.path} has no function {rule.function}")
    places = [
        place
        for function in functions[rule.function]
        for place in places_in(function)
        if ast.unparse(place.node) == rule.expression
    ]
    where = f"{rule.path} {rule.function}"
    if not places:
        raise RowError(f"{rule.row}: {where} has no condition, operand, min or max {rule.expression!r}")
    if rule.number is None and len(places) > 1:
        raise RowError(
            f"{rule.row}: {where} has {rule.expression!r} {len(places)} times; ' #1' names the first"
        )
    if rule.number is not None and (len(places) == 1 or not 1 <= rule.number <= len(places)):
        raise RowError(f"{rule.row}: {where} has {rule.expression!r} {len(places)} times")
    return places[(rule.number or 1) - 1]


def places_in(function: Function) -> list[Place]:
    """The expressions of a function that rows may name, in the order of the text."""
    found: list[Place] = []
    for statement in function.body:
        found += _places_below(statement)
    return sorted(found, key=lambda each: (each.node.lineno, each.node.col_offset))


def _places_below(node: ast.AST) -> Iterator[Place]:
    if isinstance(node, Function | ast.ClassDef):
        return
    conditions = _conditions_of(node)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _places_of(child, is_condition=child in conditions)
        else:
            yield from _places_below(child)


def _conditions_of(node: ast.AST) -> Sequence[ast.expr | None]:
    """The expressions in a node whose truth alone counts, whatever they look like."""
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            return [node.test]
        case ast.comprehension():
            return node.ifs
        case ast.match_case():
            return [node.guard]
        case ast.Return():
            return [node.value]
    return []


def _places_of(node: ast.expr, *, is_condition: bool) -> Iterator[Place]:
    if _is_extreme(node):
        yield Place(Kind.EXTREME, node, node)
    elif is_condition or isinstance(node, ast.BoolOp | ast.Compare) or _is_negation(node):
        yield Place(Kind.WHOLE, node, node)
    yield from _operands_of(node, node)


def _operands_of(node: ast.expr, root: ast.expr) -> Iterator[Place]:
    """The operands in a part of a condition, and what their own parts have."""
    if isinstance(node, ast.BoolOp):
        for each in node.values:
            is_needed = isinstance(node.op, ast.And)
            kind = Kind.EXTREME if _is_extreme(each) else Kind.OPERAND
            yield Place(kind, each, root, is_needed)
            yield from _operands_of(each, root)
    elif isinstance(node, ast.UnaryOp) and _is_negation(node):
        yield from _operands_of(node.operand, root)
    else:
        yield from _places_below(node)


def _is_negation(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _is_extreme(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max")
