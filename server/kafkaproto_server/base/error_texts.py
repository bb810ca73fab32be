"""What errors may keep of a request: texts of a limited length, since they repeat what a peer sent, and no frames."""

from __future__ import annotations

from typing import TypeVar

E = TypeVar("E", bound=BaseException)

MAX_QUOTED_LENGTH = 200
"""Characters of a name or a value that an error message repeats."""
MAX_MESSAGE_LENGTH = 1_000
"""Characters of an error message that another package has made."""


def quoted(text: str) -> str:
    """A name or a value in quotes, cut if it is too long."""
    return repr(text[:MAX_QUOTED_LENGTH])


def without_frames(error: E) -> E:
    """A caught error that is to be kept.

    The frames through which an error was raised refer to all their values. Once one of these refers to the error, that
    is a cycle: a request of a hundred thousand refused items would be in memory until the collector sees it.
    """
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)
