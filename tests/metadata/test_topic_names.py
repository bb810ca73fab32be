"""Names of topics, as Kafka allows them."""

import pytest

from kafkaproto_server.metadata.topic_names import MAX_LENGTH, topic_name_problem


@pytest.mark.parametrize("name", ["a", "A-Z_0.9", "...", "x" * MAX_LENGTH, "__consumer_offsets", "-", "_"])
def test_a_legal_name_has_no_problem(name: str) -> None:
    assert topic_name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "cannot be named ''"),
        (".", "cannot be named '.'"),
        ("..", "cannot be named '..'"),
        ("x" * 250, "at most 249 characters; this one has 250"),
        ("a b", "'a b' has characters"),
        ("a\n", "has characters"),
        ("ä", "has characters"),
        ("٣", "has characters"),
        ("a/b", "has characters"),
    ],
)
def test_an_illegal_name_is_told_why(name: str, problem: str) -> None:
    assert problem in (topic_name_problem(name) or "")
