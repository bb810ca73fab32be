"""Which regular expressions of clients are compiled, and what it costs to match them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kafkaproto_server.base.regexes import (
    MAX_PATTERN_BYTES,
    MAX_PROGRAM_SIZE,
    MAX_REPETITIONS,
    MAX_UNICODE_CLASSES,
    compile_regex,
)

MAX_TOPIC_NAME = 249


@pytest.mark.parametrize(
    ("pattern", "text", "is_match"),
    [
        ("a.", "ab", True),
        ("a", "ab", False),
        ("b", "ab", False),
        (r"\pL{2}", "ab", True),
        (r"(?i)AB|\x{1f600}", "ab", True),
        (r"\x{1f600}", "\U0001f600", True),
        (r"\\x{3}", r"\xxx", True),
    ],
)
def test_a_text_matches_as_a_whole(pattern: str, text: str, is_match: bool) -> None:
    assert compile_regex(pattern).matches(text) is is_match


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "missing"),
        ("a{2,1}", "invalid repetition"),
        ("(?=a)", "invalid perl operator"),
        ("\ud800", "surrogates not allowed"),
        ("é" * (MAX_PATTERN_BYTES // 2 + 1), f"8194 bytes, and may have {MAX_PATTERN_BYTES}"),
        (r"\pN\PL" * 33, f"66 Unicode classes, and may have {MAX_UNICODE_CLASSES}"),
        ("x{0,9}" * 112, f"add up to 1008, and may add up to {MAX_REPETITIONS}"),
        (r"\\x{600}y{401}", f"add up to 1001, and may add up to {MAX_REPETITIONS}"),
        (r"\Q\x{\Ea{1001}", f"add up to 1001, and may add up to {MAX_REPETITIONS}"),
        ("." * 8_000, "too large"),
        ("[^a]" * 1_500, f"instructions, and may have {MAX_PROGRAM_SIZE}"),
    ],
)
def test_what_might_take_long_is_refused_with_the_reason(pattern: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        compile_regex(pattern)


GOLDEN = json.loads((Path(__file__).parent / "golden" / "regexes.json").read_text("utf-8"))
OTHERWISE = {
    # RE2 multiplies the bounds of nested repetitions, which may be 1,000 at most.
    *("(a{10}){101}", "(a{2}){501}", "((a{10}){10}){11}", "(a{100}){11}", "(a{0,100}){11}"),
    # Beyond a limit of ours.
    r"\pN" * 60,
    # RE2/J has a name for what is in no script.
    r"\p{Unknown}",
    # RE2/J does not take capital letters for small ones here, though it does the reverse.
    r"(?i)\p{Ll}+",
}


def test_a_pattern_is_valid_and_matches_as_it_does_for_stock() -> None:
    found: dict[str, list[int] | None] = {}
    for pattern in GOLDEN["patterns"]:
        try:
            regex = compile_regex(pattern)
        except ValueError:
            found[pattern] = None
        else:
            found[pattern] = [index for index, name in enumerate(GOLDEN["names"]) if regex.matches(name)]
    differing = {pattern for pattern, matches in GOLDEN["patterns"].items() if found[pattern] != matches}
    assert differing == OTHERWISE


def test_two_hundred_topic_names_are_accepted() -> None:
    names = [f"team{number:03}.orders.events.v1" for number in range(200)]
    regex = compile_regex("|".join(names))
    assert regex.matches(names[-1])
    assert not regex.matches(names[-1] + "0")


def test_a_match_costs_the_size_of_the_program_for_each_byte() -> None:
    regex = compile_regex(".*x" + "x?y?" * 1_900 + "z")
    assert regex.program_size > 3_800
    assert regex.cost("é" * 10) == 20 * regex.program_size
    assert MAX_PROGRAM_SIZE * MAX_TOPIC_NAME <= 2_000_000
