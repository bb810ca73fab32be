"""Small schemas for tests of the generator, and what its refusals say of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from codegen.model import Field, MessageModel
from codegen.parse import SchemaError, parse_schema


def schema(**keys: Any) -> dict[str, Any]:
    """A schema of three versions, the last two of them flexible, without fields."""
    plain = {"type": "data", "name": "Sample", "validVersions": "0-2", "flexibleVersions": "1+", "fields": []}
    return {key: value for key, value in (plain | keys).items() if value is not None}


def with_field(**keys: Any) -> dict[str, Any]:
    """A schema with one field, an int32 named Field unless said otherwise."""
    plain = {"name": "Field", "type": "int32", "versions": "0+"}
    return schema(fields=[{key: value for key, value in (plain | keys).items() if value is not None}])


def request(**keys: Any) -> dict[str, Any]:
    """The schema of a request."""
    return schema(**({"type": "request", "name": "SampleRequest", "apiKey": 7} | keys))


def parse(document: Any) -> MessageModel:
    """Read a schema from a file called folder/Sample.json."""
    text = document if isinstance(document, str) else json.dumps(document)
    return parse_schema(text, "folder/Sample.json")


def field(**keys: Any) -> Field:
    """The one field of `with_field`, as read."""
    (found,) = parse(with_field(**keys)).root.fields
    return found


def refusal(document: Any) -> tuple[str, str]:
    """Path and reason with which a schema is refused."""
    with pytest.raises(SchemaError) as caught:
        parse(document)
    error = caught.value
    assert error.file_name == "folder/Sample.json"
    place = f"folder/Sample.json: {error.path}" if error.path else "folder/Sample.json"
    assert str(error) == f"{place}: {error.reason}"
    return error.path, error.reason


def struct(kind: str, **keys: Any) -> dict[str, Any]:
    """A field of a struct type."""
    return {"name": "Field", "type": kind, "versions": "0+"} | keys
