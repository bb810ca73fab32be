"""The command line of bin/test."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tests.running.__main__ import main


@pytest.mark.parametrize(
    "arguments",
    [
        ["--measure"],
        ["--all", "--measure", "tests/core/raft"],
        ["--search", "1", "--all"],
        ["--search", "1", "tests/core/raft"],
        ["--search", "0"],
    ],
    ids=" ".join,
)
def test_what_does_not_go_together_is_refused(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2, result.output
