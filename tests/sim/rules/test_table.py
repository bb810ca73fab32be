"""Each row of the table of rules names what is there, and says what its absence costs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.sim.rules.table import (
    TABLE,
    RowError,
    Rule,
    check,
    find,
    functions_of,
    places_in,
    read_rules,
    rules_in,
)

SOURCE = """
class Follower:
    def joins(self, end):
        if self.is_pending or end < self.start:
            return False
        return end >= self.high_watermark and end >= self.start

    def cut(self, end):
        if end < self.start:
            def wait():
                return end < self.start
            return wait
        if not (end < self.end or self.is_empty) or end < self.start:
            return None
        return [min(each, end) for each in self.parts if each > self.start]
"""


def rule(function: str, expression: str, number: int | None = None) -> Rule:
    return Rule(
        row="replica.txt:7",
        room="replica",
        path="core/replicas/follower.py",
        function=function,
        expression=expression,
        number=number,
        cost="Something is lost.",
    )


def test_every_row_names_one_expression_of_the_product() -> None:
    problems = []
    rules = read_rules()
    for each in rules:
        try:
            check(each)
        except RowError as error:
            problems.append(str(error))
    assert not problems, "\n".join(problems)
    assert len({each.key for each in rules}) == len(rules), "a rule has two rows"


def test_every_file_says_what_it_is() -> None:
    for path in TABLE.glob("*.txt"):
        assert path.read_text().startswith("# "), path.name


def test_every_cost_is_a_plain_statement() -> None:
    for each in read_rules():
        assert each.cost[0].isupper(), each.row
        assert each.cost.endswith("."), each.row
        assert " would " not in f" {each.cost.lower()} ", each.row


def test_a_file_is_read_paragraph_by_paragraph(tmp_path: Path) -> None:
    path = tmp_path / "replica.txt"
    path.write_text(
        "# The rules of a room.\n\n"
        "core/replicas/follower.py Follower.cut\n    end < self.start #2\n    Records\n    are lost.\n\n"
        "core/replicas/follower.py Follower.joins\n    end >= self.start\n    Others are.\n"
    )
    first, second = rules_in(path)
    assert (first.row, first.function, first.expression, first.number) == (
        "replica.txt:3",
        "Follower.cut",
        "end < self.start",
        2,
    )
    assert first.cost == "Records are lost."
    assert (second.row, second.number) == ("replica.txt:8", None)
    assert str(second) == "core/replicas/follower.py Follower.joins: end >= self.start"
    assert second.module == "kafkaproto_server.core.replicas.follower"


@pytest.mark.parametrize(
    "text",
    [
        "core/replicas/follower.py\n    a < b\n    Something is lost.",
        "replica/follower Follower.cut\n    a < b\n    Something is lost.",
        "core/replicas/follower.py Follower.cut\n    a < b",
        "core/replicas/follower.py Follower.cut\n  a < b\n    Something is lost.",
    ],
    ids=["no function", "no file", "no cost", "not indented"],
)
def test_what_is_no_row_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "replica.txt"
    path.write_text(f"# The rules of a room.\n\n{text}\n")
    with pytest.raises(RowError, match=r"replica\.txt:3: "):
        rules_in(path)


def test_conditions_operands_and_bounds_are_places() -> None:
    functions = functions_of(ast.parse(SOURCE))
    assert set(functions) == {"Follower.joins", "Follower.cut", "Follower.cut.<locals>.wait"}
    texts = [ast.unparse(each.node) for each in places_in(functions["Follower.cut"][0])]
    assert texts == [
        "end < self.start",
        "wait",
        "not (end < self.end or self.is_empty) or end < self.start",
        "not (end < self.end or self.is_empty)",
        "end < self.end",
        "self.is_empty",
        "end < self.start",
        "None",
        "[min(each, end) for each in self.parts if each > self.start]",
        "min(each, end)",
        "each > self.start",
    ]


def test_a_number_tells_equal_expressions_apart() -> None:
    functions = functions_of(ast.parse(SOURCE))
    first, second = (find(rule("Follower.cut", "end < self.start", number), functions) for number in (1, 2))
    assert first.node.lineno < second.node.lineno
    with pytest.raises(RowError, match="2 times; ' #1' names the first"):
        find(rule("Follower.cut", "end < self.start"), functions)
    with pytest.raises(RowError, match="2 times"):
        find(rule("Follower.cut", "end < self.start", 3), functions)


def test_an_expression_that_was_edited_is_reported_with_its_row() -> None:
    edited = functions_of(ast.parse(SOURCE.replace("end >= self.start", "end > self.start")))
    with pytest.raises(RowError, match=r"replica\.txt:7: .*Follower\.joins has no .*'end >= self\.start'"):
        find(rule("Follower.joins", "end >= self.start"), edited)
    with pytest.raises(RowError, match=r"replica\.txt:7: .* has no function Follower\.leaves"):
        find(rule("Follower.leaves", "end >= self.start"), edited)
    with pytest.raises(RowError, match=r"replica\.txt:7: there is no file core/replicas/follower\.py"):
        check(rule("Follower.joins", "end >= self.start"))
