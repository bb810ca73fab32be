"""Frees large messages in steps: to free 600,000 structs at once takes some 40 ms, which would block the event loop."""

from __future__ import annotations

import sys
from collections import deque
from types import GeneratorType
from typing import Any, Final

from kafkaproto.message import Message, Struct
from kafkaproto_server.base.later import Steps
from kafkaproto_server.requests.error_codes import is_small

MANY_ELEMENTS: Final = 10_000
"""Messages with at most this many elements in their arrays are freed at once."""
VALUES_A_STEP: Final = 64


def is_large(message: Message) -> bool:
    """Whether a message has to be freed in steps."""
    return not is_small(message, MANY_ELEMENTS)


def close_steps(steps: Steps[Any]) -> list[Any]:
    """Close a generator of steps, and return the lists and structs in its local variables to which nothing else refers.
    They may be half of a large message, which closing would otherwise free at once."""
    found = list(_made_by(steps).values())
    steps.close()
    # Three references are ours: the list, the variable, the argument.
    return [each for each in found if sys.getrefcount(each) == 3]


def _made_by(steps: Steps[Any]) -> dict[int, Any]:
    made: dict[int, Any] = {}
    inner: object = steps
    while isinstance(inner, GeneratorType) and inner.gi_frame is not None:
        for value in inner.gi_frame.f_locals.values():
            if isinstance(value, list | Struct):
                made[id(value)] = value
        inner = inner.gi_yieldfrom
    return made


def release_steps(messages: list[Any]) -> Steps[None]:
    """Free messages, and the structs and lists of them, to which nothing else refers; empties the list. A value that is
    popped owns no lists any more, so each step frees a few small objects."""
    waiting: deque[Any] = deque(messages)
    messages.clear()
    while waiting:
        for _ in range(min(VALUES_A_STEP, len(waiting))):
            _let_go(waiting)
        yield


def _let_go(waiting: deque[Any]) -> None:
    value = waiting.popleft()
    if type(value) is list:
        waiting.extend(value)
    for attribute in getattr(type(value), "__slots__", ()):
        # A struct that was still being made may not have the attribute yet.
        inner = getattr(value, attribute, None)
        if type(inner) is list:
            waiting.extend(inner)
