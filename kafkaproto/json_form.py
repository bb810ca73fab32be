"""Kafka's JSON form of messages, as its dump tool, its metadata shell and the quorum-state file use it.

Field names begin with a small letter, uuids are URL-safe base64, bytes are base64. Of records, only the size is given,
under a name that says so; infinite floats and NaN are text. Neither of these can be read back. Fields that the version
does not have, and tagged fields at their default, are left out.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from kafkaproto import uuids
from kafkaproto.errors import LocalProtocolError, RemoteProtocolError, UnsupportedVersionError
from kafkaproto.interpret import FIXED
from kafkaproto.schema import FieldSchema, StructSchema, within

_SIZE_SUFFIX = "SizeInBytes"
_NOT_FINITE = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


def to_json(message: Any, version: int) -> dict[str, Any]:
    """The JSON form. Raises UnsupportedVersionError if a field is set that the version does not have and that is not
    ignorable, LocalProtocolError for a null that the version does not allow.
    """
    schema = message.schema()
    return _struct_to_json(schema.root, message, version, schema.name)


def from_json(message_class: Any, document: object, version: int) -> Any:
    """Read the JSON form. Keys that are no field of this version, such as the version itself in a quorum-state file,
    are ignored. Raises RemoteProtocolError, which names the field that is missing or does not fit.
    """
    schema = message_class.schema()
    return _struct_from_json(schema.root, document, version, schema.name)


def json_name(name: str) -> str:
    """The JSON name of a schema's field."""
    return name[0].lower() + name[1:]


def _struct_to_json(schema: StructSchema, message: Any, version: int, path: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for field in schema.fields:
        value = getattr(message, field.attribute)
        where = f"{path}.{field.attribute}"
        if not within(version, field.versions):
            if not field.ignorable and not field.is_default(value):
                raise UnsupportedVersionError(f"is set, but version {version} has no such field", where=where)
        elif not (within(version, field.tagged) and field.is_default(value)):
            name = json_name(field.name)
            if field.type == "records" and value is not None:
                name += _SIZE_SUFFIX
            result[name] = _field_to_json(field, value, version, where)
    return result


def _field_to_json(field: FieldSchema, value: Any, version: int, path: str) -> Any:
    if value is None:
        if not within(version, field.nullable) and field.type != "records":
            raise LocalProtocolError(f"is null, but may not be in version {version}", where=path)
        return None
    if field.array:
        return [
            _value_to_json(field, element, version, f"{path}[{index}]") for index, element in enumerate(value)
        ]
    return _value_to_json(field, value, version, path)


def _value_to_json(field: FieldSchema, value: Any, version: int, path: str) -> Any:
    if field.struct is not None:
        return _struct_to_json(field.struct, value, version, path)
    if field.type == "uuid":
        return uuids.to_text(value)
    if field.type == "records":
        return sum(len(chunk) for chunk in value) if isinstance(value, list) else len(value)
    if field.type == "bytes":
        return base64.b64encode(b"".join(value) if isinstance(value, list) else value).decode()
    if field.type == "float64":
        return _NOT_FINITE.get(str(value), value)
    return value


def _struct_from_json(schema: StructSchema, document: object, version: int, path: str) -> Any:
    if not isinstance(document, dict):
        raise RemoteProtocolError("must be an object", where=path)
    values: dict[str, Any] = {}
    for field in schema.fields:
        name = json_name(field.name)
        where = f"{path}.{name}"
        if not within(version, field.versions):
            continue
        if field.type == "records" and name + _SIZE_SUFFIX in document:
            raise RemoteProtocolError("only the size of the records is given, not the records", where=where)
        if name in document:
            values[field.attribute] = _field_from_json(field, document[name], version, where)
        elif not within(version, field.tagged):
            raise RemoteProtocolError("is missing", where=where)
    return schema.python_class(**values)


def _field_from_json(field: FieldSchema, value: object, version: int, path: str) -> Any:
    if value is None:
        if not within(version, field.nullable):
            raise RemoteProtocolError(f"is null, but may not be in version {version}", where=path)
        return None
    if not field.array:
        return _value_from_json(field, value, version, path)
    if not isinstance(value, list):
        raise RemoteProtocolError("must be a list", where=path)
    return [
        _value_from_json(field, element, version, f"{path}[{index}]") for index, element in enumerate(value)
    ]


def _value_from_json(field: FieldSchema, value: object, version: int, path: str) -> Any:
    if field.struct is not None:
        return _struct_from_json(field.struct, value, version, path)
    if field.type == "records":
        raise RemoteProtocolError("must be null: records are not written as JSON", where=path)
    expected: type[Any] = {"bool": bool, "float64": float}.get(field.type, int)
    if field.type not in FIXED or field.type == "uuid":
        expected = str
    if expected is float and type(value) is int:
        value = float(value)
    # The exact type: in Python a bool is an int, and true is no number in Kafka's JSON.
    if type(value) is not expected:
        raise RemoteProtocolError(f"must be a {field.type}, is {value!r:.60}", where=path)
    if field.type in ("string", "bool", "float64"):
        return value
    return _from_text_or_number(field, value, path)


def _from_text_or_number(field: FieldSchema, value: Any, path: str) -> Any:
    try:
        if field.type == "uuid":
            return uuids.from_text(value)
        if field.type == "bytes":
            # Without validate, Python skips characters that are not base64, and damage would go
            # unnoticed.
            return base64.b64decode(value, validate=True)
    except (ValueError, binascii.Error) as error:
        raise RemoteProtocolError(str(error), where=path) from None
    size = FIXED[field.type].size * 8
    lowest = 0 if field.type.startswith("u") else -(1 << (size - 1))
    if not lowest <= value < lowest + (1 << size):
        raise RemoteProtocolError(f"{value} does not fit {field.type}", where=path)
    return value
