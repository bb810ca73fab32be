"""Kafka's shell is believed only when it has loaded what it was given: it races against itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compat.kafka import shell
from compat.kafka.shell import PROMPT, WHERE, ShellNotLoadedError, ask_shell
from compat.kafka.tools import ToolResult
from tests.tools.support.metadata_shell_files import write_snapshot

LAST_OFFSET = 41
"""Of the last metadata record in the snapshot, as the file counts: a frame follows it."""


def session(offset: int, response: str) -> ToolResult:
    """What the tool prints when it has loaded so far and is asked one thing."""
    parts = (
        "Loading...\n",
        f"offset {offset}, epoch 7, time 2026-09-21T14:13:25.123Z[UTC]\n",
        response,
        "\n",
    )
    return ToolResult(command=("kafka-metadata-shell",), exit_code=0, stdout=PROMPT.join(parts), stderr="")


def play(monkeypatch: pytest.MonkeyPatch, *sessions: ToolResult | Exception) -> list[str | None]:
    """Have these sessions take place, one after the other; returns what was entered in each."""
    entered: list[str | None] = []

    def run_tool(*command: str, stdin: str | None = None, timeout_s: float) -> ToolResult:
        entered.append(stdin)
        outcome = sessions[min(len(entered), len(sessions)) - 1]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(shell, "run_tool", run_tool)
    return entered


def test_a_session_that_hangs_or_has_not_loaded_all_is_held_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung = subprocess.TimeoutExpired("kafka-metadata-shell", 1)
    early = session(-1, "nothing\n"), session(LAST_OFFSET - 1, "a part\n")
    entered = play(monkeypatch, hung, *early, session(LAST_OFFSET, "everything\n"))
    assert ask_shell(write_snapshot(tmp_path), ["ls /image"]) == ["everything\n"]
    assert entered == [f"{WHERE}\nls /image\n"] * 4


def test_one_that_never_loads_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entered = play(monkeypatch, session(-1, "nothing\n"))
    with pytest.raises(ShellNotLoadedError, match=r"checkpoint: shown is 'offset -1, .*', not 'offset 41, '"):
        ask_shell(write_snapshot(tmp_path), ["ls /image"])
    assert len(entered) == shell.ATTEMPTS
