"""The partition of a coordinator is the one that Apache Kafka's brokers and clients have, too."""

from __future__ import annotations

import pytest

from kafkaproto_server.requests.coordinator_places import parsed_share_key, partition_of, share_key


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


@pytest.mark.parametrize("units", [255, 256, 257, 511, 512, 513, 1_025, 32_767])
@pytest.mark.parametrize("alphabet", ["kafka", "\uffff", "\0", "\ud800a"])
def test_the_partition_of_a_long_key(units: int, alphabet: str) -> None:
    text = (alphabet * units)[:units]
    # As the documentation of Java's String.hashCode defines it.
    value = sum(ord(unit) * pow(31, units - 1 - place, 2**32) for place, unit in enumerate(text)) % 2**32
    assert partition_of(text, 2**31) == min(value, 2**32 - value)


ID = bytes(range(16))
TEXT = "AAECAwQFBgcICQoLDA0ODw"


def test_the_key_of_a_share_partition() -> None:
    assert share_key("a:b", ID, 7) == f"a:b:{TEXT}:7"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (f"a:b:{TEXT}:7", f"a:b:{TEXT}:7"),
        (f" g :{TEXT}:+07", f" g :{TEXT}:7"),
        (f"g:{TEXT}:-1", f"g:{TEXT}:-1"),
        # Java drops what is empty at the end.
        (f"g:{TEXT}:7::", f"g:{TEXT}:7"),
    ],
)
def test_a_key_may_be_written_in_other_ways(key: str, expected: str) -> None:
    assert parsed_share_key(key) == expected


@pytest.mark.parametrize(
    "key",
    ["", ":::", f"g:{TEXT}", f":{TEXT}:0", f" :{TEXT}:0", "g:x:0", f"g:{TEXT}:x", f"g:{TEXT}:2147483648"],
)
def test_what_is_no_key_of_a_share_partition(key: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parsed_share_key(key)
