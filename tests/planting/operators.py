"""The ways to plant a fault: each operator looks at a node of a syntax tree and says what could stand there instead.

The list is that of cosmic-ray and mutmut, less what any run finds at once (other strings, other arithmetic, decorators
that are gone), and with early returns and with the arguments of ``min`` and ``max``. These tools themselves are not
used: they change files on disk and run a command for each fault, a second or more; here a planted fault costs a fork.

What a fault leaves out stays in the tree, where it is never reached. So a nested function keeps the names that it takes
from outside it, as ``swap`` demands.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One way to change a function."""

    node: ast.AST
    """What is replaced."""
    new: ast.AST
    """What stands in its place."""
    first: ast.AST
    last: ast.AST
    """The text that names the change begins with the one and ends with the other, or with its header if that is a
    compound statement."""
    shown: ast.AST | str
    """What the text becomes, without what is never reached."""

    @property
    def after(self) -> str:
        return self.shown if isinstance(self.shown, str) else ast.unparse(self.shown)


Operator: TypeAlias = Callable[[ast.AST, FunctionNode], Iterator[Change]]


def _change(node: ast.AST, new: ast.AST) -> Change:
    return Change(node=node, new=new, first=node, last=node, shown=new)


def _only(new: ast.expr, old: ast.expr) -> ast.expr:
    """An expression that is the new one, and uses the names of the old one."""
    return ast.IfExp(test=ast.Constant(True), body=new, orelse=old)


def _reduced(node: ast.expr, new: ast.expr) -> Change:
    """Less than the node had."""
    return Change(node=node, new=_only(new, node), first=node, last=node, shown=new)


def _skipped(node: ast.stmt) -> Change:
    never = ast.If(test=ast.Constant(False), body=[node], orelse=[])
    return Change(node=node, new=never, first=node, last=node, shown="pass")


# Conditions


