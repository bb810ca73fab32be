"""The schemas of the KIP drafts: what is broken is refused where and why it should be, what was mended works.

The data is in `drafts/`; each broken file says itself at which field it is refused and for which reason.
"""

import importlib.util
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from codegen.emit import emit_module
from codegen.parse import SchemaError, parse_schema
from kafkaproto.interpret import decode_slowly, encode_slowly
from kafkaproto.schema import FieldSchema, MessageSchema, StructSchema, within

DRAFTS = Path(__file__).parent / "drafts"
BROKEN = sorted((DRAFTS / "broken").glob("*.json"))
MENDED = sorted((DRAFTS / "mended").glob("*.json"))
EXAMPLES = 25
"""Random messages for each version of each draft."""


def expectation(text: str, label: str) -> str:
    """What a broken file says after a label in its comments; empty if it says nothing."""
    found = [
        line.removeprefix(f"// {label}: ") for line in text.splitlines() if line.startswith(f"// {label}: ")
    ]
    assert len(found) <= 1
    return found[0] if found else ""


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_a_broken_draft_is_refused_with_file_and_field_and_reason(path: Path) -> None:
    text = path.read_text()
    with pytest.raises(SchemaError) as caught:
        parse_schema(text, path.name)
    refused_at = expectation(text, "Refused at")
    assert refused_at
    if refused_at.startswith("line "):
        # The column, and the words, are those of Python's JSON parser and change with it.
        assert caught.value.path.startswith(f"{refused_at} column ")
    else:
        assert caught.value.path == refused_at
        assert expectation(text, "Refused because")
    assert caught.value.reason.startswith(expectation(text, "Refused because"))
    assert str(caught.value) == f"{path.name}: {caught.value.path}: {caught.value.reason}"


def test_each_fault_that_the_drafts_have_is_among_the_broken_ones() -> None:
    refusals = [expectation(path.read_text(), "Refused because") or "not JSON" for path in BROKEN]
    assert set(refusals) == {
        "a struct named Voter is already defined",
        "flexibleVersions is missing",
        "not JSON",
        "unknown key 'flexibleVersion'",
        "unknown message type 'message'",
        "unknown message type 'metadataRecord'",
        "unknown type 'boolean'",
    }


@pytest.mark.parametrize("path", MENDED, ids=lambda path: path.stem)
def test_a_mended_draft_generates_code_that_round_trips(path: Path, tmp_path: Path) -> None:
    message = parse_schema(path.read_text(), path.name)
    generated = getattr(load(emit_module(message), tmp_path / "generated.py"), message.name)
    rng = random.Random(message.name)
    schema = generated.schema()
    for version in range(generated.MIN_VERSION, generated.MAX_VERSION + 1):
        for example in [generated(), *(fill(schema, version, rng) for _ in range(EXAMPLES))]:
            encoded = example.encode(version)
            assert generated.decode(encoded, version) == (example, len(encoded))
            assert encoded == encode_slowly(schema, example, version)
            assert decode_slowly(schema, encoded, version, 0) == (example, len(encoded))


def load(text: str, path: Path) -> ModuleType:
    """A module from its text."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fill(schema: MessageSchema, version: int, rng: random.Random) -> Any:
    """A message whose fields all have random values, as far as the version has them."""
    return fill_struct(schema.root, version, rng, schema.is_flexible(version))


def fill_struct(struct: StructSchema, version: int, rng: random.Random, flexible: bool) -> Any:
    """A struct with random values; where there is room for them, sometimes with a tag that nobody knows."""
    values = {
        field.attribute: fill_field(field, version, rng, flexible)
        for field in struct.fields
        if within(version, field.versions)
    }
    if flexible and rng.random() < 0.25:
        values["unknown_tags"] = {rng.randrange(100, 10_000): rng.randbytes(3)}
    return struct.python_class(**values)


def fill_field(field: FieldSchema, version: int, rng: random.Random, flexible: bool) -> Any:
    """A random value for a field; null in a quarter of the cases where that is possible."""
    if within(version, field.nullable) and rng.random() < 0.25:
        return None
    if field.array:
        return [fill_value(field, version, rng, flexible) for _ in range(rng.randrange(4))]
    return fill_value(field, version, rng, flexible)


def fill_value(field: FieldSchema, version: int, rng: random.Random, flexible: bool) -> Any:
    """A random value of a field's type, or of the elements of its array. The drafts use no other types."""
    if field.struct is not None:
        return fill_struct(field.struct, version, rng, flexible)
    match field.type:
        case "bool":
            return rng.random() < 0.5
        case "string":
            return rng.choice(["", "a", "Übermut", "x" * 127, "y" * 300])
        case "uuid":
            return rng.randbytes(16)
        case "int8" | "int16" | "int32" | "int64":
            bits = int(field.type.removeprefix("int"))
            return rng.choice([0, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), rng.getrandbits(bits - 1)])
    raise AssertionError(f"no random value for {field.type}")
