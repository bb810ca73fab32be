"""Names of partitions' directories, as Apache Kafka gives them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto_server.shell.storage.directories.partition_directories import (
    DELETE_SUFFIX,
    MAX_NAME_LENGTH,
    STRAY_SUFFIX,
    PartitionDirectory,
    directory_name,
    parse_directory_name,
    set_aside_name,
)

UNIQUE = bytes(range(16))
TOPICS = st.text("abcXYZ019._-", min_size=1, max_size=249).filter(lambda name: name not in (".", ".."))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("orders-0", PartitionDirectory("orders", 0, "")),
        ("a-b-12", PartitionDirectory("a-b", 12, "")),
        ("orders-3.000102030405060708090a0b0c0d0e0f-delete", PartitionDirectory("orders", 3, "-delete")),
        ("orders-3.000102030405060708090a0b0c0d0e0f-future", PartitionDirectory("orders", 3, "-future")),
        ("orders-3.000102030405060708090a0b0c0d0e0f-stray", PartitionDirectory("orders", 3, "-stray")),
        ("meta.properties", None),
        ("orders", None),
        ("orders-", None),
        ("orders-x", None),
        ("orders-01", None),
        ("-1", None),
        ("orders-3-delete", None),
    ],
)
def test_a_name_says_what_it_is(name: str, expected: PartitionDirectory | None) -> None:
    assert parse_directory_name(name) == expected


@given(TOPICS, st.integers(0, 99_999))
def test_what_is_named_is_found_again(topic: str, index: int) -> None:
    assert parse_directory_name(directory_name(topic, index)) == PartitionDirectory(topic, index, "")
    for suffix in (DELETE_SUFFIX, STRAY_SUFFIX):
        name = set_aside_name(topic, index, UNIQUE, suffix)
        assert len(name) <= MAX_NAME_LENGTH
        found = parse_directory_name(name)
        assert found is not None
        assert topic.startswith(found.topic)
        assert found[1:] == (index, suffix)
