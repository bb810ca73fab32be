"""Lets go of large messages a little at a time: to free 600,000 structs at once takes some 40 ms."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from kafkaproto.message import Message
from server.metrics.answers import is_small
from server.types import Steps

MANY_ELEMENTS: Final = 10_000
"""Messages with at most so many elements in their lists are freed at once."""
VALUES_A_STEP: Final = 64


def is_large(message: Message) -> bool:
    """Whether a message has to be let go in steps."""
    return not is_small(message, MANY_ELEMENTS)


def release_steps(messages: list[Message]) -> Steps[None]:
    """Free messages that nobody else holds; the list is emptied. A value that is popped has no lists left that
    nobody else holds, so each step frees a few small objects."""
    waiting: deque[Any] = deque(messages)
    messages.clear()
    while waiting:
        for _ in range(min(VALUES_A_STEP, len(waiting))):
            _let_go(waiting)
        yield


def _let_go(waiting: deque[Any]) -> None:
    value = waiting.popleft()
    for attribute in getattr(type(value), "__slots__", ()):
        inner = getattr(value, attribute)
        if type(inner) is list:
            waiting.extend(inner)
