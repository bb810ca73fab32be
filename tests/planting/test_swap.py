"""Live functions run the code of another tree, wherever they are held, and their own again afterwards."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from tests.planting.support.modules import imported
from tests.planting.swap import UnfitTreeError, swapped, tree_of

SOURCE = """
from functools import cache

def double(value):
    return value * 2

class Account:
    def __init__(self):
        self.added = 2

    @property
    def total(self):
        return 40 + self.added

    @staticmethod
    def limit():
        return 7

@cache
def remembered():
    return 1

def outer(value):
    def inner():
        return value + 1
    return inner

PAIR = [lambda: "first", lambda: "second"]
"""


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    with imported(tmp_path / "swapped_module.py", SOURCE) as made:
        yield made


class _Replace(ast.NodeTransformer):
    def __init__(self, before: int | str, after: int | str) -> None:
        self._before, self._after = before, after

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.copy_location(ast.Constant(self._after), node) if node.value == self._before else node


def _changed(module: ModuleType, before: int | str, after: int | str) -> ast.Module:
    changed = _Replace(before, after).visit(tree_of(module))
    assert isinstance(changed, ast.Module)
    return changed


@pytest.mark.parametrize(
    ("call", "before", "after"),
    [
        (lambda module: module.double(4), 2, 3),
        (lambda module: module.Account().total, 40, 41),
        (lambda module: module.Account.limit(), 7, 8),
        (lambda module: module.remembered.__wrapped__(), 1, 5),
        (lambda module: module.outer(1)(), 1, 10),
        (lambda module: module.PAIR[1](), "second", "third"),
    ],
    ids=["a function", "a property", "a static method", "a decorated one", "a nested one", "a lambda"],
)
def test_a_function_runs_the_code_of_the_tree(
    module: ModuleType, call: Callable[[ModuleType], object], before: int | str, after: int | str
) -> None:
    own = call(module)
    with swapped({module: _changed(module, before, after)}):
        assert call(module) != own
    assert call(module) == own


def test_it_does_so_for_whoever_holds_it(module: ModuleType) -> None:
    held = partial(module.double, 4)
    with swapped({module: _changed(module, 2, 3)}):
        assert held() == 12
    assert held() == 8


def test_the_other_lambda_of_a_line_stays(module: ModuleType) -> None:
    with swapped({module: _changed(module, "second", "third")}):
        assert module.PAIR[0]() == "first"


def test_a_tree_with_other_functions_is_refused(module: ModuleType) -> None:
    tree = tree_of(module)
    del tree.body[1]
    with pytest.raises(UnfitTreeError, match="other functions"), swapped({module: tree}):
        pass


def test_a_nested_function_may_be_out_of_reach(module: ModuleType) -> None:
    kept = module.outer(1)
    tree = tree_of(module)
    outer = next(each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "outer")
    never = ast.If(test=ast.Constant(False), body=outer.body[:1], orelse=[])
    outer.body[0] = ast.copy_location(never, outer.body[0])
    ast.fix_missing_locations(tree)
    with swapped({module: tree}):
        assert kept() == 2
        with pytest.raises(UnboundLocalError):
            module.outer(1)


def test_names_from_outside_have_to_stay(module: ModuleType) -> None:
    kept = module.outer(1)
    tree = ast.parse(SOURCE.replace("return value + 1", "return 5"))
    with pytest.raises(UnfitTreeError, match="other names"), swapped({module: tree}):
        pass
    assert kept() == 2
