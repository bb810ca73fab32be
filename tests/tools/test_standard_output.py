"""Command lines whose reader stops reading."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.metadata_shell_files import write_snapshot


@pytest.mark.parametrize(
    "arguments",
    [
        ("server.tools.metadata_shell", "tree", "/image", "-s"),
        ("server.tools.dump_log", "--cluster-metadata-decoder", "--files"),
    ],
)
def test_a_reader_that_goes_ends_the_tool_without_a_word(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", *arguments, str(write_snapshot(tmp_path))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
        assert tool.stdout is not None
        assert tool.stderr is not None
        tool.stdout.close()
        assert tool.stderr.read() == b""
    assert tool.returncode == 1
