"""Runs the product with other syntax trees than its files have, in this process, and without touching the files.

A module is compiled anew from a changed tree. Each of its live functions then gets the code that the tree has in its
place. So it does not matter who holds the function: other modules, tables, classes, partial applications. What a module
does while it is imported (defaults, constants, decorators) stays as it was.

A tree has to keep the line numbers of its functions, and the names that a nested function takes from outside it: wrap
what is left out in ``if False`` rather than remove it. A nested function may be where it is never reached; those that
live keep their code.
"""

from __future__ import annotations

import ast
import contextlib
import gc
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TypeAlias

_LOCALS = "<locals>"

LiveFunctions: TypeAlias = Mapping[str, Sequence[FunctionType]]
"""By the file of their code."""
Exchange: TypeAlias = Sequence[tuple[FunctionType, CodeType]]
"""Functions, and the code that each of them gets."""


class UnfitTreeError(Exception):
    """A tree does not have the functions of its module, or one of them takes other names from outside."""


def tree_of(module: ModuleType) -> ast.Module:
    """The tree of a module's file."""
    path = _path_of(module)
    return ast.parse(Path(path).read_text(), path)


def live_functions(paths: Collection[str]) -> LiveFunctions:
    """The functions of this process whose code is from one of the files."""
    found: defaultdict[str, list[FunctionType]] = defaultdict(list)
    # What is frozen would not be found.
    gc.unfreeze()
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename in paths:
            found[each.__code__.co_filename].append(each)
    return found


def exchange(module: ModuleType, tree: ast.Module, live: LiveFunctions | None = None) -> Exchange:
    """The code that functions of a module have to get. Raises UnfitTreeError if the tree is not one of that module.

    ``live`` are functions that were found before; by default they are looked for.
    """
    path = _path_of(module)
    before, after = _codes_of_file(path), _codes(tree, path)
    missing = [name for name, _ in before.keys() - after.keys() if _LOCALS not in name]
    if missing or after.keys() - before.keys():
        raise UnfitTreeError(f"{path} has other functions than its module")
    found = []
    for function in (live or live_functions({path}))[path]:
        code = function.__code__
        key = code.co_qualname, code.co_firstlineno
        olds, news = before.get(key, ()), after.get(key, ())
        # Several lambdas on one line have one name.
        index = next((number for number, each in enumerate(olds) if each == code), None)
        if index is None or not news:
            continue
        if len(olds) != len(news):
            raise UnfitTreeError(f"{path}: nobody can tell which {code.co_qualname} is left")
        new = news[index]
        if new.co_freevars != code.co_freevars:
            raise UnfitTreeError(f"{path}: {code.co_qualname} takes other names from outside")
        if new != code:
            found.append((function, new))
    return found


@contextlib.contextmanager
def exchanged(functions: Exchange) -> Iterator[None]:
    """Have functions run other code. Those that run already go on with the code that they have."""
    originals = [(function, function.__code__) for function, _ in functions]
    try:
        for function, code in functions:
            function.__code__ = code
        yield
    finally:
        for function, code in originals:
            function.__code__ = code


@contextlib.contextmanager
def swapped(trees: Mapping[ModuleType, ast.Module]) -> Iterator[None]:
    """Have the functions of some modules run other code. Raises UnfitTreeError if a tree is not one of its module."""
    live = live_functions({_path_of(module) for module in trees})
    with contextlib.ExitStack() as stack:
        for each in [exchange(module, tree, live) for module, tree in trees.items()]:
            stack.enter_context(exchanged(each))
        yield


def _path_of(module: ModuleType) -> str:
    assert module.__file__ is not None, f"{module.__name__} has a file"
    return module.__file__


@cache
def _codes_of_file(path: str) -> dict[tuple[str, int], list[CodeType]]:
    return _codes(ast.parse(Path(path).read_text(), path), path)


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
