"""The tables of keys as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kafkaproto_server.config.keys.definitions import (
    BROKER_KEYS,
    CLIENT_METRICS_KEYS,
    EXTENSIONS,
    GROUP_KEYS,
    TOPIC_KEYS,
    Definitions,
    broker_key,
)
from kafkaproto_server.config.keys.model import ConfigType
from kafkaproto_server.config.layers import NodeConfigs
from tests.config.support.golden_responses import golden_steps

ALL = [BROKER_KEYS, TOPIC_KEYS, GROUP_KEYS, CLIENT_METRICS_KEYS]


def test_all_keys_of_a_stock_node_are_there() -> None:
    plain = next(golden_steps())
    public = [name for name in BROKER_KEYS if not BROKER_KEYS.is_internal(name)]
    assert sorted(public) == [row[0] for row in plain.described[4, "1"]]
    assert (len(public), len(TOPIC_KEYS), len(GROUP_KEYS), len(CLIENT_METRICS_KEYS)) == (350, 38, 27, 3)


@pytest.mark.parametrize("definitions", ALL)
def test_every_default_is_a_value_that_its_key_takes(definitions: Definitions) -> None:
    for definition in definitions.values():
        if definition.default is not None:
            assert definition.problem_with(definition.default) is None, definition.name


@pytest.mark.parametrize("definitions", [TOPIC_KEYS, GROUP_KEYS])
def test_keys_behind_a_topic_or_group_exist_and_have_the_same_default(definitions: Definitions) -> None:
    for definition in definitions.values():
        for key, factor in definition.synonyms:
            default = BROKER_KEYS[key].default
            if default is not None:
                number = str(int(default) * factor) if factor > 1 else default
                assert number == definition.default, (definition.name, key)


def test_alternatives_are_keys_that_stand_in_for_each_other_or_for_one_alone() -> None:
    for definition in BROKER_KEYS.values():
        assert definition.name in definition.alternatives
        for name in definition.alternatives:
            assert BROKER_KEYS[name].alternatives in (definition.alternatives, (name,))


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("listener.name.internal.ssl.keystore.location", "ssl.keystore.location"),
        ("listener.name.internal.plain.sasl.jaas.config", "sasl.jaas.config"),
        ("listener.name.internal.scram-sha-256.connections.max.reauth.ms", "connections.max.reauth.ms"),
        ("listener.name.internal.max.connections", "max.connections"),
        ("num.partitions", "num.partitions"),
    ],
)
def test_keys_of_one_listener_are_defined_by_the_key_of_all(name: str, base: str) -> None:
    assert broker_key(name) is BROKER_KEYS[base]


@pytest.mark.parametrize(
    "name", ["listener.name.internal.plain.max.connections", "listener.name.x", "made.up", ""]
)
def test_unknown_keys_have_no_definition(name: str) -> None:
    assert broker_key(name) is None


def test_our_own_keys_are_only_shown_where_they_were_set() -> None:
    types = {"broker.death.proof.enable": ConfigType.BOOLEAN, "http.listener": ConfigType.STRING}
    assert sorted(EXTENSIONS) == sorted(types)
    for name, type_ in types.items():
        assert BROKER_KEYS.is_internal(name)
        assert BROKER_KEYS[name].type is type_


def test_keys_of_the_authorizer_are_checked_but_shown_as_unknown_like_stock() -> None:
    static = {"super.users": "User:a", "allow.everyone.if.no.acl.found": "true"}
    shown = {entry.name: entry for entry in NodeConfigs(static=static).broker_entries()}
    unset = {entry.name for entry in NodeConfigs(static={}).broker_entries()}
    for name in static:
        entry = shown[name]
        assert (entry.type, entry.value, entry.is_sensitive, entry.is_read_only) == (
            ConfigType.UNKNOWN,
            None,
            True,
            True,
        )
        assert [(each.name, each.value) for each in entry.synonyms] == [(name, None)]
        assert name not in unset


@pytest.mark.parametrize(
    ("value", "is_taken"),
    [
        ("", True),
        ("User:admin", True),
        (" User:admin ; User:CN=a,O=b; ", True),
        ("User:a:b", True),
        ("admin", False),
        ("User:", False),
        (":admin", False),
        ("User:a;b", False),
    ],
)
def test_super_users_are_principals(value: str, is_taken: bool) -> None:
    assert (BROKER_KEYS["super.users"].problem_with(value) is None) is is_taken


def test_importing_the_definitions_reads_no_table() -> None:
    program = (
        "import importlib.resources, sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: event == 'open' and opened.append(str(args[0])))\n"
        "import kafkaproto_server.config.layers\n"
        "from kafkaproto_server.config.keys.definitions import TOPIC_KEYS\n"
        "assert not [name for name in opened if name.endswith('.json')], opened\n"
        "TOPIC_KEYS['retention.ms']\n"
        "assert [name[-10:] for name in opened if name.endswith('.json')] == ['topic.json'], opened\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
