"""Our messages as kafka-python's objects, and one way to call its three kinds of codecs.

Kafka-python has a class per message with the fields of all versions. Sets of bits come as Python sets, UUIDs as
`uuid.UUID` and the zero UUID as None; a tagged struct at its default is None.
"""

from __future__ import annotations

import importlib
import io
import pathlib
import pkgutil
import uuid
import warnings
from functools import cache
from typing import Any

with warnings.catch_warnings():
    # Its way of reading its schema files is out of fashion since Python 3.11.
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka.protocol
    from kafka.protocol.api_data import ApiData
    from kafka.protocol.api_header import ApiHeader
    from kafka.protocol.api_message import ApiMessage
    from kafka.protocol.schemas import resources

from kafkaproto.schema import FieldSchema, StructSchema, within

RENAMED = {
    "cluster_authorized_operations": "authorized_operations",
    "topic_authorized_operations": "authorized_operations",
}
OLDER_NAMES = {"generation_id_or_member_epoch": "generation_id"}
"""Fields that Kafka 4.4 calls otherwise, in some messages, than the release that kafka-python describes."""
NO_BITS = {31}
"""What -2147483648, the number for operations nobody asked about, is as a set of bits."""


@cache
def classes() -> dict[str, Any]:
    """Every class that kafka-python makes of a schema file, by message name."""
    names = {path.stem for path in pathlib.Path(resources.__path__[0]).glob("*.json")}
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for module in pkgutil.walk_packages(kafka.protocol.__path__, "kafka.protocol."):
            if not module.name.startswith(("kafka.protocol.old", "kafka.protocol.generate")):
                for name, value in vars(importlib.import_module(module.name)).items():
                    if name in names and isinstance(value, type):
                        found[name] = value
    assert found.keys() == names
    return found


def pairs(kind: Any, struct: StructSchema, version: int) -> list[tuple[FieldSchema, Any]]:
    """Our fields at a version, each with kafka-python's field for it."""
    ours = [field for field in struct.fields if within(version, field.versions)]
    theirs = [field for field in kind._struct.fields.values() if field.for_version_q(version)]
    for field, other in zip(ours, theirs, strict=True):
        name = (
            RENAMED.get(field.attribute, field.attribute)
            if other._type_str == "bitfield"
            else field.attribute
        )
        names = {each.replace("_", "") for each in (name, OLDER_NAMES.get(name, name))}
        assert other.name.replace("_", "") in names, f"{kind.__name__}.{other.name}"
    return list(zip(ours, theirs, strict=True))


def to_kafka_python(
    kind: Any, struct: StructSchema, version: int, message: Any, extra: dict[str, Any] | None = None
) -> Any:
    """Our message, or a struct in it, as an object of kafka-python's class."""
    values = {}
    for field, other in pairs(kind, struct, version):
        value = getattr(message, field.attribute)
        if value is None or (within(version, field.tagged) and field.struct and field.is_default(value)):
            value = other.default if value is not None and field.array else None
        elif field.struct is not None:
            elements = [
                to_kafka_python(other.data_class, field.struct, version, element)
                for element in (value if field.array else [value])
            ]
            value = elements if field.array else elements[0]
        elif field.array:
            value = [convert(other._type_str.removeprefix("[]"), element) for element in value]
        else:
            value = convert(other._type_str, value)
        values[other.name] = value
    return kind(**values, **(extra or {}))


def convert(word: str, value: Any) -> Any:
    """One value as kafka-python has it."""
    match word:
        case "uuid":
            return uuid.UUID(bytes=value) if any(value) else None
        case "bitfield":
            bits = {bit for bit in range(32) if value >> bit & 1}
            return None if bits == NO_BITS else bits
        case "bytes" | "records":
            return bytes(value)
    return value


def make(kind: Any, struct: StructSchema, version: int, message: Any) -> Any:
    """Our whole message as kafka-python's."""
    extra = {} if issubclass(kind, ApiHeader) else {"version": version}
    return to_kafka_python(kind, struct, version, message, extra)


def encode(kind: Any, message: Any, version: int) -> bytes:
    """The bytes that kafka-python writes."""
    if issubclass(kind, ApiHeader):
        return bytes(message.encode(flexible=version == kind._valid_versions[1]))
    if issubclass(kind, ApiData):
        return bytes(message.encode(version=version, header=False))
    assert issubclass(kind, ApiMessage)
    return bytes(message.encode(version=version))


def decode(kind: Any, data: bytes, version: int) -> Any:
    """What kafka-python reads."""
    if issubclass(kind, ApiHeader):
        return kind.decode(io.BytesIO(data), flexible=version == kind._valid_versions[1])
    if issubclass(kind, ApiData):
        return kind.decode(data, version=version, header=False)
    return kind.decode(data, version=version)
