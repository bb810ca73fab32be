"""What the processes of a run have covered is put together, and has to be enough."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from coverage import CoverageData

from tests.running.covering import check, is_covered
from tests.running.parts import ROOT, Part
from tests.running.results import Results

MEASURES = """
import sys
from tests.running.covering import Covering

covering = Covering(sys.argv[1])
from kafkaproto.uuids import from_text, to_text

with covering.measuring():
    exec(sys.argv[2])
exec(sys.argv[3])
covering.save()
"""


@pytest.mark.parametrize(
    ("path", "part", "counts"),
    [
        ("tests/core/raft/roles/test_leader.py", Part.QUICK, True),
        ("tests/kafkaproto/test_uuids.py", Part.QUICK, True),
        ("tests/core/controller/test_properties.py", Part.LONG, False),
        ("tests/metadata/image/test_snapshot.py", Part.QUICK, False),
    ],
)
def test_only_the_quick_tests_of_the_cores_and_the_library_count(path: str, part: Part, counts: bool) -> None:
    assert is_covered(path, part) is counts


def test_processes_cover_together_what_they_measure_and_nothing_else(tmp_path: Path) -> None:
    files = [tmp_path / "one", tmp_path / "two"]
    calls = [("to_text(bytes(16))", "from_text('A' * 22)"), ("to_text(bytes(16))", "pass")]
    for file, (measured, not_measured) in zip(files, calls, strict=True):
        command = [sys.executable, "-c", MEASURES, str(file), measured, not_measured]
        path = os.pathsep.join(str(ROOT / folder) for folder in (".", "server"))
        subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, check=True)
    results, together = Results(), tmp_path / "together"
    covered = check(files, results, together)
    assert covered is not None
    assert 1 < covered < 99
    (failure,) = results.failures
    assert failure.reason.endswith(f"cover {covered:.2f} %, 99.5 % are wanted")
    assert "kafkaproto/uuids.py" in failure.report
    assert failure.command.endswith("coverage report -m")
    data = CoverageData(str(together))
    data.read()
    source = ROOT / "kafkaproto" / "uuids.py"
    run = {source.read_text().splitlines()[number - 1].strip() for number in data.lines(str(source)) or ()}
    assert 'return base64.urlsafe_b64encode(uuid)[:22].decode("ascii")' in run
    assert "def from_text(text: str) -> bytes:" in run
    assert 'return base64.urlsafe_b64decode(text + "==")' not in run


def test_nothing_measured_is_no_failure() -> None:
    results = Results()
    assert check([], results) is None
    assert results.failures == []
