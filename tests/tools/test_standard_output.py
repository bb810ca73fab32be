"""What all command lines do alike: when their reader stops reading, and when they are wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.support.metadata_shell_files import write_snapshot

ROOMS = {
    "cluster": "quorum",
    "dump_log": "dump",
    "metadata_quorum": "quorum",
    "metadata_shell": "shell",
    "storage": "storage",
}
"""Where each tool's module is."""


@pytest.mark.parametrize(
    "arguments",
    [
        ("kafkaproto_server.tools.shell.metadata_shell", "tree", "/image", "-s"),
        # So little that it waits in a buffer for the end of the tool.
        ("kafkaproto_server.tools.shell.metadata_shell", "cat", "/image/provenance", "-s"),
        ("kafkaproto_server.tools.dump.dump_log", "--cluster-metadata-decoder", "--files"),
    ],
)
def test_a_reader_that_goes_ends_the_tool_without_a_word(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", *arguments, str(write_snapshot(tmp_path))]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as tool:
        assert tool.stdout is not None
        assert tool.stderr is not None
        tool.stdout.close()
        assert tool.stderr.read() == b""
    assert tool.returncode == 1


@pytest.mark.parametrize("tool", ROOMS)
def test_a_wrong_command_line_is_exit_code_1_as_with_kafkas_tools(tool: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"kafkaproto_server.tools.{ROOMS[tool]}.{tool}", "--nonsense"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Usage: kafka-{tool.replace('_', '-')} ")
