"""The start-up rules, against what a stock 4.4.0 node accepts and refuses.

Tests: `config.protection`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kafkaproto_server.config.keys.definitions import BROKER_KEYS
from kafkaproto_server.config.node_config import Config, check_supported
from kafkaproto_server.config.properties import ConfigError

_GOLDEN = json.loads((Path(__file__).parent / "golden" / "start_up.json").read_text())
BASE: dict[str, str] = _GOLDEN["base"]
CASES = [pytest.param(*case, id=json.dumps(case[2])) for case in _GOLDEN["cases"]]


def load(folder: Path, changes: dict[str, Any]) -> Config:
    """The settings of the base file with changes: a value to set, or None to leave the key out."""
    values = {key: value for key, value in {**BASE, **changes}.items() if value is not None}
    path = folder / "server.properties"
    path.write_text("".join(f"{key}={value}\n" for key, value in values.items()))
    return Config.load(str(path), {})


@pytest.mark.parametrize(("verdict", "key", "changes"), CASES)
def test_a_file_is_taken_or_refused_as_stock_does_it(
    verdict: str, key: str | None, changes: dict[str, Any], tmp_path: Path
) -> None:
    if verdict == "accepted":
        load(tmp_path, changes)
        return
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, changes)
    assert caught.value.key == key
    assert str(caught.value).startswith(f"{tmp_path}/server.properties: {key}")


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        (
            {
                "listeners": "SECURE://:9092,CONTROLLER://:9093",
                "listener.security.protocol.map": "SECURE:SASL_SSL,CONTROLLER:PLAINTEXT",
                "inter.broker.listener.name": "SECURE",
            },
            "listener.security.protocol.map",
            "SASL_SSL, which listener SECURE asks for",
        ),
        (
            {"authorizer.class.name": "x.Y"},
            "authorizer.class.name",
            "other authorizers than org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        ),
        (
            {"replica.selector.class": "x.Y"},
            "replica.selector.class",
            "other replica selectors than org.apache.kafka.common.replica.RackAwareReplicaSelector",
        ),
        ({"principal.builder.class": "x.Y"}, "principal.builder.class", "principal builders"),
        ({"config.providers": "env"}, "config.providers", "configuration providers"),
        ({"remote.log.storage.system.enable": "true"}, "remote.log.storage.system.enable", "tiered storage"),
    ],
)
def test_what_is_not_built_yet_is_refused_by_name(
    changes: dict[str, Any], key: str, words: str, tmp_path: Path
) -> None:
    config = load(tmp_path, changes)
    with pytest.raises(ConfigError, match="not supported yet") as caught:
        check_supported(config)
    assert caught.value.key == key
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"controller.quorum.voters": "1@127.0.0.1:9093"},
        {"process.roles": "controller", "listeners": "CONTROLLER://:9093"},
        {"principal.builder.class": str(BROKER_KEYS["principal.builder.class"].default)},
        {"process.roles": "broker", "listeners": "PLAINTEXT://:9092"},
        {"controller.quorum.voters": "1@a:1,2@b:1,3@c:1", "controller.quorum.bootstrap.servers": None},
        {"controller.quorum.bootstrap.servers": "a:1,b:1,c:1"},
        {"controller.quorum.auto.join.enable": "true"},
        {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"},
        {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"},
        {"replica.selector.class": ""},
        {"authorizer.class.name": "", "remote.log.storage.system.enable": "false"},
    ],
    ids=str,
)
def test_any_quorum_without_encryption_is_supported(changes: dict[str, Any], tmp_path: Path) -> None:
    check_supported(load(tmp_path, changes))
