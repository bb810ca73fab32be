"""Settings as data: each field from its key, in its type; a table that cannot be read is refused where it stands."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import msgspec
import pytest

import kafkaproto_server
from kafkaproto_server.config.keys.definitions import BROKER_KEYS
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.config.settings import CurrentSettings, Derived, SettingsTable
from kafkaproto_server.shell.replicas.files.topic_settings import TopicTable


class Example(msgspec.Struct, frozen=True, kw_only=True):
    max_bytes: int
    is_on: bool
    directory: str = "/tmp"
    policies: tuple[str, ...] = ()
    retention_ms: int = 0
    ratio: float = 0.5


TABLE = SettingsTable(
    Example,
    {
        "max_bytes": "fetch.max.bytes",
        "is_on": "delete.topic.enable",
        "policies": "log.cleanup.policy",
        "retention_ms": Derived("offsets.retention.minutes", lambda text: int(text) * 60_000),
        "ratio": "log.cleaner.min.cleanable.ratio",
    },
)
_REQUIRED = {"max_bytes": "fetch.max.bytes", "is_on": "delete.topic.enable"}


def test_each_field_is_read_in_its_type() -> None:
    configs = NodeConfigs(
        static={
            "fetch.max.bytes": " 17",
            "delete.topic.enable": " False ",
            "log.cleanup.policy": "compact, delete,",
            "offsets.retention.minutes": "2",
            "log.cleaner.min.cleanable.ratio": "0.25",
        }
    )
    assert TABLE.read(configs) == Example(
        max_bytes=17, is_on=False, policies=("compact", "delete"), retention_ms=120_000, ratio=0.25
    )


def test_a_key_that_nothing_sets_has_its_default() -> None:
    settings = TABLE.read(NodeConfigs(static={}))
    assert (settings.max_bytes, settings.is_on, settings.directory) == (57_671_680, True, "/tmp")


def test_a_field_keeps_its_default_if_its_key_has_none() -> None:
    table = SettingsTable(Example, {**_REQUIRED, "directory": "replica.selector.class"})
    assert table.read(NodeConfigs(static={})).directory == "/tmp"
    assert table.read(NodeConfigs(static={"replica.selector.class": "r"})).directory == "r"


def test_a_field_without_a_default_takes_no_key_without_one() -> None:
    table = SettingsTable(Example, {**_REQUIRED, "max_bytes": "leader.replication.throttled.rate"})
    with pytest.raises(AssertionError, match="has a default"):
        table.read(NodeConfigs(static={}))


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"max_bytes": "fetch.max.bytes"}, "Example.is_on has neither a key nor a default"),
        ({"wrong": "fetch.max.bytes"}, "Example has no field wrong"),
    ],
)
def test_a_table_that_does_not_fit_its_struct_is_refused(keys: dict[str, str], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        SettingsTable(Example, keys)


def test_a_field_whose_type_no_config_has_is_refused() -> None:
    class Strange(msgspec.Struct):
        pairs: dict[str, int]

    with pytest.raises(TypeError, match=r"Strange.pairs: no config is read as"):
        SettingsTable(Strange, {"pairs": "fetch.max.bytes"})


def test_settings_are_made_once_for_each_state_of_the_configs() -> None:
    now = [NodeConfigs(static={"fetch.max.bytes": "1024"})]
    current = CurrentSettings(TABLE, lambda: now[0])
    first = current()
    assert current() is first
    now[0] = NodeConfigs(static={"fetch.max.bytes": "2048"})
    assert (first.max_bytes, current().max_bytes) == (1024, 2048)


def _tables() -> Iterator[tuple[str, SettingsTable[msgspec.Struct]]]:
    for module in pkgutil.walk_packages(kafkaproto_server.__path__, "kafkaproto_server."):
        if not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                # Topics have other keys, which no broker sets under these names.
                if isinstance(value, SettingsTable) and not isinstance(value, TopicTable):
                    yield f"{module.name}.{name}", value


def test_each_table_of_the_server_names_keys_of_brokers_and_can_be_read_if_none_is_set() -> None:
    tables = dict(_tables())
    assert tables
    for name, table in tables.items():
        for key in table.keys:
            assert key in BROKER_KEYS, f"{name}: {key}"
        assert table.read(NodeConfigs(static={})), name
