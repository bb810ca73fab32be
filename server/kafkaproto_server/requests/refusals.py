"""The refusal of a whole request: the response gives one error code for everything that the request asks for.

Each API defines it in its row (`apis.table`). The response to a long request is as long as the request, so it is made
in steps.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeAlias, TypeVar

import msgspec

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.base.later import Steps

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
R = TypeVar("R")


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request is refused, and the version of the response that has to say so."""

    code: ErrorCode
    message: str | None
    """The reason in words; None if there is nothing to add."""
    version: int


Refuse: TypeAlias = Callable[[Any, Refusal], Message | Steps[Message]]
"""Makes the response to a request that is refused as a whole."""


def refuse_on_top(request: Message, refusal: Refusal) -> Message:
    """The refusal of an API whose response has an error code of its own and nothing else to fill in."""
    assert request.API_KEY is not None, f"{request.NAME} is no request"
    api = api_by_key(request.API_KEY)
    assert api is not None, f"{request.NAME} has no response"
    response: Any = api.response_class()
    response.error_code = refusal.code
    if hasattr(response, "error_message"):
        response.error_message = refusal.message
    assert isinstance(response, Message), f"{api.name} has a response"
    return response


def refuse_each(items: Iterable[T], result: Callable[[T], R]) -> Steps[list[R]]:
    """One result for each item."""
    results = []
    for item in items:
        results.append(result(item))
        yield
    return results


def refuse_each_once(items: Iterable[H], result: Callable[[H], R]) -> Steps[list[R]]:
    """One result for each distinct item."""
    results = []
    seen = set()
    for item in items:
        if item not in seen:
            seen.add(item)
            results.append(result(item))
        yield
    return results
