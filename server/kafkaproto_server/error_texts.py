"""Texts of error messages, which repeat what a peer sent: that may be as long as a string of the protocol can be."""

from __future__ import annotations

MAX_QUOTED_LENGTH = 200
"""Characters of a name or a value that an error message repeats."""
MAX_MESSAGE_LENGTH = 1_000
"""Characters of an error message that another room has made."""


def quoted(text: str) -> str:
    """A name or a value, in quotes, cut where it is long."""
    return repr(text[:MAX_QUOTED_LENGTH])
