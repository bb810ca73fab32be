"""What each operator makes of a function, before and after."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tests.planting.faults import plant, sites_of
from tests.planting.operators import OPERATORS


def _body(text: str) -> str:
    return textwrap.indent(textwrap.dedent(text).strip(), "    ")


def _variants(operator: str, body: str, returns: str) -> list[str]:
    """The bodies that an operator makes of the body of a function."""
    source = f"def f() -> {returns}:\n{_body(body)}\n"
    count = sum(site.fault.operator == operator for site in sites_of("m.py", ast.parse(source), source))
    found = []
    for number in range(count):
        tree = ast.parse(source)
        sites = [site for site in sites_of("m.py", tree, source) if site.fault.operator == operator]
        plant(tree, sites[number].change)
        compile(tree, "m.py", "exec")
        [function] = tree.body
        assert isinstance(function, ast.FunctionDef)
        found.append("\n".join(map(ast.unparse, function.body)))
    return found


CASES: list[tuple[str, str, list[str]]] = [
    ("condition negated", "x = [a for a in b if a.ok]", ["x = [a for a in b if not a.ok]"]),
    ("condition negated", "while a:\n    b()", ["while not a:\n    b()"]),
    ("condition negated", "if a == b:\n    c()", []),
    ("condition negated", "while True:\n    c()", []),
    ("condition always true", "x = a if b else c", ["x = a if (True if True else b) else c"]),
    ("condition always true", "if (a := b):\n    c(a)", ["if ((a := b), True)[1]:\n    c(a)"]),
    ("condition always false", "if a:\n    b()", ["if False if True else a:\n    b()"]),
    (
        "operand dropped",
        "x = a and b and c",
        [
            "x = b and c if True else a and b and c",
            "x = a and c if True else a and b and c",
            "x = a and b if True else a and b and c",
        ],
    ),
    ("operand dropped", "x = a or b", ["x = b if True else a or b", "x = a if True else a or b"]),
    ("not dropped", "x = not a", ["x = a"]),
    (
        "case never taken",
        "match a:\n    case 1 if b:\n        c()\n    case _:\n        assert_never(a)",
        ["match a:\n    case 1 if False if True else b:\n        c()\n    case _:\n        assert_never(a)"],
    ),
    ("bound off by one", "x = a < b <= c", ["x = a <= b <= c", "x = a < b < c"]),
    ("bound off by one", "x = a > b or c >= d", ["x = a >= b or c >= d", "x = a > b or c > d"]),
    ("comparison turned", "x = a == b", ["x = a != b"]),
    ("comparison turned", "x = a is not b", ["x = a is b"]),
    ("comparison turned", "x = a in b", ["x = a not in b"]),
    ("number plus 1", "x = a + 1", ["x = a + 2"]),
    ("number plus 1", "x = a[1:-1]", ["x = a[2:-1]", "x = a[1:-2]"]),
    ("number plus 1", "x = True + a", []),
    ("number minus 1", "x = a > 0", ["x = a > -1"]),
    ("number minus 1", "a += 1", ["a += 0"]),
    ("number minus 1", "x = max(0, a[0])", ["x = max(-1, a[0])", "x = max(0, a[-1])"]),
    ("plus to minus", "x = a + b", ["x = a - b"]),
    ("plus to minus", "x = a + 'text'", []),
    ("minus to plus", "a -= b", ["a += b"]),
    ("min to max", "x = min(a, b)", ["x = max(a, b)"]),
    ("max to min", "x = max(a, key=b)", ["x = min(a, key=b)"]),
    ("only one argument", "x = min(a, b)", ["x = a if True else min(a, b)", "x = b if True else min(a, b)"]),
    ("only one argument", "x = max(*a, b)", ["x = b if True else max(*a, b)"]),
    ("True to False", "x = f(a, True, b=True)", ["x = f(a, False, b=True)", "x = f(a, True, b=False)"]),
    ("False to True", "self.a = False", ["self.a = True"]),
    ("return negated", "return a.b", []),
    ("early return", "a()\nb()", []),
    (
        "early return",
        "if a:\n    b()\nc()\nd()",
        ["if a:\n    b()\nif True:\n    return\nelse:\n    c()\nd()"],
    ),
    ("early return", "a()\nif b:\n    c()", ["a()\nif True:\n    return\nelif b:\n    c()"]),
    ("assignment skipped", "x = 1\nself.a = 1", ["x = 1\nif False:\n    self.a = 1"]),
    ("assignment skipped", "a[b] = 1", ["if False:\n    a[b] = 1"]),
    ("assignment skipped", "a: int = 1\na += 1", ["a: int = 1\nif False:\n    a += 1"]),
    ("call skipped", "a(b)", ["if False:\n    a(b)"]),
    ("call skipped", "assert_never(a)\n_log.info('text %d', b(c))", []),
    ("del skipped", "del a[b]", ["if False:\n    del a[b]"]),
    ("raise skipped", "raise A(f'{b + 1}')", ["if False:\n    raise A(f'{b + 1}')"]),
    ("continue skipped", "for a in b:\n    continue", ["for a in b:\n    if False:\n        continue"]),
    ("break skipped", "for a in b:\n    break", ["for a in b:\n    if False:\n        break"]),
    ("continue to break", "for a in b:\n    continue", ["for a in b:\n    break"]),
    ("break to continue", "for a in b:\n    break", ["for a in b:\n    continue"]),
    ("loop never runs", "for a in b:\n    c()", ["for a in () if True else b:\n    c()"]),
    (
        "exception not caught",
        "try:\n    a()\nexcept B:\n    c()",
        ["try:\n    a()\nexcept () if True else B:\n    c()"],
    ),
]


def test_operators_change_a_function() -> None:
    made = [(operator, before, _variants(operator, before, "None")) for operator, before, _ in CASES]
    assert made == CASES


def test_every_operator_has_a_case() -> None:
    negated = {"return negated"}
    assert {operator for operator, _, after in CASES if after} | negated == OPERATORS.keys()


def test_what_a_predicate_returns_is_negated() -> None:
    assert _variants("return negated", "return a.b", "bool") == ["return not a.b"]
    assert _variants("return negated", "return a == b", "bool") == [], "another operator does that"
    assert _variants("return negated", "return True", "bool") == [], "another operator does that"


@pytest.mark.parametrize("returns", ["bool", "int | None", "Iterator[int]"])
def test_a_return_may_be_without_a_value(returns: str) -> None:
    assert len(_variants("early return", "if a:\n    b()\nc()\nreturn d", returns)) == 1


def test_a_return_may_need_a_value() -> None:
    assert _variants("early return", "if a:\n    b()\nc()\nreturn d", "int") == []


def test_what_an_object_begins_with_is_assigned() -> None:
    source = "class A:\n    def __init__(self):\n        self.a = 1\n"
    assert [each.fault for each in sites_of("m.py", ast.parse(source), source)] == []
