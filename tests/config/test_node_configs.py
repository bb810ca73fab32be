"""Values in effect, their sources and synonyms, against the answers of a stock 4.3.1 node."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from server.config_keys.node_configs import ConfigEntry
from tests.config.golden_answers import GoldenStep, golden_steps

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