def _conditions(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            tests = [test]
        case ast.comprehension(ifs=tests):
            pass
        case ast.match_case(guard=ast.expr() as guard):
            tests = [guard]
        case _:
            return
    # `while True` is no condition.
    yield from (each for each in tests if not isinstance(each, ast.Constant))


def _negated(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
    for test in _conditions(node):
        if not _has_opposite(test):
            yield _change(test, ast.UnaryOp(op=ast.Not(), operand=test))


def _has_opposite(value: ast.expr) -> bool:
    """Whether another operator turns it into its opposite."""
    match value:
        case ast.Compare(ops=[operator]):
            return type(operator) in _OPPOSITES
        case ast.UnaryOp(op=ast.Not()):
            return True
    return False


def _always(value: bool) -> Operator:
    def changes(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
        for test in _conditions(node):
            constant = ast.Constant(value)
            if any(isinstance(each, ast.NamedExpr) for each in ast.walk(test)):
                # The name that it assigns has to have its value.
                pair = ast.Tuple(elts=[test, constant], ctx=ast.Load())
                yield _change(test, ast.Subscript(value=pair, slice=ast.Constant(1), ctx=ast.Load()))
            else:
                yield _reduced(test, constant)

    return changes


def _operand_dropped(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
    match node:
        case ast.BoolOp(op=operator, values=values):
            for index in range(len(values)):
                kept = values[:index] + values[index + 1 :]
                yield _reduced(node, kept[0] if len(kept) == 1 else ast.BoolOp(op=operator, values=kept))


def _not_dropped(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _change(node, operand)


def _case_never_taken(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
    match node:
        case ast.match_case(pattern=pattern, guard=guard, body=body) if not _is_refutation(body[0]):
            never: ast.expr = ast.Constant(False)
            new = ast.match_case(
                pattern=pattern, guard=never if guard is None else _only(never, guard), body=body
            )
            shown = f"{ast.unparse(pattern)} if False"
            yield Change(node=node, new=new, first=pattern, last=guard or pattern, shown=shown)


def _is_refutation(node: ast.AST) -> bool:
    """Whether a statement says that it is never reached."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="assert_never"))):
            return True
    return False


# Comparisons, numbers

_BOUNDS: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_OPPOSITES: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def _compared(others: Mapping[type[ast.cmpop], type[ast.cmpop]]) -> Operator:
    def changes(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
        if not isinstance(node, ast.Compare):
            return
        operands = [node.left, *node.comparators]
        for index, operator in enumerate(node.ops):
            if type(operator) not in others:
                continue
            other = others[type(operator)]()
            ops = [*node.ops[:index], other, *node.ops[index + 1 :]]
            first, last = operands[index : index + 2]
            yield Change(
                node=node,
                new=ast.Compare(left=node.left, ops=ops, comparators=node.comparators),
                first=first,
                last=last,
                shown=ast.Compare(left=first, ops=[other], comparators=[last]),
            )

    return changes


def _integers(node: ast.AST) -> list[ast.Constant]:
    """Those that a node adds, compares or takes as a bound or an index."""
    operands: list[ast.expr | None] = []
    match node:
        case ast.BinOp(left=left, right=right):
            operands = [left, right]
        case ast.Compare(left=left, comparators=others):
            operands = [left, *others]
        case ast.AugAssign(value=value):
            operands = [value]
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper)):
            operands = [lower, upper]
        case ast.Subscript(slice=index):
            operands = [index]
        case ast.Call(func=ast.Name(id="max" | "min" | "range"), args=arguments):
            operands = [*arguments]
    bare = [each.operand if isinstance(each, ast.UnaryOp) else each for each in operands]
    return [each for each in bare if isinstance(each, ast.Constant) and type(each.value) is int]


def _constant(added: int) -> Operator:
    def changes(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
        for index, number in enumerate(_integers(node)):
            assert type(number.value) is int, "others are left out"
            new = copy.deepcopy(node)
            _integers(new)[index].value = number.value + added
            yield _change(node, new)

    return changes


def _operation(old: type[ast.operator], new: type[ast.operator]) -> Operator:
    def changes(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
        match node:
            case ast.BinOp(left=left, op=operator, right=right):
                if isinstance(operator, old) and not _is_text(left) and not _is_text(right):
                    yield _change(node, ast.BinOp(left=left, op=new(), right=right))
            case ast.AugAssign(target=target, op=operator, value=value):
                if isinstance(operator, old) and not _is_text(value):
                    yield _change(node, ast.AugAssign(target=target, op=new(), value=value))

    return changes


def _is_text(node: ast.expr) -> bool:
    """Whether it is text, a list or a tuple, from which nothing can be subtracted."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    return isinstance(node, ast.JoinedStr | ast.List | ast.ListComp | ast.Tuple)


def _other_end(old: str, new: str) -> Operator:
    def changes(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
        match node:
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if name == old:
                function = ast.Name(id=new, ctx=ast.Load())
                yield _change(node, ast.Call(func=function, args=arguments, keywords=keywords))

    return changes


def _only_one_argument(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
    match node:
        case ast.Call(func=ast.Name(id="max" | "min"), args=[_, _, *_] as arguments):
            for each in arguments:
                if not isinstance(each, ast.Starred):
                    yield _reduced(node, each)


def _flags(node: ast.AST, value: bool) -> list[ast.Constant]:
    """Those that are directly in a node."""
    if isinstance(node, ast.While | ast.match_case):
        return []
    children = ast.iter_child_nodes(node)
    return [each for each in children if isinstance(each, ast.Constant) and each.value is value]


def _flag(old: bool) -> Operator:
    def changes(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
        for index in range(len(_flags(node, old))):
            new = copy.deepcopy(node)
            _flags(new, old)[index].value = not old
            yield _change(node, new)

    return changes


# Statements

_BEGINNINGS = frozenset({"__init__", "__post_init__", "__new__"})
"""What these do not assign is missed at once."""


def _assignment_skipped(node: ast.AST, function: FunctionNode) -> Iterator[Change]:
    match node:
        case ast.Assign(targets=targets):
            is_kept = all(isinstance(each, ast.Attribute | ast.Subscript) for each in targets)
        case ast.AnnAssign(target=ast.Attribute() | ast.Subscript(), value=ast.expr()):
            is_kept = True
        case ast.AugAssign():
            is_kept = True
        case _:
            return
    if is_kept and function.name not in _BEGINNINGS:
        yield _skipped(node)


def _call_skipped(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
    match node:
        case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())) if not _is_refutation(node):
            yield _skipped(node)


def _statement_skipped(kind: type[ast.stmt]) -> Operator:
    def changes(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
        if isinstance(node, kind):
            assert isinstance(node, ast.stmt), "it is a kind of statement"
            yield _skipped(node)

    return changes


def _exchanged(old: type[ast.stmt], new: type[ast.stmt]) -> Operator:
    def changes(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
        if isinstance(node, old):
            yield _change(node, new())

    return changes


def _return_negated(node: ast.AST, function: FunctionNode) -> Iterator[Change]:
    match node, function.returns:
        case ast.Return(value=ast.expr() as value), ast.Name(id="bool"):
            if not isinstance(value, ast.Constant) and not _has_opposite(value):
                yield _change(value, ast.UnaryOp(op=ast.Not(), operand=value))


def _loop_never_runs(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
    match node:
        case ast.For(target=target, iter=values, body=body, orelse=orelse):
            new = ast.For(
                target=target,
                iter=_only(ast.Tuple(elts=[], ctx=ast.Load()), values),
                body=body,
                orelse=orelse,
            )
            shown = f"for {ast.unparse(target)} in ()"
            yield Change(node=node, new=new, first=node, last=node, shown=shown)


def _exception_not_caught(node: ast.AST, _: FunctionNode) -> Iterator[Change]:
    match node:
        case ast.ExceptHandler(type=ast.expr() as kind):
            yield _reduced(kind, ast.Tuple(elts=[], ctx=ast.Load()))


_COMPOUND = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.Match,
)
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break, ast.Pass, ast.Assert, ast.Import, ast.ImportFrom)
"""A return in place of one of these is what another operator does, or changes nothing."""


def _early_return(node: ast.AST, function: FunctionNode) -> Iterator[Change]:
    """A return before what comes after a guard, and before what is itself compound."""
    if not _may_return_nothing(function):
        return
    for block in _blocks(node):
        for previous, each in itertools.pairwise(block):
            if isinstance(each, _ENDS) or not (
                isinstance(previous, _COMPOUND) or isinstance(each, _COMPOUND)
            ):
                continue
            if each is function.body[-1] and not isinstance(each, _COMPOUND):
                continue
            leaving = ast.If(test=ast.Constant(True), body=[ast.Return(value=None)], orelse=[each])
            yield Change(node=each, new=leaving, first=each, last=each, shown="return")


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _may_return_nothing(function: FunctionNode) -> bool:
    match function.returns:
        case ast.Constant(value=None) | ast.Name(id="bool"):
            return function.name not in _BEGINNINGS
        case ast.BinOp(op=ast.BitOr(), right=ast.Constant(value=None)):
            return True
        case ast.Subscript(value=ast.Name(id="Iterator" | "AsyncIterator" | "Generator" | "AsyncGenerator")):
            return True
    return False


OPERATORS: Mapping[str, Operator] = {
    "condition negated": _negated,
    "condition always true": _always(True),
    "condition always false": _always(False),
    "operand dropped": _operand_dropped,
    "not dropped": _not_dropped,
    "case never taken": _case_never_taken,
    "bound off by one": _compared(_BOUNDS),
    "comparison turned": _compared(_OPPOSITES),
    "number plus 1": _constant(1),
    "number minus 1": _constant(-1),
    "plus to minus": _operation(ast.Add, ast.Sub),
    "minus to plus": _operation(ast.Sub, ast.Add),
    "min to max": _other_end("min", "max"),
    "max to min": _other_end("max", "min"),
    "only one argument": _only_one_argument,
    "True to False": _flag(True),
    "False to True": _flag(False),
    "return negated": _return_negated,
    "early return": _early_return,
    "assignment skipped": _assignment_skipped,
    "call skipped": _call_skipped,
    "del skipped": _statement_skipped(ast.Delete),
    "raise skipped": _statement_skipped(ast.Raise),
    "continue skipped": _statement_skipped(ast.Continue),
    "break skipped": _statement_skipped(ast.Break),
    "continue to break": _exchanged(ast.Continue, ast.Break),
    "break to continue": _exchanged(ast.Break, ast.Continue),
    "loop never runs": _loop_never_runs,
    "exception not caught": _exception_not_caught,
}
