"""The partition of a coordinator is the one that Apache Kafka's brokers and clients have, too."""

from __future__ import annotations

import pytest

from kafkaproto_server.requests.coordinator_places import partition_of


@pytest.mark.parametrize(
    ("key", "partitions", "expected"),
    [
        ("", 50, 0),
        ("a", 50, 97 % 50),
        ("ab", 50, (97 * 31 + 98) % 50),
        # Its hash is negative; a node of Apache Kafka 4.4.0 has it in this partition.
        ("same-classic", 3, 0),
        # Its hash is the one number without an absolute value.
        ("polygenelubricants", 50, 0),
        ("polygenelubricants", 7, 0),
        # Two UTF-16 units, as in Java.
        ("\U0001f600", 50, (0xD83D * 31 + 0xDE00) % 50),
    ],
)
def test_the_partition_of_a_key(key: str, partitions: int, expected: int) -> None:
    assert partition_of(key, partitions) == expected
