"""Kafka's metadata shell, asked at its prompt until it has loaded the file it was given.

Two threads of the tool race. Where the one that applies records is behind the one that reads them, commands are taken
as soon as the first batch is applied, before anything is on show: the answers are of an empty image, or of one that
lacks the last batch. Where it is not behind, the tool waits forever. Both are seen on a busy machine; so each session
first says how far it has loaded, and one that says nothing is ended.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from compat.kafka.tools import run_tool
from kafkaproto.records.batch import iterate_batches

PROMPT = ">> "
WHERE = "cat /image/provenance"
"""The line that is entered before all others: its answer tells how far the shell has loaded."""
ATTEMPTS = 10
SESSION_TIMEOUT_S = 20.0


class ShellNotLoadedError(Exception):
    """The shell never showed all of a file; the text has the file and what it showed last."""


def ask_shell(file: Path, commands: Sequence[str]) -> list[str]:
    """What Kafka's shell answers at its prompt to each of these lines, once it has loaded the whole file.

    The file is a snapshot or a segment of a metadata log that holds at least one metadata record. Raises
    ShellNotLoadedError, or ToolFailedError.
    """
    loaded = f"offset {_last_metadata_offset(file)}, "
    lines = "".join(f"{command}\n" for command in (WHERE, *commands))
    shown = "nothing"
    for _ in range(ATTEMPTS):
        try:
            result = run_tool(
                "kafka-metadata-shell", "--snapshot", str(file), stdin=lines, timeout_s=SESSION_TIMEOUT_S
            )
        except subprocess.TimeoutExpired:
            continue
        # Behind the last answer there is a prompt, which the end of the input answers.
        _, shown, *responses, _ = result.output().split(PROMPT)
        # What is loaded stays: later answers are of this state or a newer one.
        if shown.startswith(loaded):
            return responses
    raise ShellNotLoadedError(f"{file}: shown is {shown.strip()!r}, not {loaded!r}")


def _last_metadata_offset(file: Path) -> int:
    return max(batch.last_offset for batch in iterate_batches(file.read_bytes()) if not batch.is_control)
