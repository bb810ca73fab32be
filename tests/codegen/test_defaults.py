"""Defaults of fields: which literals fit which type, and what they stand for."""

from __future__ import annotations

from typing import Any

import pytest

from codegen.model import NotNull
from tests.codegen.support.schemas import field, refusal, with_field

FIELD = "Sample.Field"
INT_FIELD = {"name": "Number", "type": "int32", "versions": "0+"}
INTEGERS = {
    "int8": (-128, 127),
    "int16": (-32_768, 32_767),
    "uint16": (0, 65_535),
    "int32": (-2_147_483_648, 2_147_483_647),
    "uint32": (0, 4_294_967_295),
    "int64": (-9_223_372_036_854_775_808, 9_223_372_036_854_775_807),
}


@pytest.mark.parametrize(("word", "limits"), INTEGERS.items())
def test_an_integer_default_must_fit_its_type(word: str, limits: tuple[int, int]) -> None:
    lowest, highest = limits
    for value in (lowest, highest):
        for literal in (value, str(value), hex(value), hex(value).upper().replace("X", "x")):
            assert field(type=word, default=literal).default == value
    for value in (lowest - 1, highest + 1):
        for literal in (value, str(value), hex(value)):
            reason = f"default {literal} does not fit {word} ({lowest} to {highest})"
            assert refusal(with_field(type=word, default=literal)) == (FIELD, reason)


@pytest.mark.parametrize(
    "literal", ["", "null", "one", "1.5", 1.5, True, "0x", "0b1", "1_000", "٣", "--1", [1], {}]
)
def test_what_is_no_integer_is_no_default_of_one(literal: Any) -> None:
    shown = "true" if literal is True else str(literal)
    assert refusal(with_field(default=literal)) == (FIELD, f"default {shown!r} is no integer")


@pytest.mark.parametrize(
    ("word", "literal", "reason"),
    [
        ("bool", "yes", "default 'yes' is neither true nor false"),
        ("bool", 1, "default '1' is neither true nor false"),
        ("bool", "null", "default 'null' is neither true nor false"),
        ("float64", "one", "default 'one' is no number"),
        ("float64", "nan", "default 'nan' is no number"),
        ("float64", "inf", "default 'inf' is no number"),
        ("float64", "1_0", "default '1_0' is no number"),
        ("float64", True, "default 'true' is no number"),
        (
            "uuid",
            "AAAAAAAAAAAAAAAAAAAAAA",
            "default 'AAAAAAAAAAAAAAAAAAAAAA': a uuid takes no default but zero",
        ),
        ("string", 5, "default 5 is no text"),
        ("string", True, "default True is no text"),
        ("string", "null", "default null needs every version to be nullable"),
        ("bytes", "x", "default 'x' does not fit: only \"null\" or nothing is possible for this type"),
        ("bytes", "null", "default null needs every version to be nullable"),
        ("records", "x", "default 'x' does not fit: only \"null\" or nothing is possible for this type"),
        ("[]int32", "0", "default '0' does not fit: only \"null\" or nothing is possible for this type"),
        ("[]int32", [], 'default [] does not fit: only "null" or nothing is possible for this type'),
        ("[]int32", "null", "default null needs every version to be nullable"),
    ],
)
def test_a_default_that_does_not_fit_is_refused(word: str, literal: Any, reason: str) -> None:
    assert refusal(with_field(type=word, default=literal)) == (FIELD, reason)


def test_a_struct_takes_no_default_but_null() -> None:
    part = {"type": "Part", "fields": [INT_FIELD]}
    reason = "default 'x' does not fit: only \"null\" or nothing is possible for this type"
    assert refusal(with_field(**part, default="x")) == (FIELD, reason)
    assert refusal(with_field(**part, default="null", nullableVersions="1+"))[1].startswith(
        "default null needs"
    )
    assert field(**part, default="null", nullableVersions="0+").default is None
    assert field(**part).default is NotNull.EMPTY


@pytest.mark.parametrize(
    ("word", "literal", "expected"),
    [
        ("bool", None, False),
        ("bool", "true", True),
        ("bool", True, True),
        ("bool", "false", False),
        ("int16", None, 0),
        ("float64", None, 0.0),
        ("float64", "-1.5e3", -1500.0),
        ("float64", 2, 2.0),
        ("uuid", None, bytes(16)),
        ("string", None, ""),
        ("string", "text", "text"),
        ("bytes", None, b""),
        ("bytes", "", b""),
        ("records", None, None),
        ("records", "null", None),
        ("[]int32", None, NotNull.EMPTY),
        ("[]int32", "", NotNull.EMPTY),
    ],
)
def test_defaults_that_fit(word: str, literal: Any, expected: object) -> None:
    found = field(type=word, default=literal).default
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("word", ["string", "bytes", "[]int32"])
def test_null_is_a_default_where_every_version_that_exists_is_nullable(word: str) -> None:
    assert field(type=word, default="null", nullableVersions="0+").default is None
    assert field(type=word, default="null", nullableVersions="0-2").default is None, "there is no version 3"
    assert field(type=word, default="null", versions="1+", nullableVersions="1+").default is None
    assert field(type=word, nullableVersions="0+").default is not None
