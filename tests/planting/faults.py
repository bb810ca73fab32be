"""Names the places of a module where a fault can be planted, and plants one of them in the module's tree.

A fault's name is one line of text, which stays the same as long as its own function has the same text there:

    raft/roles/leader.py | Leader.handle_fetch | bound off by one | offset > self._end | 1

These are the file, the function, the operator, the text that is changed, and its number among those that are the same
in the function. An operator that changes one text in several ways counts each of them.

Left out are assertions, which check and do nothing; what is said in logs, errors and descriptions; and what runs only
while a module is imported, where ``swap`` comes too late.
"""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import kafkaproto_server
from tests.planting.operators import OPERATORS, Change, FunctionNode

assert kafkaproto_server.__file__ is not None, "the server is a package of files"
SERVER = Path(kafkaproto_server.__file__).parent
COUNTER = "_count_planted"
"""The name of a function that counts how often a fault is reached."""
_SEPARATOR = " | "
_BARE = (
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.expr_context,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.boolop,
)
"""Two nodes in three. No operator changes them."""
_LOGGERS = frozenset({"_log", "log", "logger", "logging"})
_SPEAKING = frozenset({"__repr__", "__str__"})


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Fault:
    """A change of one place."""

    path: str
    """Below the server's package."""
    function: str
    """The qualified name."""
    operator: str
    text: str
    number: int

    def __str__(self) -> str:
        return _SEPARATOR.join((self.path, self.function, self.operator, self.text, str(self.number)))

    @classmethod
    def parse(cls, line: str) -> Fault:
        """The fault with this name. Raises ValueError if it is none."""
        parts = line.strip().split(_SEPARATOR)
        if len(parts) < 5 or not parts[-1].isdigit():
            raise ValueError(
                f"a fault is named by a file, a function, an operator, a text and a number, not {line!r}"
            )
        (path, function, operator, *texts), number = parts[:-1], parts[-1]
        text = _SEPARATOR.join(texts)
        if operator not in OPERATORS:
            raise ValueError(f"there is no operator {operator!r}")
        return cls(path=path, function=function, operator=operator, text=text, number=int(number))


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a fault can be planted in a tree."""

    fault: Fault
    first_line: int
    last_line: int
    change: Change


def sites_of(path: str, tree: ast.Module, source: str) -> Sequence[Site]:
    """Every place of a module, in the order of its lines."""
    lines = source.encode().splitlines(keepends=True)
    counts: Counter[tuple[str, str, str]] = Counter()
    found = []
    for name, function in _functions(tree):
        for node in _behaviour(function):
            if isinstance(node, _BARE):
                continue
            for operator, changes in OPERATORS.items():
                for change in changes(node, function):
                    text, last_line = _text(lines, change)
                    counts[name, operator, text] += 1
                    number = counts[name, operator, text]
                    fault = Fault(path=path, function=name, operator=operator, text=text, number=number)
                    first_line = _start(change.first)[0]
                    found.append(Site(fault=fault, first_line=first_line, last_line=last_line, change=change))
    return found


def file_of(path: str) -> Path:
    """The file of a module."""
    return SERVER / path


@cache
def all_sites(path: str) -> Sequence[Site]:
    """Those of a module of the server."""
    source = file_of(path).read_text()
    return sites_of(path, ast.parse(source), source)


def find(fault: Fault) -> Site:
    """Its place. Raises LookupError if there is none of that name any more."""
    if file_of(fault.path).is_file():
        for each in all_sites(fault.path):
            if each.fault == fault:
                return each
    raise LookupError(f"no such place: {fault}")


def planted(fault: Fault, *, is_counted: bool = False) -> tuple[ModuleType, ast.Module]:
    """The module, and its tree with the fault. Raises LookupError as ``find`` does.

    If it is counted, the module has to have a function ``COUNTER``, which is called before the statement that has the
    fault.
    """
    name = fault.path.removesuffix(".py").replace("/", ".")
    module = importlib.import_module(f"kafkaproto_server.{name}")
    source = file_of(fault.path).read_text()
    tree = ast.parse(source)
    for site in sites_of(fault.path, tree, source):
        if site.fault == fault:
            if is_counted:
                _Counted(site.change.node).visit(tree)
            plant(tree, site.change)
            return module, tree
    raise LookupError(f"no such place: {fault}")


def plant(tree: ast.Module, change: Change) -> None:
    """Make a change in the tree that it belongs to."""
    _Replacement(change).visit(tree)
    ast.fix_missing_locations(tree)


class _Replacement(ast.NodeTransformer):
    def __init__(self, change: Change) -> None:
        self._change = change

    def visit(self, node: ast.AST) -> ast.AST:
        if node is not self._change.node:
            return self.generic_visit(node)
        return ast.copy_location(self._change.new, node)


class _Counted(ast.NodeTransformer):
    """Calls the counter before the innermost statement that has a node."""

    def __init__(self, node: ast.AST) -> None:
        self._node = node
        self._is_found = False

    def visit(self, node: ast.AST) -> Any:
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        before, self._is_found = self._is_found, node is self._node
        self.generic_visit(node)
        is_here = self._is_found and isinstance(node, ast.stmt) and not is_function
        self._is_found = (self._is_found and not is_here) or before
        if not is_here:
            return node
        call = ast.Expr(value=ast.Call(func=ast.Name(id=COUNTER, ctx=ast.Load()), args=[], keywords=[]))
        return [ast.copy_location(call, node), node]


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, FunctionNode]]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}{each.name}"
            if each.name not in _SPEAKING:
                yield name, each
            yield from _functions(each, f"{name}.")
        elif isinstance(each, ast.ClassDef):
            yield from _functions(each, f"{prefix}{each.name}.")
        elif not isinstance(each, ast.expr):
            yield from _functions(each, prefix)


def _behaviour(function: FunctionNode) -> Iterator[ast.AST]:
    """The nodes of a function that say what it does, without those of functions in it."""
    yield function
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assert):
            continue
        if _is_logging(node):
            continue
        yield node
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Raise):
            children = [each for each in children if each is not node.exc]
        elif isinstance(node, ast.AnnAssign):
            children = [each for each in children if each is not node.annotation]
        elif isinstance(node, ast.JoinedStr):
            children = []
        waiting.extend(reversed(children))


def _is_logging(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name in _LOGGERS
    return False


def _text(lines: Sequence[bytes], change: Change) -> tuple[str, int]:
    """What is written there, in one line, and the number of its last line."""
    line, column = _start(change.first)
    last_line, last_column = _end(change.last)
    if line == last_line:
        text = lines[line - 1][column:last_column]
    else:
        text = b"".join(
            (lines[line - 1][column:], *lines[line : last_line - 1], lines[last_line - 1][:last_column])
        )
    return " ".join(text.decode().split()), last_line


def _start(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    """The end of a node, or of the header of a compound statement."""
    match node:
        case ast.If(test=last) | ast.While(test=last) | ast.For(iter=last) | ast.AsyncFor(iter=last):
            pass
        case ast.Match(subject=last):
            pass
        case ast.With(items=[*_, item]) | ast.AsyncWith(items=[*_, item]):
            last = item.optional_vars or item.context_expr
        case ast.Try():
            return node.lineno, node.col_offset + len("try")
        case _:
            return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
    return _end(last)
