"""Steps cost more to write and to read than a plain function. Only handlers whose work grows are written so: with the
request, as far as its bounds let it, or with what the node has."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Iterator
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from kafkaproto.api import ApiKey
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.table import APIS

LISTS = (
    ApiKey.DESCRIBE_ACLS,
    ApiKey.DESCRIBE_CLIENT_QUOTAS,
    ApiKey.DESCRIBE_DELEGATION_TOKEN,
    ApiKey.LIST_CONFIG_RESOURCES,
    ApiKey.LIST_GROUPS,
    ApiKey.LIST_TRANSACTIONS,
)
"""A small request may ask for all that there is: ACLs, groups, transactions."""


def _types_in(hint: object) -> Iterator[object]:
    yield get_origin(hint) or hint
    for each in get_args(hint):
        yield from _types_in(each)


def returns_steps(served: Served) -> bool:
    """Whether a handler is a generator of steps, or may return one."""
    handler: Any = served.handler
    return inspect.isgeneratorfunction(handler) or Generator in _types_in(get_type_hints(handler)["return"])


def _served(api: Api) -> list[Served]:
    return [each for each in (api.broker, api.controller) if each is not None]


@pytest.mark.parametrize("api", APIS.values(), ids=lambda api: api.key.name)
def test_a_handler_of_small_requests_works_in_steps_only_if_it_lists_what_there_is(api: Api) -> None:
    for served in _served(api):
        if returns_steps(served) and api.key not in LISTS:
            assert (served.bounds or api.bounds).max_elements > SMALL.max_elements


@pytest.mark.parametrize("key", LISTS)
def test_a_list_of_what_there_is_is_made_in_steps(key: ApiKey) -> None:
    api = APIS[key]
    assert api.bounds.max_elements <= SMALL.max_elements
    assert all(map(returns_steps, _served(api)))
