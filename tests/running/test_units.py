"""Units of work, their order, and how long a plan takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running.costs import Cost, Costs
from tests.running.parts import SHARE, Part
from tests.running.units import NICE, SLICE_S, Lane, Plan, Unit, lane_of, parts_of_text

COSTS = Costs(
    calibration_s=1.0,
    listed={
        ("tests/core/raft/test_dear.py", Part.QUICK): Cost(SLICE_S * 2.5, 0.0, 100),
        ("tests/sim/test_seeds.py", Part.SIMULATION): Cost(800.0, 0.0, 80),
        ("tests/compat/test_tools.py", Part.LONG): Cost(100.0, 250.0, 10),
        ("tests/pipeline/test_spark.py", Part.LONG): Cost(60.0, 90.0, 10),
        ("tests/sim/test_two.py", Part.QUICK): Cost(SLICE_S * 9, 0.0, 2),
    },
    others={Part.QUICK: (Cost(20.0, 20.0, 200), 10)},
)


def plan(*, is_all: bool) -> Plan:
    return Plan(COSTS, is_all=is_all)


def units(root: Path, *, is_all: bool) -> list[Unit]:
    texts = {
        "core/raft/test_dear.py": "",
        "core/raft/test_cheap.py": "",
        "sim/test_seeds.py": "@pytest.mark.simulation",
        "compat/test_tools.py": "pytestmark = [pytest.mark.jvm, pytest.mark.slow]\n",
        "pipeline/test_spark.py": "pytestmark = pytest.mark.jvm\n",
    }
    for name, text in texts.items():
        file = root / "tests" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return plan(is_all=is_all).units([root / "tests" / name for name in texts], root)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("def test(): pass", {Part.QUICK}),
        ("@pytest.mark.slow\ndef test(): pass", {Part.QUICK, Part.LONG}),
        ("pytest.param(1, marks=pytest.mark.jvm)", {Part.QUICK, Part.LONG}),
        ("pytestmark = pytest.mark.slow\n", {Part.LONG}),
        ("pytestmark = [pytest.mark.trio, pytest.mark.clients]\n", {Part.LONG}),
        ("pytestmark = pytest.mark.trio\n", {Part.QUICK}),
        ("@pytest.mark.simulation\n@pytest.mark.slow", {Part.QUICK, Part.SIMULATION, Part.LONG}),
    ],
)
def test_a_file_says_which_parts_it_may_have(text: str, parts: set[Part]) -> None:
    assert parts_of_text(text) == parts


@pytest.mark.parametrize(
    ("path", "part", "lane"),
    [
        ("tests/compat/test_tools.py", Part.QUICK, Lane.COMPUTING),
        ("tests/compat/test_tools.py", Part.LONG, Lane.SERVERS),
        ("tests/sim/nodes/test_nodes.py", Part.SIMULATION, Lane.COMPUTING),
        ("tests/fuzz/test_atheris.py", Part.LONG, Lane.COMPUTING),
        ("tests/pipeline/test_catalogue.py", Part.LONG, Lane.SPARK),
        ("tests/pipeline/test_catalogue.py", Part.QUICK, Lane.COMPUTING),
    ],
)
def test_lanes(path: str, part: Part, lane: Lane) -> None:
    assert lane_of(path, part) is lane


def test_quick_units_come_first_and_the_dearest_of_them_in_slices(tmp_path: Path) -> None:
    made = units(tmp_path, is_all=False)
    assert [(unit.path.rpartition("/")[2], unit.slice, unit.slices) for unit in made] == [
        ("test_dear.py", 0, 3),
        ("test_dear.py", 1, 3),
        ("test_dear.py", 2, 3),
        # Without a line in the table.
        ("test_cheap.py", 0, 1),
        # Beside its simulations it may have quick tests.
        ("test_seeds.py", 0, 1),
        *[("test_seeds.py", index, 4) for index in range(4)],
    ]
    assert len({unit.number for unit in made}) == len(made)


def test_a_file_is_one_unit_at_least_and_no_more_than_it_has_tests() -> None:
    # The table knows nothing of long tests in this folder.
    (unit,) = plan(is_all=True).units_of("tests/fuzz/test_new.py", Part.LONG)
    assert (unit.lane, unit.slice, unit.slices) == (Lane.COMPUTING, 0, 1)
    assert len(plan(is_all=True).units_of("tests/sim/test_two.py", Part.QUICK)) == 2


def test_what_starts_servers_is_one_unit_and_not_nice(tmp_path: Path) -> None:
    made = {(unit.path, unit.part): unit for unit in units(tmp_path, is_all=True)}
    servers = made["tests/compat/test_tools.py", Part.LONG]
    assert (servers.lane, servers.slices, servers.nice) == (Lane.SERVERS, 1, 0)
    assert made["tests/sim/test_seeds.py", Part.SIMULATION].nice == NICE
    assert made["tests/core/raft/test_dear.py", Part.QUICK].nice == NICE
    assert {unit.nice for unit in units(tmp_path, is_all=False)} == {0}
    spark = made["tests/pipeline/test_spark.py", Part.LONG]
    assert (spark.lane, spark.nice) == (Lane.SPARK, NICE)


def test_a_plan_takes_what_is_computed_or_what_its_longest_lane_takes(tmp_path: Path) -> None:
    every, share = units(tmp_path, is_all=True), units(tmp_path, is_all=False)
    whole = plan(is_all=True)
    quick_s = SLICE_S * 2.5 + 2.0 + 2.0
    assert whole.seconds(every, scale=1.0, processors=2) == pytest.approx((quick_s + 960) / 2)
    # With many processors the servers' lane takes longest, and waits for most of the time.
    assert whole.seconds(every, scale=1.0, processors=100) == pytest.approx(250)
    assert whole.seconds(every, scale=2.0, processors=100) == pytest.approx(350)
    assert plan(is_all=False).seconds(share, scale=1.0, processors=2) == pytest.approx(
        (quick_s + 800 / SHARE) / 2
    )


def test_a_unit_is_the_same_after_its_journey() -> None:
    unit = Unit(number=3, path="tests/test_a.py", part=Part.LONG, slice=1, slices=2, nice=19, lane=Lane.SPARK)
    assert Unit.from_json(unit.to_json()) == unit
