"""Paths of ``kafka-metadata-shell``: finds the nodes of a path, with ``..`` and with patterns.

In each part of a path ``*`` matches any text, ``?`` one character and ``{a,b}`` one of several texts; a backslash makes
the next character literal. A part that equals the name of a child means that child, even if it contains such
characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kafkaproto_server.tools.shell.nodes import DirectoryNode, Node


@dataclass(frozen=True, slots=True)
class NodeAtPath:
    """A node and its path."""

    node: Node
    path: tuple[str, ...]
    """Names from the root on; empty for the root."""

    @property
    def name(self) -> str:
        """The last name of the path; ``/`` for the root."""
        return self.path[-1] if self.path else "/"

    @property
    def absolute(self) -> str:
        return "/" + "/".join(self.path)


def resolve(root: DirectoryNode, working: Sequence[str], text: str) -> list[NodeAtPath]:
    """Every node that a path means, in order; empty if there is none."""
    parts = [part for part in text.split("/") if part not in ("", ".")]
    start = () if text.startswith("/") else tuple(working)
    place = NodeAtPath(root, ())
    for name in start:
        child = _child(place, name)
        if child is None:
            # The working directory does not exist any more.
            return []
        place = child
    return list(_matching(root, place, parts))


def children(place: NodeAtPath) -> Iterator[NodeAtPath]:
    """The children of a directory, in order; none for a file."""
    if isinstance(place.node, DirectoryNode):
        for name in place.node.names_in_order():
            child = _child(place, name)
            if child is not None:
                yield child


def complete(root: DirectoryNode, working: Sequence[str], text: str) -> list[str]:
    """The paths that begin with ``text``, which may end inside their last part. Directories end with a slash."""
    before, slash, start = text.rpartition("/")
    directory = f"{before}{slash}"
    found = resolve(root, working, directory) if directory else resolve(root, working, ".")
    return [
        f"{directory}{child.name}{'/' if isinstance(child.node, DirectoryNode) else ''}"
        for place in found
        for child in _starting_with(place, start)
    ]


def _starting_with(place: NodeAtPath, start: str) -> Iterable[NodeAtPath]:
    if not isinstance(place.node, DirectoryNode):
        return
    for name in place.node.names_in_order():
        if name.startswith(start):
            child = _child(place, name)
            if child is not None:
                yield child


def _matching(root: DirectoryNode, place: NodeAtPath, parts: Sequence[str]) -> Iterator[NodeAtPath]:
    if not parts:
        yield place
        return
    first, *rest = parts
    if first == "..":
        yield from _matching(root, _parent(root, place), rest)
        return
    exact = _child(place, first)
    if exact is not None:
        yield from _matching(root, exact, rest)
    elif isinstance(place.node, DirectoryNode) and (pattern := _pattern(first)) is not None:
        for name in place.node.names_in_order():
            if pattern.fullmatch(name):
                child = _child(place, name)
                if child is not None:
                    yield from _matching(root, child, rest)


def _parent(root: DirectoryNode, place: NodeAtPath) -> NodeAtPath:
    parent = NodeAtPath(root, ())
    for name in place.path[:-1]:
        child = _child(parent, name)
        assert child is not None, f"{place.absolute} is in nothing"
        parent = child
    return parent


def _child(place: NodeAtPath, name: str) -> NodeAtPath | None:
    node = place.node.child(name) if isinstance(place.node, DirectoryNode) else None
    return None if node is None else NodeAtPath(node, (*place.path, name))


def _pattern(part: str) -> re.Pattern[str] | None:
    """The regular expression of a part with wildcards; None if it has none, or is not a valid pattern."""
    out: list[str] = []
    is_pattern = in_group = False
    characters = iter(part)
    for character in characters:
        if character == "\\":
            out.append(re.escape(next(characters, "\\")))
            is_pattern = True
        elif character in "*?":
            out.append(".*" if character == "*" else ".")
            is_pattern = True
        elif character == "{" and not in_group:
            out.append("(?:")
            in_group = is_pattern = True
        elif character == "}" and in_group:
            out.append(")")
            in_group = False
        elif character == "," and in_group:
            out.append("|")
        else:
            out.append(re.escape(character))
    return re.compile("".join(out), re.DOTALL) if is_pattern and not in_group else None
