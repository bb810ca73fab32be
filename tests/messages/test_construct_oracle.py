"""Generated codecs against codecs made of `construct` from the same schemas: every message, every version."""

from __future__ import annotations

import random
import zlib
from typing import Any

import pytest

from kafkaproto.message import Message
from kafkaproto.schema import StructSchema, within
from tests.messages.support.construct_codecs import codec, defaults, schemas
from tests.messages.support.random_messages import all_message_classes, random_message, versions_of

EXAMPLES = 8
"""Random messages a version; `test_coverage_of_the_oracle` prints what that makes in all."""


def as_dicts(schema: StructSchema, message: Any, version: int, flexible: bool) -> dict[str, Any]:
    """A message as the oracle has it."""
    result: dict[str, Any] = {}
    for field in schema.fields:
        if not within(version, field.versions):
            continue
        value = getattr(message, field.attribute)
        if field.struct is not None and value is not None:
            inner = field.struct
            if field.array:
                value = [as_dicts(inner, element, version, flexible) for element in value]
            else:
                value = as_dicts(inner, value, version, flexible)
        result[field.name] = bytes(value) if isinstance(value, memoryview) else value
    if flexible:
        result["_tags"] = message.unknown_tags or {}
    return result


@pytest.mark.parametrize("message_class", all_message_classes(), ids=lambda message: message.NAME)
def test_bytes_agree_with_the_oracle_both_ways(message_class: type[Message]) -> None:
    schema = message_class.schema()
    for version in versions_of(message_class):
        oracle = codec(message_class.NAME, version)
        flexible = schema.is_flexible(version)
        assert as_dicts(schema.root, message_class(), version, flexible) == defaults(
            message_class.NAME, version
        )
        rng = random.Random(zlib.crc32(f"{message_class.NAME} {version}".encode()))
        for _ in range(EXAMPLES):
            message = random_message(message_class, version, rng)
            encoded = message.encode(version)
            plain = as_dicts(schema.root, message, version, flexible)
            assert oracle.build(plain) == encoded, f"{message_class.NAME} v{version}: {message}"
            assert oracle.parse(encoded) == plain, f"{message_class.NAME} v{version}: {message}"
            decoded, end = message_class.decode(encoded, version)
            assert end == len(encoded)
            assert as_dicts(schema.root, decoded, version, flexible) == plain


def test_the_oracle_covers_every_schema_file() -> None:
    names = {message.NAME for message in all_message_classes()}
    assert names == set(schemas())
    versions = sum(len(versions_of(message)) for message in all_message_classes())
    print(f"construct oracle: {len(names)} messages, {versions} versions, {versions * EXAMPLES} examples")
    assert versions > 700
