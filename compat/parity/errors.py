"""Kafka's own error table, asked of the jars of the release, to compare with `kafkaproto.error_codes`."""

import subprocess
from pathlib import Path

from compat.kafka.jvm import TOOL_OPTIONS
from compat.kafka.programs import program_command

PROGRAM = Path(__file__).with_name("ErrorTable.java")


def read_error_table(jars: Path) -> dict[int, tuple[str, bool]]:
    """Code -> (name, retriable), as the clients jar in the folder has them. Needs a Java runtime."""
    command = program_command(PROGRAM, [], sorted(jars.glob("*.jar")), TOOL_OPTIONS)
    printed = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    rows = (line.split() for line in printed.stdout.splitlines())
    return {int(code): (name, retriable == "true") for code, name, retriable in rows}
