"""Compiles the regular expressions of clients with RE2, and says what it costs to match them.

RE2 takes linear time, whatever clients send: at most the size of the compiled program times the length of the text. One
match cannot be interrupted, so whoever matches counts that product (`Regex.cost`) and pauses between matches. A unit
takes at most 10 ns on a machine of 2024, measured with patterns that leave RE2 no shortcut. What compiling takes is
bounded by the limits of this file: the worst patterns that were found within them take 30 ms.

Apache Kafka has RE2/J, with the same syntax and without these limits.
"""

from __future__ import annotations

import re

import re2

MAX_PATTERN_BYTES = 8_192
"""Of UTF-8. The time to compile grows with the square of the length, of ``x?x?x?...`` for example."""
MAX_UNICODE_CLASSES = 64
"""``\\p{...}`` and ``\\P{...}`` in a pattern: each one takes up to 0.13 ms to parse."""
MAX_REPETITIONS = 1_000
"""Sum of the bounds of all ``x{n,m}`` in a pattern. RE2 has the same limit for each one: it writes them out."""
MAX_PROGRAM_SIZE = 8_000
"""Instructions. An alternation of 200 topic names of 24 characters has as many. With them, a topic's name of 249
characters costs two million units."""
MAX_MEMORY_BYTES = 1 << 20
"""Of a compiled expression."""

_ESCAPE_OR_REPETITION = re.compile(r"\\x\{[0-9A-Fa-f]+\}|\\.|\{(\d+)(?:,(\d*))?\}", re.DOTALL)


def _options() -> re2.Options:
    options = re2.Options()
    options.never_capture = True
    # The client hears of its mistakes, and nobody else.
    options.log_errors = False
    options.max_mem = MAX_MEMORY_BYTES
    return options


_OPTIONS = _options()


class Regex:
    """A compiled regular expression."""

    __slots__ = ("_compiled", "program_size")

    def __init__(self, compiled: re2._Regexp) -> None:
        self._compiled = compiled
        self.program_size: int = compiled.programsize
        """Number of instructions."""

    def cost(self, text: str) -> int:
        """What it costs to match a text, at most, in instructions times bytes."""
        return self.program_size * len(text.encode())

    def matches(self, text: str) -> bool:
        """Whether the expression matches the whole of a text."""
        return self._compiled.fullmatch(text) is not None


def compile_regex(pattern: str) -> Regex:
    """Raises ValueError, with the reason, if the pattern is no regular expression or is beyond a limit."""
    _check_size(pattern)
    try:
        regex = Regex(re2.compile(pattern, _OPTIONS))
    except re2.error as error:
        raise ValueError(error.args[0].decode(errors="replace")) from None
    if regex.program_size > MAX_PROGRAM_SIZE:
        raise ValueError(f"it has {regex.program_size} instructions, and may have {MAX_PROGRAM_SIZE}")
    return regex


def _check_size(pattern: str) -> None:
    """Raises ValueError for a pattern that might take long to compile, or is no text (UnicodeEncodeError)."""
    size = len(pattern.encode())
    if size > MAX_PATTERN_BYTES:
        raise ValueError(f"it has {size} bytes, and may have {MAX_PATTERN_BYTES}")
    classes = pattern.count("\\p") + pattern.count("\\P")
    if classes > MAX_UNICODE_CLASSES:
        raise ValueError(f"it has {classes} Unicode classes, and may have {MAX_UNICODE_CLASSES}")
    repetitions = sum(
        max(int(found[1]), int(found[2] or 0))
        for found in _ESCAPE_OR_REPETITION.finditer(pattern)
        if found[1]
    )
    if repetitions > MAX_REPETITIONS:
        raise ValueError(f"its repetitions add up to {repetitions}, and may add up to {MAX_REPETITIONS}")
