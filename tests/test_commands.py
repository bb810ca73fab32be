"""The commands in `bin/`, whatever folder they are run from."""

from __future__ import annotations

import subprocess
from pathlib import Path

BIN = Path(__file__).resolve().parents[1] / "bin"


def test_a_users_files_are_not_taken_for_ours(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text('raise SystemExit("a file of the user\'s was run")\n')
    done = subprocess.run(
        [BIN / "kafka-storage", "random-uuid"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.strip()) == 22
