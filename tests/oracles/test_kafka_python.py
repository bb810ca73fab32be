"""Our codecs against kafka-python's, for every message and version that kafka-python knows.

A random message goes to kafka-python twice: as our bytes, which it decodes, and field by field, as an object that it
encodes. The two objects must be equal and the bytes the same.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from kafkaproto.messages import message_class
from tests.messages.support.random_messages import drop_unknown_tags, random_message
from tests.oracles.support.kafka_python_values import classes, decode, encode, make

EXAMPLES = 4
"""Random messages a version, beside the one of defaults."""
COMPARED = 490
"""Messages x versions that this release of kafka-python knows; a new one must not go by unseen."""


NEWEST_KNOWN = {
    **dict.fromkeys(("ApiVersionsRequest", "ApiVersionsResponse"), 4),
    **dict.fromkeys(("DeleteGroupsRequest", "DeleteGroupsResponse"), 2),
    **dict.fromkeys(("TxnOffsetCommitRequest", "TxnOffsetCommitResponse"), 5),
}
"""The newest version that it knows of messages to which Kafka 4.4 has added one."""


def only_good_news(message: Any) -> None:
    """What its reading of ApiVersions answers needs."""
    message.error_code = 0


DEVIATIONS: dict[str, tuple[Callable[[Any], None], str]] = {
    "ApiVersionsResponse": (
        only_good_news,
        "an answer with an error is read as version 0 whatever the version asked for: brokers that do not know the "
        "version of a request answer so (KIP-511)",
    ),
}
"""Where a message has to be changed before it is compared, and why. Unknown tags are dropped everywhere: they are not
written again."""


@pytest.mark.parametrize("name", sorted(classes()))
def test_kafka_python_reads_what_we_write_and_writes_the_same(name: str) -> None:
    ours, theirs = message_class(name), classes()[name]
    root = ours.schema().root
    for version in versions(theirs):
        rng = random.Random(zlib.crc32(f"kafka-python {name} {version}".encode()))
        for message in [ours(), *(random_message(ours, version, rng) for _ in range(EXAMPLES))]:
            drop_unknown_tags(root, message)
            if name in DEVIATIONS:
                DEVIATIONS[name][0](message)
            encoded = message.encode(version)
            expected = make(theirs, root, version, message)
            assert encode(theirs, expected, version) == encoded
            assert decode(theirs, encoded, version) == expected
            assert ours.decode(encode(theirs, expected, version), version) == (message, len(encoded))


def versions(kind: Any) -> range:
    """The versions that kafka-python knows of a message."""
    return range(kind._valid_versions[0], kind._valid_versions[1] + 1)


def test_nothing_that_kafka_python_knows_is_left_out() -> None:
    compared = sum(len(versions(kind)) for kind in classes().values())
    print(
        f"kafka-python: {len(classes())} messages, {compared} versions, {compared * (EXAMPLES + 1)} examples"
    )
    assert compared == COMPARED
    for name, kind in classes().items():
        ours = message_class(name)
        newest = NEWEST_KNOWN.get(name, ours.MAX_VERSION)
        assert range(ours.MIN_VERSION, newest + 1) == versions(kind), name
