"""A short run of the coverage-guided fuzzer, wherever it can be installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info >= (3, 14), reason="there is no atheris for this Python here"
)
def test_coverage_guided_fuzzing_finds_nothing(tmp_path: Path) -> None:
    run = subprocess.run(
        [
            # libFuzzer looks at the most memory that its process has had, and a process that is started by one which
            # tests have made large has had that much. One that a shell starts has not.
            *("sh", "-c", '"$@"; exit $?', "sh"),
            *(sys.executable, "-m", "tests.fuzz.fuzz_requests"),
            *("-seed=1", "-runs=30000", "-max_len=400", f"-artifact_prefix={tmp_path}/", str(tmp_path)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        # Against one that hangs; where all that computes is left over from other work, seconds become minutes.
        timeout=900,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    assert "Done 30000 runs" in run.stderr
