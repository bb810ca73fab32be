"""Values in effect, their sources and synonyms, against the answers of a stock 4.4.0 node."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from kafkaproto_server.config.layers import ConfigEntry, NodeConfigs
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.replicas.files.topic_settings import KnownSettings
from tests.config.support.golden_responses import GoldenStep, golden_steps

STEPS = [pytest.param(step, id=step.name) for step in golden_steps()]


def rows(entries: Iterable[ConfigEntry]) -> list[list[Any]]:
    return [
        [
            entry.name,
            entry.value,
            entry.is_read_only,
            int(entry.source),
            entry.is_sensitive,
            int(entry.type),
            [[synonym.name, synonym.value, int(synonym.source)] for synonym in entry.synonyms],
        ]
        for entry in entries
    ]


@pytest.mark.parametrize("step", STEPS)
def test_a_brokers_keys_are_those_of_stock(step: GoldenStep) -> None:
    assert rows(step.node_configs().broker_entries()) == step.described[4, "1"]


@pytest.mark.parametrize("step", STEPS)
def test_the_cluster_default_is_that_of_stock(step: GoldenStep) -> None:
    assert rows(step.node_configs().default_entries()) == step.described[4, ""]


@pytest.mark.parametrize("step", STEPS)
def test_topics_are_those_of_stock(step: GoldenStep) -> None:
    topics = [resource for resource in step.described if resource[0] == 2]
    assert topics
    for topic in topics:
        assert rows(step.node_configs().topic_entries(step.dynamic[topic])) == step.described[topic]


@pytest.mark.parametrize("step", STEPS)
def test_groups_are_those_of_stock(step: GoldenStep) -> None:
    own = step.dynamic.get((32, "g"), {})
    assert rows(step.node_configs().group_entries(own)) == step.described[32, "g"]


@pytest.mark.parametrize("step", STEPS)
def test_client_metrics_subscriptions_are_those_of_stock(step: GoldenStep) -> None:
    own = step.dynamic.get((16, "sub"), {})
    assert rows(step.node_configs().client_metrics_entries(own)) == step.described[16, "sub"]


@pytest.mark.parametrize("step", STEPS)
def test_topics_just_created_show_the_configs_that_stock_shows(step: GoldenStep) -> None:
    for topic, created in step.created.items():
        entries = step.node_configs().effective_topic_configs(step.dynamic[2, topic])
        assert [
            [entry.name, entry.value, entry.is_read_only, int(entry.source), entry.is_sensitive]
            for entry in entries
        ] == created


@pytest.mark.parametrize("order", [1, -1])
def test_the_finest_unit_that_the_file_sets_counts_in_any_order(order: int) -> None:
    written = [("log.retention.hours", "48"), ("log.retention.minutes", "5"), ("log.roll.hours", "1")]
    node = NodeConfigs(static=dict(written[::order]))
    values = {entry.name: entry.value for entry in node.topic_entries({})}
    assert (values["retention.ms"], values["segment.ms"]) == ("300000", "3600000")
    assert node.effective_topic_config("retention.ms", {}).value == "300000"
    assert node.value_of("log.retention.hours") == "48"


def test_values_of_the_metadata_that_no_broker_may_have_do_not_count() -> None:
    bad = {"log.cleaner.threads": "x", "num.partitions": "9", "ssl.keystore.type": "PEM", "log.roll.ms": "7"}
    node = NodeConfigs(static={"node.id": "1"}, dynamic_default=bad)
    assert [entry.name for entry in node.default_entries()] == ["log.roll.ms"]
    assert node.value_of("log.cleaner.threads") == "1"
    assert node.value_of("num.partitions") == "1"
    assert node.value_of("log.roll.ms") == "7"
    assert node.value_of("made.up") is None


def test_unlimited_retention_in_hours_stays_unlimited_in_milliseconds() -> None:
    node = NodeConfigs(static={"log.retention.hours": "-1"})
    retention = {entry.name: entry for entry in node.topic_entries({})}["retention.ms"]
    assert retention.value == "-1"
    assert node.effective_topic_config("retention.ms", {}).value == "-1"


def test_asking_for_a_key_that_no_topic_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        NodeConfigs(static={}).effective_topic_config("made.up", {})


def test_keys_of_the_metadata_that_nobody_knows_are_left_out() -> None:
    # As 4.4.0 leaves out what it has dropped.
    node, own = NodeConfigs(static={}), {"made.up": "1", "message.format.version": "2.8"}
    for entries in (node.topic_entries(own), node.group_entries(own), node.client_metrics_entries(own)):
        assert not {entry.name for entry in entries} & own.keys()
    assert (
        NodeConfigs(static={}).effective_topic_configs({"made.up": "1"})[-1].name
        == "unclean.leader.election.enable"
    )


def test_what_topics_inherit_is_looked_up_once_a_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []
    inherited = NodeConfigs._inherited_topic_config

    def counted(self: NodeConfigs, name: str) -> ConfigEntry:
        looked_up.append(name)
        return inherited(self, name)

    monkeypatch.setattr(NodeConfigs, "_inherited_topic_config", counted)
    node, settings = NodeConfigs(static={"log.roll.ms": "7"}), KnownSettings()
    for topic in range(100):
        assert settings.of(f"topic-{topic}", ClusterImage(), node).log.segment_ms == 7
    assert len(looked_up) == len({*looked_up}) < 30
