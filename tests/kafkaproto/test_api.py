"""The table of apis: names, versions, header versions, message classes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kafkaproto.api import ApiInfo, api_by_key, api_keys
from kafkaproto.message import Message
from kafkaproto.messages import MetadataRequest
from tests.messages.support.random_messages import all_message_classes


def api(key: int) -> ApiInfo:
    """The api of a key that exists."""
    found = api_by_key(key)
    assert found is not None
    return found


def test_every_request_has_its_api_and_its_response() -> None:
    requests = {kind.API_KEY: kind for kind in all_message_classes() if kind.TYPE == "request"}
    assert api_keys() == sorted(key for key in requests if key is not None)
    for key in api_keys():
        info = api(key)
        assert info.request_class is requests[key]
        assert key == info.response_class.API_KEY
        assert (info.min_version, info.max_version) == (
            info.request_class.MIN_VERSION,
            info.request_class.MAX_VERSION,
        )
        assert (info.min_version, info.max_version) == (
            info.response_class.MIN_VERSION,
            info.response_class.MAX_VERSION,
        )
        assert info.listeners == info.request_class.LISTENERS
        unstable = info.request_class.LATEST_VERSION_UNSTABLE
        assert info.max_stable_version == info.max_version - unstable
        assert info.request_flexible_from == info.request_class.FLEXIBLE_FROM
        assert info.response_flexible_from == info.response_class.FLEXIBLE_FROM


@pytest.mark.parametrize("key", [-1, 4, 9999])
def test_a_key_that_does_not_exist_has_no_api(key: int) -> None:
    assert api_by_key(key) is None


@pytest.mark.parametrize(
    ("key", "version", "request_header", "response_header"),
    [
        (3, 8, 1, 0),
        (3, 9, 2, 1),
        (17, 1, 1, 0),
        (18, 2, 1, 0),
        # The answer to ApiVersions has the oldest header whatever the version (KIP-511).
        (18, 3, 2, 0),
        (18, 4, 2, 0),
        (52, 0, 2, 1),
    ],
)
def test_header_versions(key: int, version: int, request_header: int, response_header: int) -> None:
    assert api(key).request_header_version(version) == request_header
    assert api(key).response_header_version(version) == response_header


def test_looking_up_an_api_or_a_message_loads_no_other() -> None:
    program = """
import sys
from kafkaproto.api import api_by_key
from kafkaproto.messages import VoteRequest
print(api_by_key(3).name, sorted(name for name in sys.modules if name.startswith("kafkaproto.generated.")))
"""
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = [f"kafkaproto.generated.{name}" for name in ("api_keys", "registry", "vote_request")]
    assert printed.stdout == f"Metadata {loaded}\n"
    assert issubclass(MetadataRequest, Message)
