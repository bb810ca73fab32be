"""The table of what tests cost."""

from __future__ import annotations

from pathlib import Path

from tests.running import costs
from tests.running.costs import Cost
from tests.running.parts import Part


def test_what_was_measured_is_read_again(tmp_path: Path) -> None:
    dear, cheap = Cost(12.5, 14.0, 30), Cost(0.2, 0.4, 6)
    waits = Cost(0.3, 9.0, 2)
    file = tmp_path / "costs.txt"
    costs.write(
        {
            ("tests/a/test_dear.py", Part.QUICK): dear,
            ("tests/a/test_cheap.py", Part.QUICK): cheap,
            ("tests/b/test_cheap.py", Part.QUICK): Cost(0.4, 0.4, 2),
            ("tests/c/test_waits.py", Part.LONG): waits,
        },
        0.125,
        file,
    )
    table = costs.read(file)
    assert table.calibration_s == 0.125
    assert table.listed == {
        ("tests/a/test_dear.py", Part.QUICK): dear,
        ("tests/c/test_waits.py", Part.LONG): waits,
    }
    assert table.of("tests/a/test_dear.py", Part.QUICK) == dear
    # An average of the others, also for a file that is new.
    assert table.of("tests/d/test_new.py", Part.QUICK) == Cost(0.3, 0.4, 4)
    assert table.of("tests/d/test_new.py", Part.SIMULATION) == Cost(0.0, 0.0, 0)


def test_the_table_at_hand_can_be_read() -> None:
    table = costs.read()
    assert table.calibration_s > 0
    assert {part for _, part in table.listed} | table.others.keys() == {
        Part.QUICK,
        Part.SIMULATION,
        Part.LONG,
    }


def test_calibration_takes_a_moment() -> None:
    assert 0.01 < costs.calibrate() < 10
