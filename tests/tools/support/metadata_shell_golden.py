"""A session with Kafka's own metadata shell, recorded: `golden/metadata_shell.txt`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden" / "metadata_shell.txt"

HEADING = """\
# A session with kafka-metadata-shell of Apache Kafka 4.3.1 on the snapshot that metadata_shell_files.write_snapshot
# makes, recorded at its prompt behind a first line, `cat /image/provenance`. Each line that begins with $ is what was
# entered, what follows is the answer.
# To make it anew, commands added or not: python -m tests.compat.test_metadata_shell
"""

FIRST_LINE = "cat /image/provenance"
"""What was entered before all that is recorded: it stands in the session's history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A line that was entered, and the answer."""

    command: str
    output: str


def exchanges() -> list[Exchange]:
    """The recorded session, in order."""
    found = []
    for block in GOLDEN.read_text().removeprefix(HEADING).split("\n$ ")[1:]:
        command, _, output = block.partition("\n")
        found.append(Exchange(command=command, output=output))
    return found
