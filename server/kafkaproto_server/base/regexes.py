"""Compiles the regular expressions of clients with RE2, and says what it costs to match them.

RE2 takes linear time, whatever clients send: at most the size of the compiled program times the length of the text. One
match cannot be interrupted, so whoever matches counts that product (`Regex.cost`) and pauses between matches. A unit
takes at most 10 ns on a machine of 2024, measured with patterns that leave RE2 no shortcut. What compiling takes is
bounded by the limits of this file: the worst patterns that were found within them take 30 ms.

Apache Kafka has RE2/J, with nearly the same syntax and without these limits. What RE2 takes and RE2/J does not is
refused here, so that a pattern is valid on both servers or on neither (`_check_syntax`).
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
"""What a compiled expression may take of memory."""

SCRIPTS = frozenset(
    "Arabic Armenian Avestan Balinese Bamum Batak Bengali Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal"
    " Carian Cham Cherokee Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Egyptian_Hieroglyphs Ethiopic"
    " Georgian Glagolitic Gothic Greek Gujarati Gurmukhi Han Hangul Hanunoo Hebrew Hiragana Imperial_Aramaic Inherited"
    " Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li Kharoshthi Khmer Lao"
    " Latin Lepcha Limbu Linear_B Lisu Lycian Lydian Malayalam Mandaic Meetei_Mayek Mongolian Myanmar New_Tai_Lue Nko"
    " Ogham Ol_Chiki Old_Italic Old_Persian Old_South_Arabian Old_Turkic Oriya Osmanya Phags_Pa Phoenician Rejang"
    " Runic Samaritan Saurashtra Shavian Sinhala Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham"
    " Tai_Viet Tamil Telugu Thaana Thai Tibetan Tifinagh Ugaritic Vai Yi".split()
)
"""Those of Unicode 6.0, which RE2/J knows. RE2 knows later ones, too."""
LONGEST_CATEGORY = len("Any")

_ESCAPES = re.compile(r"\\Q.*?(?:\\E|\Z)|\\[pP]\{\^?(?P<script>[^}]*)\}|\\(?P<escaped>.)", re.DOTALL)
_REPETITION = r"\{\d+(?:,\d*)?\}"
_STRUCTURE = re.compile(
    # What is quoted, an escape, a class; then what is looked for.
    r"\\Q.*?(?:\\E|\Z)|\\[xpP]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\\\]])*\]"
    rf"|\(\?P?<(?P<name>[^>]*)>|{_REPETITION}|(?P<brace>\{{(?:[*+?]|{_REPETITION}))",
    re.DOTALL,
)
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
    __slots__ = ("_compiled", "program_size")

    def __init__(self, compiled: re2._Regexp) -> None:
        self._compiled = compiled
        self.program_size: int = compiled.programsize
        """The number of its instructions; RE2 takes at most so many steps for each byte of a text."""

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
        regex = Regex(re2.compile(_ESCAPES.sub(_without_needless_escape, pattern), _OPTIONS))
    except re2.error as error:
        raise ValueError(error.args[0].decode(errors="replace")) from None
    _check_syntax(pattern)
    if regex.program_size > MAX_PROGRAM_SIZE:
        raise ValueError(f"it has {regex.program_size} instructions, and may have {MAX_PROGRAM_SIZE}")
    return regex


def _without_needless_escape(found: re.Match[str]) -> str:
    """RE2/J takes any escaped character beyond ASCII for itself; RE2 refuses it."""
    escaped = found["escaped"]
    return found[0] if escaped is None or escaped.isascii() else escaped


def _check_syntax(pattern: str) -> None:
    """Raises ValueError for what RE2 takes and RE2/J does not. The pattern is one that RE2 takes."""
    for found in _ESCAPES.finditer(pattern):
        script = found["script"]
        if script is not None and len(script) > LONGEST_CATEGORY and script not in SCRIPTS:
            raise ValueError(f"invalid character class range: {found[0]}")
        # A single byte: no text has such a thing.
        if found["escaped"] == "C":
            raise ValueError(f"invalid escape sequence: {found[0]}")
    names: set[str] = set()
    for found in _STRUCTURE.finditer(pattern):
        name = found["name"]
        if name is not None and (not name.isascii() or name in names):
            raise ValueError(f"invalid or duplicate capture group name: {name}")
        if name is not None:
            names.add(name)
        if found["brace"] is not None:
            raise ValueError(f"invalid nested repetition operator: {found[0]}")


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
