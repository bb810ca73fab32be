"""Kafka's own error table, asked of the jars of the release, to compare with `kafkaproto.error_codes`."""

import subprocess
from pathlib import Path


def read_error_table(jars: Path) -> dict[int, tuple[str, bool]]:
    """Code -> (name, retriable), as the clients jar in the folder has them. Needs a Java runtime."""
    program = Path(__file__).with_name("ErrorTable.java")
    command = ["java", "-cp", f"{jars}/*", str(program)]
    printed = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    rows = (line.split() for line in printed.stdout.splitlines())
    return {int(code): (name, retriable == "true") for code, name, retriable in rows}
