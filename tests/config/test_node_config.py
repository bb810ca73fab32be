"""Loading: files, overrides, defaults, warnings, and the typed result.

Tests: `config.listeners`, `config.properties`.
"""

from __future__ import annotations

import re
import typing
from dataclasses import fields
from pathlib import Path

import pytest

from kafkaproto_server.base.types import Endpoint, ReplicaKey
from kafkaproto_server.config.keys.definitions import BROKER_KEYS
from kafkaproto_server.config.keys.model import INTEGER_BITS, ConfigType
from kafkaproto_server.config.listeners import Address
from kafkaproto_server.config.node_config import _NO_EFFECT_YET, Config, default_config
from kafkaproto_server.config.properties import ConfigError
from kafkaproto_server.core.raft.values.config import RaftConfig

MINIMAL = """\
process.roles=broker,controller
node.id=7
listeners=PLAINTEXT://:9092,CONTROLLER://0.0.0.0:9093
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=127.0.0.1:9093
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "server.properties"
    path.write_text(MINIMAL)
    return path


def test_without_a_file_a_node_is_broker_and_controller_on_the_loopback() -> None:
    config = Config.load(None, {})
    assert config.node_id == 1
    assert config.process_roles == ("broker", "controller")
    assert config.broker_listeners == (Endpoint(name="PLAINTEXT", host="127.0.0.1", port=9092),)
    assert config.controller_listeners == (Endpoint(name="CONTROLLER", host="127.0.0.1", port=9093),)
    assert config.controller_quorum_bootstrap_servers == (Address(host="127.0.0.1", port=9093),)
    assert config.log_dirs == ("kafka-data",)
    assert config.value_of("offsets.topic.replication.factor") == "1"
    assert config.warnings == ()


def test_overrides_come_before_the_file_and_the_defaults(file: Path) -> None:
    assert Config.load(str(file), {"node.id": "8"}).node_id == 8
    assert default_config({"node.id": "8", "num.partitions": "3"}).num_partitions == 3


def test_an_error_in_an_override_names_the_option_and_not_the_file(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"^--override: node.id=x: must be a whole number"):
        Config.load(str(file), {"node.id": "x"})


def test_keys_that_were_not_set_have_kafkas_defaults(file: Path) -> None:
    config = Config.load(str(file), {})
    assert config.metadata_max_idle_interval_ms == 500
    assert config.controller_quorum_election_timeout_ms == 1000
    assert config.auto_create_topics_enable is True
    assert config.broker_rack is None
    assert config.log_dirs == ("/tmp/kafka-logs",)
    assert config.metadata_log_dir == "/tmp/kafka-logs"
    assert config.http_listener is None


def test_the_quorums_core_has_kafkas_defaults_too(file: Path) -> None:
    config = Config.load(str(file), {})
    assert config.controller_quorum_auto_join_enable is RaftConfig(key=ReplicaKey(id=7)).auto_join
    shared = {each.name for each in fields(RaftConfig)} & {
        each.name.removeprefix("controller_quorum_") for each in fields(Config)
    }
    assert {"election_timeout_ms", "fetch_timeout_ms", "retry_backoff_ms", "fetch_max_bytes"} <= shared
    for name in shared - {"bootstrap_servers"}:
        assert getattr(config, f"controller_quorum_{name}") == getattr(
            RaftConfig(key=ReplicaKey(id=7)), name
        ), name


def test_raw_values_are_kept_for_those_who_describe_them(file: Path) -> None:
    config = Config.load(str(file), {"log.cleaner.min.cleanable.ratio": ".50"})
    assert config.value_of("log.cleaner.min.cleanable.ratio") == ".50"
    assert config.value_of("num.partitions") == "1"
    assert config.value_of("broker.rack") is None
    assert config.is_set("broker.id")
    assert not config.is_set("num.partitions")
    with pytest.raises(KeyError):
        config.value_of("no.such.key")


def test_listeners_without_a_routable_host_are_advertised_without_one(file: Path) -> None:
    config = Config.load(str(file), {})
    assert config.advertised_broker_listeners == (Endpoint(name="PLAINTEXT", host="", port=9092),)
    assert config.advertised_controller_listeners == (Endpoint(name="CONTROLLER", host="", port=9093),)


def test_advertised_listeners_replace_what_is_bound(file: Path) -> None:
    names = "PLAINTEXT://outside:19092,CONTROLLER://outside:19093"
    config = Config.load(str(file), {"advertised.listeners": names})
    assert [endpoint.port for endpoint in config.listeners] == [9092, 9093]
    assert config.advertised_broker_listeners == (Endpoint(name="PLAINTEXT", host="outside", port=19092),)
    assert config.advertised_controller_listeners == (
        Endpoint(name="CONTROLLER", host="outside", port=19093),
    )


def test_a_controller_alone_advertises_nothing_to_clients(file: Path) -> None:
    config = Config.load(str(file), {"process.roles": "controller", "listeners": "CONTROLLER://h:9093"})
    assert config.is_controller
    assert not config.is_broker
    assert config.broker_listeners == ()
    assert config.advertised_broker_listeners == ()


def test_controller_listeners_come_in_the_order_of_their_names(file: Path) -> None:
    config = Config.load(
        str(file),
        {
            "listeners": "PLAINTEXT://h:1,B://h:2,A://h:3",
            "controller.listener.names": "A,B",
        },
    )
    assert [endpoint.name for endpoint in config.controller_listeners] == ["A", "B"]
    assert config.listener_security_protocol_map["A"] == "PLAINTEXT"


def test_static_voters_have_no_directory_and_stay_at_kraft_version_0(file: Path) -> None:
    config = Config.load(str(file), {"controller.quorum.voters": "9@[::1]:9093, 7@h:9093"})
    assert [voter.key.id for voter in config.controller_quorum_voters] == [7, 9]
    voter = config.controller_quorum_voters[1]
    assert voter.key.directory_id is None
    assert voter.endpoints == (Endpoint(name="CONTROLLER", host="::1", port=9093),)
    assert (voter.min_kraft_version, voter.max_kraft_version) == (0, 0)


def test_our_http_listener_is_an_address(file: Path) -> None:
    assert Config.load(str(file), {"http.listener": "127.0.0.1:8080"}).http_listener == Address(
        host="127.0.0.1", port=8080
    )
    with pytest.raises(ConfigError, match=r"http.listener=8080: '8080' is not HOST:PORT"):
        Config.load(str(file), {"http.listener": "8080"})


def test_super_users_are_split_at_semicolons(file: Path) -> None:
    assert default_config({}).super_users == frozenset()
    config = Config.load(str(file), {"super.users": " User:a ;; User:CN=b,O=c;"})
    assert config.super_users == {"User:a", "User:CN=b,O=c"}
    with pytest.raises(ConfigError, match=r"super.users=admin: must be principals such as User:admin"):
        Config.load(str(file), {"super.users": "admin"})


def test_directories_are_listed_once_in_their_order(file: Path) -> None:
    config = Config.load(str(file), {"log.dirs": "/b, /a,/b", "metadata.log.dir": "/m"})
    assert config.log_dirs == ("/b", "/a")
    assert config.metadata_log_dir == "/m"
    assert Config.load(str(file), {"log.dirs": "/b,/a"}).metadata_log_dir == "/b"


def test_unknown_keys_and_keys_given_twice_are_warnings(file: Path) -> None:
    file.write_text(MINIMAL + "num.partition=3\nzookeeper.connect=z:2181\nnode.id=8\n")
    config = Config.load(str(file), {})
    assert config.node_id == 8
    assert config.warnings == (
        f"{file}: node.id is given more than once; the last one counts",
        f"{file}: num.partition is not a key of this server; did you mean num.partitions?",
        f"{file}: zookeeper.connect is not a key of this server, and is ignored",
    )


def test_keys_of_kafka_that_nothing_depends_on_are_listed(file: Path) -> None:
    file.write_text(
        MINIMAL + "num.io.threads=8\nlog.dir=/a\nnum.partition=3\nunclean.leader.election.enable=true\n"
        "log.retention.hours=1\nlog.segment.bytes=1048576\nreplica.lag.time.max.ms=9000\n"
    )
    overrides = {"listener.name.plaintext.ssl.keystore.location": "/k", "http.listener": "127.0.0.1:0"}
    config = Config.load(str(file), overrides)
    assert config.unused_keys == ("num.io.threads",)
    assert default_config({}).unused_keys == ()


def test_keys_that_should_protect_and_do_not_are_warned_of_by_name(file: Path) -> None:
    overrides = {
        "connections.max.reauth.ms": "1000",
        "listener.name.plaintext.connections.max.idle.ms": "1000",
        "listener.name.plaintext.max.connections": "5",
        "listener.name.plaintext.ssl.keystore.location": "/k",
        "max.connections.per.ip": "5",
        "num.io.threads": "5",
    }
    config = Config.load(str(file), overrides)
    plaintext = "does not protect this server: this server has PLAINTEXT listeners only"
    assert config.warnings == (
        f"--override: connections.max.reauth.ms {plaintext}",
        "--override: listener.name.plaintext.connections.max.idle.ms does not protect this server: it holds for all"
        " listeners of the node alike, not for one",
        f"--override: listener.name.plaintext.ssl.keystore.location {plaintext}",
    )


def test_every_key_that_sounds_like_protection_is_honoured_refused_or_warned_of() -> None:
    sounds = re.compile(
        r"^(ssl|sasl|security|authorizer|principal|connection|max\.(connection|request)|queued|socket\.request"
        r"|delete\.topic|auto\.create|unclean)|quota|throttle|policy\.class|unclean|reauth|early\.start"
    )
    names = [name for name in BROKER_KEYS if sounds.search(name)]
    assert len(names) > 100
    values = {name: BROKER_KEYS[name].default or "1" for name in names}
    # What goes together with other keys, or says what a node with PLAINTEXT alone cannot be.
    for name in (
        "security.inter.broker.protocol",
        "early.start.listeners",
        "max.connections.per.ip.overrides",
    ):
        del values[name]
    refused = {name for name, _ in _NO_EFFECT_YET}
    config = default_config({name: value for name, value in values.items() if name not in refused})
    assert config.unused_keys == ()


def test_all_requests_may_not_take_less_memory_than_one(file: Path) -> None:
    sizes = {"socket.request.max.bytes": "1000", "queued.max.request.bytes": "999"}
    with pytest.raises(
        ConfigError, match=r"socket.request.max.bytes=1000.* at most queued.max.request.bytes=999"
    ):
        Config.load(str(file), sizes)
    for allowed in ("1000", "-1", "0"):
        Config.load(str(file), {**sizes, "queued.max.request.bytes": allowed})


def test_keys_of_a_listener_are_known_and_checked_by_the_key_behind_them(file: Path) -> None:
    assert Config.load(str(file), {"listener.name.plaintext.max.connections": "5"}).warnings == ()
    with pytest.raises(ConfigError, match=r"listener.name.plaintext.max.connections=x"):
        Config.load(str(file), {"listener.name.plaintext.max.connections": "x"})


def test_the_file_has_the_format_of_java_properties(file: Path) -> None:
    file.write_bytes(
        b"! a comment\r\nnode.id : 7\nbroker.rack = r\\u00e9\xe9\\\n   last\n" + MINIMAL.encode()
    )
    assert Config.load(str(file), {}).broker_rack == "r\u00e9\u00e9last"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere.properties: cannot be read: No such file"):
        Config.load(str(tmp_path / "nowhere.properties"), {})


def test_a_broken_escape_is_an_error_of_the_file(file: Path) -> None:
    file.write_text("broker.rack=\\u12\n")
    with pytest.raises(ConfigError, match=r"server.properties: is not in the format of properties"):
        Config.load(str(file), {})


@pytest.mark.parametrize(
    "key", ["ssl.key.password", "delegation.token.secret.key", "listener.name.x.ssl.key.password"]
)
def test_secrets_do_not_show_in_the_settings_text(key: str) -> None:
    config = default_config({key: "hunter2"})
    assert config.value_of(key) == "hunter2"
    assert "hunter2" not in repr(config)


def test_every_field_named_after_a_key_has_the_keys_type() -> None:
    types = typing.get_type_hints(Config)
    expected = {ConfigType.BOOLEAN: bool, **dict.fromkeys(INTEGER_BITS, int)}
    checked = 0
    for field in fields(Config):
        definition = BROKER_KEYS.get(field.name.replace("_", "."))
        if definition is not None and definition.type in expected:
            assert types[field.name] is expected[definition.type], field.name
            assert definition.default is not None or definition.required, field.name
            checked += 1
    assert checked >= 25
