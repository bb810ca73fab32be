"""Every api with every field wrong in turn: what is answered, by whom, and that nothing comes of what is refused.

``data/wrong_fields`` holds a file for each api: the fields by its schema, the values, and the error code and message of
each. Where no error is named the value is legal. REWRITE_SCENARIOS=1 writes the files anew, to be reviewed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.schema import StructSchema, within
from kafkaproto_server.apis.table import TABLE
from kafkaproto_server.base.error_texts import MAX_MESSAGE_LENGTH
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.requests.context import NoResponse
from tests.apis.support.good_requests import SHARE_KEYS, PreparedCluster, good_requests
from tests.apis.support.wrong_values import WrongRequest, wrong_requests

DATA = Path(__file__).parent / "data" / "wrong_fields"
QUORUM_KEYS = {1, 52, 53, 54, 59, 82}
"""What the quorum's replicas ask each other on controllers' listeners; its own tests try that
(`tests/core/raft/test_bad_input.py`)."""
API_VERSIONS = 18
"""Tried at every version in `test_versions`."""

Problem = tuple[int, str | None]
"""An error code and the message beside it."""


def served_keys() -> list[int]:
    keys = {key for kind, table in TABLE.items() for key in table if not is_of_quorum(kind, key)}
    return sorted(keys - {API_VERSIONS})


def is_of_quorum(kind: ListenerKind, api_key: int) -> bool:
    """Whether the quorum's core responds."""
    return kind is ListenerKind.CONTROLLER and api_key in QUORUM_KEYS


def kinds(api_key: int) -> list[ListenerKind]:
    """The kinds of listeners with handlers of their own; what a broker only forwards is asked of the controller."""
    return [
        kind
        for kind in TABLE
        if api_key in TABLE[kind]
        and not is_of_quorum(kind, api_key)
        and not (kind is ListenerKind.BROKER and _is_only_forwarded(api_key))
    ]


def _is_only_forwarded(api_key: int) -> bool:
    return TABLE[ListenerKind.BROKER][api_key].handler is TABLE[ListenerKind.BROKER][19].handler


def problems(response: Any) -> list[Problem]:
    """Every error of a response, from the top down."""
    found: list[Problem] = []
    for item in _structs(response):
        code = getattr(item, "error_code", ErrorCode.NONE) or getattr(item, "partition_error_code", 0)
        if code != ErrorCode.NONE:
            found.append((code, getattr(item, "error_message", None)))
    return found


