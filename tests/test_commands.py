"""The commands in `bin/`, whatever folder they are run from, and what an installation puts among a user's modules."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = ROOT / "bin"


def test_a_users_files_are_not_taken_for_ours(tmp_path: Path) -> None:
    for name in ("server", "pipeline", "kafkaproto", "kafkaproto_server", "click", "types"):
        (tmp_path / f"{name}.py").write_text('raise SystemExit("a file of the user\'s was run")\n')
    done = subprocess.run(
        [BIN / "kafka-storage", "random-uuid"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.strip()) == 22


def test_the_first_use_says_what_it_installs_and_how_much() -> None:
    told = {
        name: subprocess.run(
            ["bash", "-c", f'source "$1" && installed_for {name}', "bash", BIN / "_environment"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in ("server", "tools", "pipeline", "dev")
    }
    assert all(told.values())
    assert "Spark" in told["pipeline"]
    assert "950 MB" in told["pipeline"]
    assert "tests" not in told["pipeline"]


def test_an_installation_takes_no_name_that_a_user_may_want(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "wheel",
        "--directory",
        str(tmp_path / "built"),
    ]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    (wheel,) = (tmp_path / "built").glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "installed")
    names = {path.name for path in (tmp_path / "installed").iterdir() if path.suffix != ".dist-info"}
    assert names == {"kafkaproto", "kafkaproto_server", "kafkaproto_pipeline"}
    # A program with packages of these names of its own, which starts our server as a process.
    for name in ("server", "pipeline", "codegen"):
        (tmp_path / "own" / name).mkdir(parents=True)
        (tmp_path / "own" / name / "__init__.py").write_text("OWN = True\n")
    program = (
        "import server, pipeline, codegen, kafkaproto, kafkaproto_server, kafkaproto_pipeline.jobs.command_line;"
        "assert server.OWN and pipeline.OWN and codegen.OWN;"
        "import kafkaproto_server.__main__ as main, sys; sys.exit(main.main(['--help']))"
    )
    path = os.pathsep.join([str(tmp_path / "own"), str(tmp_path / "installed")])
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: kafka-server-start")
