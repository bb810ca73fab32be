"""Which tests are quick, and which simulations are in a share."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.running.parts import NEWCOMERS, ROOT, SHARE, Part, part_of, share_of

NAMES = [f"tests/sim/test_seeds.py::test[{number}]" for number in range(100)]


@pytest.mark.parametrize(
    ("marks", "part"),
    [
        (set(), Part.QUICK),
        ({"parametrize", "trio"}, Part.QUICK),
        ({"simulation"}, Part.SIMULATION),
        ({"slow"}, Part.LONG),
        ({"jvm"}, Part.LONG),
        ({"clients", "simulation"}, Part.LONG),
    ],
)
def test_marks_decide_the_part(marks: set[str], part: Part) -> None:
    assert part_of(marks) is part


def test_every_mark_of_ours_is_in_a_selection() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        told = tomllib.load(file)["tool"]["pytest"]["ini_options"]["markers"]
    marks = {line.partition(":")[0] for line in told}
    assert {mark for mark in marks if part_of({mark}) is Part.LONG} == {"slow", "jvm", "clients"}
    left_out = {word for word in NEWCOMERS.split() if word not in ("not", "and")}
    assert marks - left_out == {"simulation"}


def test_each_text_draws_another_share_of_the_same_size() -> None:
    shares = [share_of(NAMES, f"commit {number}") for number in range(60)]
    assert {len(share) for share in shares} == {-(-len(NAMES) // SHARE)}
    assert share_of(list(reversed(NAMES)), "commit 0") == shares[0]
    assert shares[0] != shares[1]
    assert set().union(*shares) == set(NAMES)


def test_a_share_has_at_least_one_test() -> None:
    assert share_of(NAMES[:1], "commit") == {NAMES[0]}
    assert share_of([], "commit") == set()


def test_pytest_runs_the_share_and_what_it_is_told_by_name(tmp_path: Path) -> None:
    for name, seeds in (("drawn", 15), ("single", 1), ("named", 16)):
        (tmp_path / f"test_{name}.py").write_text(
            "import pytest\n"
            "@pytest.mark.simulation\n"
            f"@pytest.mark.parametrize('seed', range({seeds}))\n"
            "def test_seed(seed): pass\n"
            "def test_quick(): pass\n"
        )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.running.parts",
        "--share=commit",
        "-W",
        "ignore",
    ]
    command += [
        f"--rootdir={tmp_path}",
        "-c",
        "/dev/null",
        f"{tmp_path}/test_drawn.py",
        f"{tmp_path}/test_single.py",
    ]
    command += [f"{tmp_path}/test_named.py::test_seed[{seed}]" for seed in range(9)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    # Two of fifteen, one of one, and both quick ones; nine by name.
    assert done.stdout.splitlines()[-1].startswith("14 passed, 13 deselected"), done.stdout