def _structs(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for each in value:
            yield from _structs(each)
    elif hasattr(type(value), "__slots__"):
        yield value
        for name in type(value).__slots__:
            yield from _structs(getattr(value, name))


IN_OTHER_WORDS = {
    # How many are to be added, and what was asked for and served.
    ("CreatePartitions", "topics.count"),
    ("DescribeCluster", "endpoint_type"),
    ("UpdateFeatures", "feature_updates.upgrade_type"),
    # What the key is no key of.
    ("FindCoordinator", "key_type"),
    # A member that leaves, of a group that does not exist.
    ("ConsumerGroupHeartbeat", "member_epoch"),
    ("ConsumerGroupHeartbeat", "rebalance_timeout_ms"),
    ("ShareGroupHeartbeat", "member_epoch"),
    ("StreamsGroupHeartbeat", "member_epoch"),
    ("StreamsGroupHeartbeat", "rebalance_timeout_ms"),
    # Told by the error of the quorum's core, beside what the answer repeats of the request.
    ("DescribeQuorum", "topics.topic_name"),
    ("DescribeQuorum", "topics.partitions.partition_index"),
}
"""Fields whose value a message need not repeat."""
FAIL_IN_KAFKA = {("ShareFetch", "share_acquire_mode"), ("ShareFetch", "max_bytes")}
"""Fields that Apache Kafka does not check. What fails then is an unknown error, here too."""
NEVER_TAKEN = {"StreamsGroupTopologyDescriptionUpdate"}
"""APIs that refuse every request in the same words."""
NO_NAME = ("''", "empty", "a name is needed")
"""Ways to say that a text is empty."""


class Asker:
    """Asks clusters that are prepared in the same way, each until something has been written to it."""

    def __init__(self) -> None:
        self.cluster = PreparedCluster()

    def ask(self, kind: ListenerKind, wrong: WrongRequest, version: int) -> str:
        """What becomes of a request, on one line."""
        harness = self.cluster.harness
        before, image = self.cluster.written_by(wrong.request), harness.image
        response = self.cluster.answer(kind, wrong.request, version)
        assert not isinstance(response, NoResponse)
        assert harness.controller.is_active
        found = problems(response)
        name = wrong.request.NAME.removesuffix("Request")
        if (name, wrong.path) not in FAIL_IN_KAFKA:
            assert ErrorCode.UNKNOWN_SERVER_ERROR not in {code for code, _ in found}, wrong
        is_written = self.cluster.written_by(wrong.request) != before
        assert is_written or harness.image is image
        if found:
            # Of an item that stands there twice the first may be carried out.
            # A share session goes on.
            goes_on = wrong.request.API_KEY in SHARE_KEYS
            assert not is_written or goes_on or isinstance(wrong.value, list), wrong
            _check_messages(wrong, [message for _, message in found if message is not None])
        if is_written:
            self.cluster = PreparedCluster()
        return f"{wrong}: {_outcome(found)}{', written' if is_written else ''}"


def _check_messages(wrong: WrongRequest, messages: list[str]) -> None:
    """Whether each message is of a reasonable length and repeats the value, or a long one's beginning or length."""
    name, value = wrong.request.NAME.removesuffix("Request"), wrong.value
    for message in messages:
        assert message
        assert len(message) <= MAX_MESSAGE_LENGTH
        if (name, wrong.path) in IN_OTHER_WORDS or name in NEVER_TAKEN or isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            assert str(value) in message, wrong
        elif isinstance(value, str):
            ways = (repr(value[:100])[1:-1], value[:100], str(len(value))) if value else NO_NAME
            assert any(way in message for way in ways), wrong


def _outcome(found: list[Problem]) -> str:
    if not found:
        return "NONE"
    told = dict.fromkeys(
        ErrorCode(code).name + ("" if message is None else f" {message!r}") for code, message in found
    )
    return " | ".join(told)


def transcript(api_key: int) -> str:
    """What becomes of everything that is asked of an api."""
    asker = Asker()
    blocks = []
    for number in range(len(good_requests(asker.cluster))):
        request, version = good_requests(asker.cluster)[number]
        if api_key != request.API_KEY:
            continue
        for kind in kinds(api_key):
            lines = [f"# version {version} to a {kind.value}"]
            lines += [asker.ask(kind, wrong, version) for wrong in wrong_requests(request, version)]
            blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


@pytest.mark.parametrize("api_key", served_keys())
def test_each_field_wrong_in_turn(api_key: int) -> None:
    api = api_by_key(api_key)
    assert api is not None
    path = DATA / f"{api.request_class.NAME.removesuffix('Request')}.txt"
    actual = transcript(api_key)
    if os.environ.get("REWRITE_SCENARIOS") == "1":
        path.write_text(actual)
    assert actual == path.read_text(), f"{path.name} says something else"


def test_every_field_of_every_served_version_is_tried() -> None:
    tried: dict[int, set[str]] = {}
    for request, version in good_requests(PreparedCluster()):
        assert request.API_KEY is not None
        tried.setdefault(request.API_KEY, set()).update(
            wrong.path for wrong in wrong_requests(request, version)
        )
    for api_key in served_keys():
        api = api_by_key(api_key)
        assert api is not None
        versions = range(api.min_version, api.max_stable_version + 1)
        fields = set(_fields(api.request_class.schema().root, versions, ""))
        assert tried[api_key] == fields, api.request_class.NAME


def _fields(schema: StructSchema, versions: range, prefix: str) -> Iterator[str]:
    for field in schema.fields:
        if not any(within(version, field.versions) for version in versions):
            continue
        # A struct by itself is never wrong, what is in it is.
        if (
            field.struct is None
            or field.array
            or any(within(version, field.nullable) for version in versions)
        ):
            yield prefix + field.attribute
        if field.struct is not None:
            yield from _fields(field.struct, versions, f"{prefix}{field.attribute}.")
