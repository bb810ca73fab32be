"""Aliases of ``Callable`` in the rooms of handlers and of the node: each says what it carries, so there are few, and
none has two meanings."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SERVER = Path(__file__).parents[2] / "server" / "kafkaproto_server"
ROOMS = ("apis", "base", "config", "node", "requests")
MOST = 30


def _aliases(path: Path) -> Iterator[str]:
    for statement in ast.parse(path.read_text()).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=ast.Name(id="Callable")))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Subscript(value=ast.Name(id="Callable")))
            ):
                yield name


def test_aliases_of_callbacks_are_few_and_each_has_one_meaning() -> None:
    found = Counter(
        name for room in ROOMS for path in sorted((SERVER / room).rglob("*.py")) for name in _aliases(path)
    )
    assert "Produced" in found
    assert len(found) <= MOST
    assert [name for name, times in found.items() if times > 1] == []
