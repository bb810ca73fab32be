"""A node that is told secrets of every kind, at every log level: it says none of them, and its files are its own."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from compat.ours import OurNode
from kafkaproto.messages import (
    AlterUserScramCredentialsRequest,
    CreateDelegationTokenRequest,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    IncrementalAlterConfigsRequest,
)
from kafkaproto_server.config.keys.definitions import BROKER_KEYS
from tests.apis.test_wrong_fields import problems
from tests.integration.conftest import make_node
from tests.integration.support.asking import connect

pytestmark = pytest.mark.slow

SECRET = "hunter2"
PASSWORDS = sorted(name for name in BROKER_KEYS if BROKER_KEYS[name].is_sensitive)
AT_RUN_TIME = (
    "ssl.keystore.password",
    "ssl.key.password",
    "listener.name.plaintext.ssl.truststore.password",
    "what.nobody.knows",
)
BROKER, LOGGER, SET = 4, 8, 0


def set_config(node: OurNode, resource_type: int, name: str, value: str) -> bool:
    """Whether broker or controller took it."""
    config = IncrementalAlterConfigsRequest.AlterableConfig(name=name, config_operation=SET, value=value)
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=resource_type, resource_name="1", configs=[config]
    )
    # Some are refused, which must not show what was refused either.
    was_taken = False
    for address in (node.bootstrap_server, node.bootstrap_controller):
        with connect(address) as client:
            response = client.send(IncrementalAlterConfigsRequest(resources=[resource]))
        assert SECRET not in repr(response)
        was_taken |= problems(response) == []
    return was_taken


def ask_for_credentials(node: OurNode) -> None:
    upsertion = AlterUserScramCredentialsRequest.ScramCredentialUpsertion(
        name="alice",
        mechanism=1,
        iterations=4096,
        salt=b"salt-" + SECRET.encode(),
        salted_password=SECRET.encode() * 5,
    )
    with connect(node.bootstrap_server) as client:
        scram = client.send(AlterUserScramCredentialsRequest(upsertions=[upsertion]))
        assert problems(scram) == []
        client.send(CreateDelegationTokenRequest(max_lifetime_ms=1000))


def test_no_secret_is_logged_or_shown_and_files_are_for_their_owner(tmp_path: Path) -> None:
    node = make_node(tmp_path, **dict.fromkeys(PASSWORDS, SECRET))
    try:
        node.start()
        assert set_config(node, LOGGER, "root", "TRACE")
        assert sum(set_config(node, BROKER, name, SECRET) for name in AT_RUN_TIME) > 1
        ask_for_credentials(node)
        described = DescribeConfigsRequest.DescribeConfigsResource(
            resource_type=BROKER, resource_name="1", configuration_keys=None
        )
        request = DescribeConfigsRequest(
            resources=[described], include_synonyms=True, include_documentation=True
        )
        for address in (node.bootstrap_server, node.bootstrap_controller):
            with connect(address) as client:
                response = client.send(request)
            assert isinstance(response, DescribeConfigsResponse)
            assert len(response.results[0].configs) > 100
            assert SECRET not in repr(response)
        assert node.stop() == 0
    finally:
        node.close()
    said = node.process.out_path.read_text() + node.process.err_path.read_text()
    assert SECRET not in said
    # It is in the data, or the test would prove nothing; and nobody else reads that.
    log = node.metadata_log_directory / f"{0:020}.log"
    assert SECRET.encode() in log.read_bytes()
    for path in (node.data_directory, *node.data_directory.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0, f"{path} has mode {mode:o}"
