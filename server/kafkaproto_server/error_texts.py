"""Length limits for error messages. They repeat what a peer sent, which may be as long as the protocol allows."""

from __future__ import annotations

MAX_QUOTED_LENGTH = 200
"""Characters of a name or a value that an error message repeats."""
MAX_MESSAGE_LENGTH = 1_000
"""Characters of an error message that another package has made."""


def quoted(text: str) -> str:
    """A name or a value in quotes, cut if it is too long."""
    return repr(text[:MAX_QUOTED_LENGTH])
