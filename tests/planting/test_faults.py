"""Faults have names that stay; some code has no place for them."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import pytest

from tests.planting import faults, judged
from tests.planting.faults import Fault, find, planted, sites_of
from tests.planting.judged import equivalent, noticed_by_seeds, noticed_by_tests, of_rules, read
from tests.planting.rooms import ROOMS, room_of
from tests.planting.rules import faults_of_undecided
from tests.sim.rules.runs import OTHER_FIRST_SEEDS

SOURCE = '''"""A module."""
LIMIT = 1 + 1

class Account:
    LIMIT = LIMIT + 1

    def pay(self, sum: int, most: int = 1 + 1) -> None:
        """Returns 1 + 1."""
        assert sum + 1 > 0
        _log.info("%d", sum + 1)
        self.total = (
            sum
            + 1
        )
        self.other = sum + 1 if sum | most else 0
        def inner() -> int:
            return sum + 1

    def __repr__(self) -> str:
        return "1" if self.total + 1 else "2"
'''


def _faults(source: str) -> list[Fault]:
    return [site.fault for site in sites_of("room/m.py", ast.parse(source), source)]


def test_places_are_in_what_functions_do() -> None:
    found = [each for each in _faults(SOURCE) if each.operator == "number plus 1"]
    assert [str(each) for each in found] == [
        "room/m.py | Account.pay | number plus 1 | sum + 1 | 1",
        "room/m.py | Account.pay | number plus 1 | sum + 1 | 2",
        "room/m.py | Account.pay.inner | number plus 1 | sum + 1 | 1",
    ]


def test_places_have_lines() -> None:
    sites = sites_of("room/m.py", ast.parse(SOURCE), SOURCE)
    [first, second, _] = [site for site in sites if site.fault.operator == "number plus 1"]
    assert (first.first_line, first.last_line) == (12, 13)
    assert (second.first_line, second.last_line) == (15, 15)
    assert first.change.after == "sum + 2"


def test_a_name_is_read_again() -> None:
    for each in _faults(SOURCE):
        assert Fault.parse(str(each)) == each
    assert any(" | " in each.text for each in _faults(SOURCE))


def test_a_name_stays_when_the_module_changes_elsewhere() -> None:
    changed = SOURCE.replace("LIMIT = 1 + 1\n", "\n\ndef other(): return 1 + 1\n")
    assert set(_faults(SOURCE)) <= set(_faults(changed))


def test_only_the_header_of_a_compound_statement_names_it() -> None:
    source = "def f() -> None:\n    a()\n    with b as c:\n        d()\n    try:\n        e()\n    finally:\n        g"
    texts = [each.text for each in _faults(source) if each.operator == "early return"]
    assert texts == ["with b as c", "try"]


@pytest.mark.parametrize("line", ["", "a.py | f | condition negated | x", "a.py | f | no operator | x | 1"])
def test_what_is_no_name_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        Fault.parse(line)


def test_a_place_that_is_gone_is_not_found() -> None:
    gone = Fault(path="core/raft/node.py", function="nobody", operator="del skipped", text="del a", number=1)
    with pytest.raises(LookupError, match="nobody"):
        find(gone)
    with pytest.raises(LookupError, match="nobody"):
        planted(gone)


def test_the_statement_with_the_fault_is_counted() -> None:
    site = next(
        each for each in faults.all_sites("core/raft/node.py") if each.fault.operator == "operand dropped"
    )
    module, tree = planted(site.fault, is_counted=True)
    assert module.__name__ == "kafkaproto_server.core.raft.node"
    blocks = [body for each in ast.walk(tree) if isinstance(body := getattr(each, "body", None), list)]
    [counted] = [
        after
        for block in blocks
        for before, after in itertools.pairwise(block)
        if ast.unparse(before) == f"{faults.COUNTER}()"
    ]
    assert counted.lineno <= site.first_line <= site.last_line <= counted.end_lineno
    assert ast.unparse(tree).count(faults.COUNTER) == 1


def test_each_room_has_modules_tests_and_seeds() -> None:
    for room in ROOMS.values():
        assert room.paths(), room.name
        assert all(room_of(path) is room for path in room.paths())
        assert len(room.test_paths()) >= len(room.tests), room.name
        assert [seed for seed, _ in zip(room.some_seeds(), range(9), strict=False)][
            : len(room.seeds)
        ] == list(room.seeds)


def test_seeds_of_rooms_are_those_of_the_simulator() -> None:
    known = {seed for room in ROOMS.values() for seed in room.seeds}
    assert known == set(OTHER_FIRST_SEEDS)


def test_what_only_speaks_is_in_no_room() -> None:
    with pytest.raises(LookupError, match="none of"):
        room_of("core/raft/describe/core.py")


def test_judged_faults_have_a_place_still() -> None:
    for fault in (*equivalent(), *of_rules(), *noticed_by_tests(), *noticed_by_seeds()):
        find(fault)
        room_of(fault.path)


def test_each_rule_that_decides_in_no_run_was_taken_away() -> None:
    known = {*equivalent(), *of_rules(), *noticed_by_tests(), *noticed_by_seeds()}
    missing = [each for each in faults_of_undecided() if each not in known]
    assert not missing, f"bin/simulate --plant --rules; there are {len(missing)}, such as {missing[0]}"


def test_nothing_is_judged_in_two_ways() -> None:
    assert not equivalent().keys() & (noticed_by_tests().keys() | noticed_by_seeds().keys())


def test_a_test_or_a_seed_notices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = [Fault.parse(f"a.py | f | del skipped | del a | {number}") for number in (1, 2, 3, 4)]
    noticed, rules = tmp_path / "noticed.txt", tmp_path / "rules.txt"
    noticed.write_text(f"{faults[0]}\n    tests/test_a.py::test\n{faults[1]}\n    seed 7\n")
    rules.write_text(f"{faults[2]}\n    tests/test_b.py::test\n{faults[3]}\n    nobody\n")
    monkeypatch.setattr(judged, "NOTICED", noticed)
    monkeypatch.setattr(judged, "RULES", rules)
    assert noticed_by_tests() == {
        faults[0]: "tests/test_a.py::test",
        faults[2]: "tests/test_b.py::test",
    }
    assert noticed_by_tests(with_rules=False) == {faults[0]: "tests/test_a.py::test"}
    assert noticed_by_seeds() == {faults[1]: 7}


LINE = "a.py | f | del skipped | del a | 1"


def test_what_is_judged_has_a_reason() -> None:
    fault = Fault.parse(LINE)
    assert read(f"# For people.\n\n{LINE}\n    One line\n    and another.\n") == {
        fault: "One line and another."
    }
    for text in (LINE, f"{LINE}\n    Twice.\n{LINE}\n    Twice.", "    Without a fault."):
        with pytest.raises(ValueError):
            read(text)
