"""Names of topics, as Kafka allows them."""

import pytest

from server.apis.topic_names import MAX_LENGTH, topic_name_problem


@pytest.mark.parametrize("name", ["a", "A-Z_0.9", "...", "x" * MAX_LENGTH, "__consumer_offsets", "-", "_"])
def test_a_legal_name_has_no_problem(name: str) -> None:
    assert topic_name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "empty"),
        (".", "directory"),
        ("..", "directory"),
        ("x" * 250, "250 characters is longer than 249"),
        ("a b", "'a b' contains characters"),
        ("a\n", "contains characters"),
        ("ä", "contains characters"),
        ("٣", "contains characters"),
        ("a/b", "contains characters"),
    ],
)
def test_an_illegal_name_is_told_why(name: str, problem: str) -> None:
    assert problem in (topic_name_problem(name) or "")
