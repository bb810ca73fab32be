"""No module imports itself by way of others, be it for type checkers only or inside a function."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

SOURCE_ROOTS = (ROOT, ROOT / "server", ROOT / "pipeline")

PACKAGES = ("kafkaproto", "codegen", "kafkaproto_server", "kafkaproto_pipeline")


def modules() -> dict[str, Path]:
    """All modules, by name."""
    found = {}
    for source_root in SOURCE_ROOTS:
        for package in PACKAGES:
            for path in sorted((source_root / package).rglob("*.py")):
                parts = path.relative_to(source_root).with_suffix("").parts
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(tree: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    """The modules among the known ones that a module imports anywhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if name in known:
                    yield name
                elif node.module in known:
                    yield node.module


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules each of which imports the next one, and the last one the first; empty if there are none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        names: list[str] = error.args[1]
        return names[::-1]
    return []


def test_there_is_no_circle() -> None:
    known = modules()
    assert len(known) > 500
    graph = {name: set(imported(ast.parse(path.read_text()), known)) - {name} for name, path in known.items()}
    assert circle(graph) == []


@pytest.mark.parametrize(
    "source", ["import a.b", "from a import b", "from a.b import c", "def f():\n    from a import b"]
)
def test_imports_are_found(source: str) -> None:
    assert list(imported(ast.parse(source), {"a": ROOT, "a.b": ROOT})) == ["a.b"]


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) in (["b", "c", "b"], ["c", "b", "c"])
