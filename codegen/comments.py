"""Comments of Kafka's schema files. JSON has no comments, so they are replaced by blanks before the text is parsed.

Every other character keeps its line and column, so positions that the JSON parser reports stay right.
"""

from __future__ import annotations


def blank_comments(text: str) -> str:
    """``text`` with ``//`` and ``/* */`` comments outside of strings replaced by spaces."""
    out = list(text)
    position = 0
    while position < len(text):
        if text[position] == '"':
            position = _end_of_string(text, position)
        elif text.startswith("//", position):
            end = text.find("\n", position)
            position = _blank(out, position, len(text) if end < 0 else end)
        elif text.startswith("/*", position):
            end = text.find("*/", position + 2)
            position = _blank(out, position, len(text) if end < 0 else end + 2)
        else:
            position += 1
    return "".join(out)


def _end_of_string(text: str, start: int) -> int:
    position = start + 1
    while position < len(text) and text[position] not in '"\n':
        position += 2 if text[position] == "\\" else 1
    return position + 1


def _blank(out: list[str], start: int, end: int) -> int:
    for position in range(start, end):
        if out[position] != "\n":
            out[position] = " "
    return end
