"""The real command on damaged logs: what it says, and its exit code; and damage that appears while it watches."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from kafkaproto_pipeline.jobs.command_line import EXIT_DAMAGE
from kafkaproto_pipeline.jobs.watch.rules import DAMAGED
from kafkaproto_pipeline.synthetic import HistoryOptions, generate
from tests.pipeline import planting

pytestmark = pytest.mark.jvm

OPTIONS = HistoryOptions(
    seed=5, records=600, controllers=1, replicas=1, brokers=3, partitions=10, snapshot_bytes=0
)
ROOT = Path(__file__).resolve().parents[4]
COMMAND = (sys.executable, "-P", "-m", "kafkaproto_pipeline.jobs")
WAIT_S = 300.0


def environment() -> dict[str, str]:
    """That of a command: Spark's workers import the same tree."""
    path = os.pathsep.join(str(ROOT / each) for each in ("", "server", "pipeline"))
    return {**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable}


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A log in one segment, without indexes."""
    (node,) = generate(tmp_path / "made", OPTIONS).nodes
    (path,) = planting.segments(node)
    for suffix in (".index", ".timeindex"):
        path.with_suffix(suffix).unlink()
    return node


def flipped(data: bytes, position: int) -> bytes:
    """With one bit of the batch's magic changed; its CRC does not cover that."""
    changed = bytearray(data)
    changed[position + 16] ^= 0x40
    return bytes(changed)


def starts(sizes: Sequence[int]) -> list[int]:
    return [sum(sizes[:index]) for index in range(len(sizes))]


def test_a_job_says_what_it_lacks_and_ends_with_code_3(node: Path) -> None:
    (path,) = planting.segments(node)
    batches = planting.batches(path)
    middle = len(batches) // 2
    data = path.read_bytes()
    path.write_bytes(flipped(data, starts([batch.size_in_bytes for batch in batches])[middle]))
    done = subprocess.run(
        [*COMMAND, "history", "--table", "quorum", str(node)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == EXIT_DAMAGE == 3, done.stderr
    assert f"offset {batches[middle].base_offset}" in done.stderr
    assert "quorum  1 row" in done.stdout
    assert "Traceback" not in done.stderr


def test_damage_that_appears_while_it_watches_is_an_alert_and_code_3(node: Path, tmp_path: Path) -> None:
    (path,) = planting.segments(node)
    whole = path.read_bytes()
    at = starts([batch.size_in_bytes for batch in planting.batches(path)])
    half, broken = at[len(at) // 2], at[len(at) * 3 // 4]
    path.write_bytes(whole[:half])
    folder = tmp_path / "alerts"
    arguments = ("--uncommitted", "--output", str(folder), "--silence", "3600", "--interval", "0.2")
    process = subprocess.Popen(
        [*COMMAND, "watch", *arguments, str(node)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = next(line for line in process.stdout if "watching cluster" in line)
        path.write_bytes(flipped(whole, broken))
        deadline = time.monotonic() + WAIT_S
        while not (found := told(folder)) and time.monotonic() < deadline:
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=WAIT_S)[0]
    finally:
        process.kill()
    assert [kind for kind, _ in found] == [DAMAGED], said
    assert "magic" in found[0][1]
    assert process.returncode == EXIT_DAMAGE, rest
    assert DAMAGED in rest


def told(folder: Path) -> list[tuple[str, str]]:
    """The alerts in the files that tell of damage."""
    lines = [line for path in folder.glob("*/*/*.json") for line in path.read_text().splitlines()]
    return [(row["kind"], row["text"]) for row in map(json.loads, lines) if row["kind"] == DAMAGED]
