"""Scenario files: blocks of a command, ``----`` and the output that it must print; lines that begin with ``#`` say why.

With REWRITE_SCENARIOS=1 in the environment, the actual output replaces the expected one in the file. The test still
fails, so that nobody leaves the variable set: review the diff.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from tests.running.counting import SCENARIOS, count

SEPARATOR = "----"


class Runner(Protocol):
    """Carries out the commands of one scenario, in order."""

    def run(self, command: str) -> list[str]:
        """What the command prints."""


def check_file(path: Path, runner: Runner) -> None:
    """Run a scenario file with a fresh runner and compare, or rewrite it if the environment asks for that."""
    text = path.read_text()
    actual = run_scenario(text, runner)
    if os.environ.get("REWRITE_SCENARIOS") == "1":
        path.write_text(actual)
    assert actual == text, f"{path.name} prints something else"
    count(SCENARIOS)


def run_scenario(text: str, runner: Runner) -> str:
    """The scenario with everything that its commands print."""
    blocks: list[str] = []
    for block in text.strip("\n").split("\n\n"):
        lines = block.splitlines()
        if all(line.startswith("#") for line in lines):
            blocks.append(block)
            continue
        head = lines[: lines.index(SEPARATOR)]
        blocks.append("\n".join([*head, SEPARATOR, *runner.run(head[-1])]))
    return "\n\n".join(blocks) + "\n"
