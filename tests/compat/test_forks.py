"""A node or a tool of ours that is a fork says the same, and ends with the same exit code, as one by its command."""

from __future__ import annotations

import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from compat import forks
from compat.fork_server import PROGRAMS
from compat.node import Node
from compat.ours import BIN, OurNode, run_command
from tests.compat.support.nodes import CLUSTER_ID, make_node, metadata

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("arguments", [("--help",), ("--nonsense",)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_fork_says_the_same_as_the_command(
    program: str, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert forks.is_on
    command = [str(BIN / program), *arguments]
    found = run_command(command, directory=tmp_path)
    monkeypatch.setattr(forks, "is_on", False)
    expected = run_command(command, directory=tmp_path)
    assert (found.returncode, found.stdout, found.stderr) == (
        expected.returncode,
        expected.stdout,
        expected.stderr,
    )
    assert found.stdout or found.stderr


def test_every_start_of_a_node_may_be_either(tmp_path: Path) -> None:
    node = make_node(OurNode, tmp_path)
    try:
        for by_command in (False, True):
            node.starts_by_command = by_command  # type: ignore[attr-defined]
            for end in (Node.stop, _interrupt, Node.kill):
                node.start()
                assert is_a_fork(node) is not by_command
                assert metadata(node).cluster_id == CLUSTER_ID
                end(node)
                assert node.process._process.poll() == (-signal.SIGKILL if end is Node.kill else 0)
    finally:
        node.close()


def _interrupt(node: Node) -> None:
    node.process.interrupt(timeout_s=60)


def is_a_fork(node: Node) -> bool:
    """Whether its process was loaded as another program."""
    return "fork_server" in Path(f"/proc/{node.process.pid}/cmdline").read_text()


def test_threads_may_look_at_the_same_node(tmp_path: Path) -> None:
    assert forks.is_on
    for _ in range(5):
        with (tmp_path / "out").open("wb") as out:
            fork = forks.Fork(
                [str(BIN / "kafka-storage"), "random-uuid"],
                cwd=tmp_path,
                env={},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(fork.wait, [60.0] * 8)) == {0}
