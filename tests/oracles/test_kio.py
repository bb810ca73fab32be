"""Our codecs against kio's, for every message and version that kio knows.

A random message goes to kio twice: as our bytes, which kio decodes, and field by field, as an object that kio encodes.
The two objects must be equal and the bytes the same.
"""

from __future__ import annotations

import io
import random
import zlib
from typing import Any

import pytest
from kio.index import load_entity_schema
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer
from kio.static.constants import EntityType

from kafkaproto.generated.registry import MODULES
from kafkaproto.message import Message
from kafkaproto.messages import message_class
from tests.messages.support.random_messages import random_message
from tests.oracles.support.kio_values import fit, to_kio

EXAMPLES = 4
"""Random messages a version, beside the one of defaults."""
SUFFIXES = {
    EntityType.request: "request",
    EntityType.response: "response",
    EntityType.header: "",
    EntityType.data: "",
}
COMPARED = 625
"""Messages x versions that this release of kio knows; a new one must not go by unseen."""


def known() -> list[tuple[str, EntityType, list[int]]]:
    """Everything in kio's index: name, kind, versions."""
    found: dict[tuple[str, EntityType], list[int]] = {}
    for name, versions in schema_name_map.items():
        for version, kinds in versions.items():
            for kind in kinds:
                found.setdefault((name, kind), []).append(version)
    return [(name, kind, sorted(versions)) for (name, kind), versions in sorted(found.items(), key=str)]


def our_class(name: str, kind: EntityType) -> type[Message]:
    """Our class for what kio calls so."""
    words = f"{name}_{SUFFIXES[kind]}".replace("_", "")
    (found,) = [ours for ours in MODULES if ours.lower() == words]
    return message_class(found)


def kio_encode(kind: Any, message: Any) -> bytes:
    """The bytes that kio writes."""
    out = io.BytesIO()
    entity_writer(kind)(out, message)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "kind", "versions"), known(), ids=lambda value: getattr(value, "name", str(value))
)
def test_kio_reads_what_we_write_and_writes_the_same(
    name: str, kind: EntityType, versions: list[int]
) -> None:
    ours = our_class(name, kind)
    root = ours.schema().root
    for version in versions:
        theirs: Any = load_entity_schema(name, version, kind)  # type: ignore[arg-type]
        rng = random.Random(zlib.crc32(f"kio {name} {version}".encode()))
        for message in [ours(), *(random_message(ours, version, rng) for _ in range(EXAMPLES))]:
            fit(theirs, root, version, message)
            encoded = message.encode(version)
            expected = to_kio(theirs, root, version, message)
            decoded, size = entity_reader(theirs)(encoded, 0)
            assert size == len(encoded)
            assert decoded == expected
            assert kio_encode(theirs, expected) == encoded
            assert ours.decode(kio_encode(theirs, expected), version) == (message, len(encoded))


def test_nothing_that_kio_knows_is_left_out() -> None:
    compared = sum(len(versions) for _, _, versions in known())
    print(f"kio: {len(known())} messages, {compared} versions, {compared * (EXAMPLES + 1)} examples")
    assert compared == COMPARED
    for name, kind, versions in known():
        ours = our_class(name, kind)
        assert ours.MIN_VERSION <= versions[0] <= versions[-1] <= ours.MAX_VERSION
