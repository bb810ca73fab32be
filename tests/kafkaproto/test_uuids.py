"""Text form of UUIDs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.uuids import from_text, to_text


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("AAAAAAAAAAAAAAAAAAAAAA", bytes(16)),
        ("AAAAAAAAAAAAAAAAAAAAAQ", bytes(15) + b"\x01"),
        ("MkU3OEVBNTcwNTJENDM2Qg", b"2E78EA57052D436B"),
        ("_____________________w", b"\xff" * 16),
        ("-_-_-_-_-_-_-_-_-_-_-w", b"\xfb\xff\xbf" * 5 + b"\xfb"),
    ],
)
def test_known_forms(text: str, raw: bytes) -> None:
    assert from_text(text) == raw
    assert to_text(raw) == text


@given(st.binary(min_size=16, max_size=16))
def test_round_trip(raw: bytes) -> None:
    assert from_text(to_text(raw)) == raw


def test_surplus_bits_of_the_last_character_are_ignored() -> None:
    assert from_text("MkU3OEVBNTcwNTJENDM2Qk") == from_text("MkU3OEVBNTcwNTJENDM2Qg")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A" * 21,
        "A" * 23,
        "A" * 22 + "==",
        "A" * 21 + "+",
        "A" * 21 + "/",
        "A" * 22 + "\n",
        "A" * 21 + "é",
    ],
)
def test_what_is_no_uuid_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        from_text(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("size", [0, 15, 17])
def test_only_16_bytes_have_a_text_form(size: int) -> None:
    with pytest.raises(ValueError, match=f"16 bytes, not {size}"):
        to_text(bytes(size))
