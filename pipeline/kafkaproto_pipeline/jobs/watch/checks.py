"""What ``watch`` checks before it starts Spark, which takes a while: that it can read its input and
write its output.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from kafkaproto.client import Client, parse_servers
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.errors import ProtocolError
from kafkaproto.messages import MetadataRequest, MetadataResponse
from kafkaproto_pipeline.sources.directories import InputError
from kafkaproto_pipeline.sources.live_quorum import LiveQuorum

QUORUM_WAIT_S = 5.0
"""An election is over by then."""
BROKER_TIMEOUT_MS = 10_000


class CheckError(Exception):
    """The watch could not do its work; the text says why, on one line."""


def check_folder(folder: Path) -> None:
    """Create the folder. Raise CheckError if no file can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CheckError(f"{folder} cannot be written: {error.strerror}") from None


def check_quorum(bootstrap_controllers: str) -> None:
    """Raise CheckError if no leader of the quorum responds."""
    servers = parse_servers(bootstrap_controllers)
    try:
        with LiveQuorum(servers, retry_timeout_s=QUORUM_WAIT_S) as quorum:
            quorum.state()
    except InputError as error:
        raise CheckError(str(error)) from None


def check_topic(topic: str, bootstrap_server: str) -> None:
    """Raise CheckError if no broker responds, or the broker does not know the topic."""
    request = MetadataRequest(topics=[MetadataRequest.Topic(name=topic)], allow_auto_topic_creation=False)
    try:
        with Client.bootstrap(parse_servers(bootstrap_server), timeout_ms=BROKER_TIMEOUT_MS) as client:
            response = client.send(request)
            server = f"{client.host}:{client.port}"
    except ValueError as error:
        raise CheckError(f"--bootstrap-server: {error}") from None
    except (OSError, ProtocolError) as error:
        raise CheckError(f"--bootstrap-server {bootstrap_server}: no broker answers: {error}") from None
    assert isinstance(response, MetadataResponse)
    code = response.topics[0].error_code
    if code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        raise CheckError(f"there is no topic {topic!r} at {server}; create it first")
    if code:
        raise CheckError(f"topic {topic!r} at {server}: {describe(code).name}: {describe(code).message}")
