"""What DescribeConfigs says of each key: every key has a text of its own, and it says where a key has no effect."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from kafkaproto_server.config.keys.definitions import (
    BROKER_KEYS,
    CLIENT_METRICS_KEYS,
    GROUP_KEYS,
    TOPIC_KEYS,
    Definitions,
)
from kafkaproto_server.config.keys.descriptions import _all, description
from kafkaproto_server.config.node_config import Config
from kafkaproto_server.config.used_keys import USED_BESIDE_FIELDS

KINDS: dict[str, Definitions] = {
    "broker": BROKER_KEYS,
    "topic": TOPIC_KEYS,
    "group": GROUP_KEYS,
    "client_metrics": CLIENT_METRICS_KEYS,
}
SHORTEST, LONGEST = 25, 200
NO_EFFECT = " No effect here."
USED = {each.name.replace("_", ".") for each in fields(Config)}.union(USED_BESIDE_FIELDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_has_a_text_and_no_text_is_of_no_key(kind: str) -> None:
    assert list(_all()[kind]) == sorted(KINDS[kind])


def test_no_two_keys_have_the_same_text() -> None:
    texts = [text for texts in _all().values() for text in texts.values()]
    assert len(texts) == len(set(texts)) == sum(map(len, KINDS.values()))


def test_texts_are_one_to_four_short_sentences() -> None:
    for texts in _all().values():
        for name, text in texts.items():
            assert SHORTEST <= len(text) <= LONGEST, name
            assert text.isascii(), name
            assert text[0].isupper() or text.startswith(("min.", "__")), name
            assert text.endswith("."), name
            assert len(re.findall(r"\\.(?: |$)", text)) <= 4, name


def test_a_time_or_a_size_says_its_unit() -> None:
    units = {
        "ms": "ms",
        "bytes": "ytes",
        "seconds": "econds",
        "secs": "seconds",
        "hours": "hours",
        "minutes": "minutes",
    }
    for kind, texts in _all().items():
        for name, text in texts.items():
            unit = units.get(name.rpartition(".")[2])
            if unit is not None:
                assert unit in text, (kind, name)


def test_the_text_says_which_keys_of_a_node_have_no_effect() -> None:
    assert {name for name in BROKER_KEYS if description("broker", name).endswith(NO_EFFECT)} == {
        name for name in BROKER_KEYS if name not in USED
    }


def test_the_text_says_which_keys_of_topics_and_groups_have_no_effect() -> None:
    for kind in ("topic", "group"):
        for name, key in KINDS[kind].items():
            inherited = [broker_key for broker_key, _ in key.synonyms]
            if inherited and not USED.intersection(inherited):
                assert description(kind, name).endswith(NO_EFFECT), name
            elif inherited:
                assert not description(kind, name).endswith(NO_EFFECT), name
    # Metrics of clients are not taken.
    assert all(description("client_metrics", name).endswith(NO_EFFECT) for name in CLIENT_METRICS_KEYS)


def test_an_unknown_key_has_none() -> None:
    assert description("topic", "nothing") == description("nothing", "retention.ms") == ""
