"""Runs the product with other syntax trees than its files have, in this process, and without touching the files.

A module is compiled anew from a changed tree. Each of its live functions then gets the code that the tree has in its
place. So it does not matter who holds the function: other modules, tables, classes, partial applications. What a module
does while it is imported (defaults, constants, decorators) stays as it was.

A tree has to keep the line numbers of its functions, and the names that a nested function takes from outside it: wrap
what is left out in ``if False`` rather than remove it.
"""

from __future__ import annotations

import ast
import contextlib
import gc
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType


class UnfitTreeError(Exception):
    """A tree does not have the functions of its module, or one of them takes other names from outside."""


def tree_of(module: ModuleType) -> ast.Module:
    """The tree of a module's file."""
    path = _path_of(module)
    return ast.parse(Path(path).read_text(), path)


@contextlib.contextmanager
def swapped(trees: Mapping[ModuleType, ast.Module]) -> Iterator[None]:
    """Have the functions of some modules run other code. Raises UnfitTreeError if a tree is not one of its module.

    Functions that run already go on with the code that they have.
    """
    changes: list[tuple[FunctionType, CodeType]] = []
    live = _live_functions({_path_of(module) for module in trees})
    for module, tree in trees.items():
        path = _path_of(module)
        before, after = _codes(tree_of(module), path), _codes(tree, path)
        if before.keys() != after.keys():
            raise UnfitTreeError(f"{path} has other functions than its module")
        for function in live[path]:
            code = function.__code__
            place = before.get((code.co_qualname, code.co_firstlineno), ())
            # Several lambdas on one line have one name.
            index = next((number for number, each in enumerate(place) if each == code), None)
            if index is None:
                continue
            new = after[code.co_qualname, code.co_firstlineno][index]
            if new.co_freevars != code.co_freevars:
                raise UnfitTreeError(f"{path}: {code.co_qualname} takes other names from outside")
            if new != code:
                changes.append((function, new))
    originals = [(function, function.__code__) for function, _ in changes]
    try:
        for function, code in changes:
            function.__code__ = code
        yield
    finally:
        for function, code in originals:
            function.__code__ = code


def _path_of(module: ModuleType) -> str:
    assert module.__file__ is not None, f"{module.__name__} has a file"
    return module.__file__


def _live_functions(paths: set[str]) -> Mapping[str, Sequence[FunctionType]]:
    found: defaultdict[str, list[FunctionType]] = defaultdict(list)
    # What is frozen would not be found.
    gc.unfreeze()
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename in paths:
            found[each.__code__.co_filename].append(each)
    return found


def _codes(tree: ast.Module, path: str) -> dict[tuple[str, int], list[CodeType]]:
    """The code of all functions in a tree, by qualified name and first line."""
    found: defaultdict[tuple[str, int], list[CodeType]] = defaultdict(list)
    waiting = [compile(tree, path, "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        for each in code.co_consts:
            if isinstance(each, CodeType):
                found[each.co_qualname, each.co_firstlineno].append(each)
                waiting.append(each)
    return dict(found)
