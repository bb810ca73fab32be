"""How a request is refused as a whole: the response says one error for everything that the request asks for.

Each API says how in its row (`apis.table`). The response to a long request is as long as the request, so it is made in
steps.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeAlias, TypeVar

import msgspec

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.types import Steps

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
R = TypeVar("R")


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request is refused, and in what version it has to be said."""

    code: ErrorCode
    message: str | None
    """In words; None if there is nothing to add."""
    version: int


Refuse: TypeAlias = Callable[[Any, Refusal], Message | Steps[Message]]
"""Makes the response to a request that is refused as a whole."""


def refuse_on_top(request: Message, refusal: Refusal) -> Message:
    """The response of an API whose responses have an error code of their own, and nothing else to fill in."""
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
    """One result for each item that is different from all before it."""
    results = []
    seen = set()
    for item in items:
        if item not in seen:
            seen.add(item)
            results.append(result(item))
        yield
    return results
