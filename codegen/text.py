"""Lines of Python with their indentation, and the fixed-size layouts that a module needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

WIDTH = 110
"""If a call, an assignment of many or a condition is longer than this, it is spread over several lines."""


class Lines:
    """Collects the lines of one module."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0

    def add(self, *lines: str) -> None:
        """Append lines at the present indentation; an empty one stays empty."""
        self._lines.extend("    " * self._depth + line if line else "" for line in lines)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Append ``head`` and indent what is added inside."""
        self.add(head)
        with self.indented():
            yield

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Indent what is added inside, behind a head that is there already."""
        self._depth += 1
        yield
        self._depth -= 1

    def call(self, head: str, arguments: list[str], tail: str = "") -> None:
        """``head(arguments)tail``, on one line; if that is too long, with one line for each argument."""
        one = f"{head}({', '.join(arguments)}){tail}"
        if len(one) + 4 * self._depth <= WIDTH:
            self.add(one)
            return
        self.add(f"{head}(")
        with self.indented():
            self.add(*(f"{argument}," for argument in arguments))
        self.add(f"){tail}")

    def unpack(self, targets: list[str], expression: str) -> None:
        """``targets = expression``, where the expression is a tuple; one line for each target if one line is not
        enough.
        """
        one = (
            f"{', '.join(targets)} = {expression}" if len(targets) > 1 else f"({targets[0]},) = {expression}"
        )
        if len(one) + 4 * self._depth <= WIDTH:
            self.add(one)
            return
        self.add("(")
        with self.indented():
            self.add(*(f"{target}," for target in targets))
        self.add(f") = {expression}")

    def condition(self, parts: list[str], guard: str = "") -> None:
        """``if guard and (one or other):``, with one line for each part if it is too long for one line."""
        one = f"if {guard} and ({' or '.join(parts)}):" if guard else f"if {' or '.join(parts)}:"
        if len(one) + 4 * self._depth <= WIDTH:
            self.add(one)
            return
        self.add(f"if {guard} and (" if guard else "if (")
        with self.indented():
            self.add(parts[0], *(f"or {part}" for part in parts[1:]))
        self.add("):")

    def text(self) -> str:
        """All lines, ending with a newline."""
        return "\n".join(self._lines) + "\n"


class Layouts:
    """The ``struct`` layouts that a module's functions use, by their codes."""

    def __init__(self) -> None:
        self._unpack: set[str] = set()
        self._pack: set[str] = set()

    def unpack(self, codes: str) -> str:
        """Name of the function that unpacks these codes from a buffer and a position."""
        self._unpack.add(codes)
        return f"_unpack_{self._word(codes)}"

    def pack(self, codes: str) -> str:
        """Name of the function that packs values of these codes."""
        self._pack.add(codes)
        return f"_pack_{self._word(codes)}"

    @staticmethod
    def _word(codes: str) -> str:
        return codes.replace("16s", "u").replace("?", "t")

    def definitions(self) -> list[str]:
        """One assignment for each, sorted."""
        return [
            f'{self.unpack(codes)} = struct.Struct(">{codes}").unpack_from' for codes in sorted(self._unpack)
        ] + [f'{self.pack(codes)} = struct.Struct(">{codes}").pack' for codes in sorted(self._pack)]
