"""The first commands of README, run as they stand there, print what README says that they print."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat.node import Node
from tests.compat.support.nodes import make_node, node_class

pytestmark = [pytest.mark.jvm, pytest.mark.clients, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "127.0.0.1:9092"
COMMAND_TIMEOUT_S = 120.0


@pytest.fixture
def eager_node(tmp_path: Path) -> Iterator[Node]:
    """A node that creates topics that are missing, as one does by default."""
    node = make_node(node_class(), tmp_path, {"auto.create.topics.enable": "true"})
    try:
        node.start()
        yield node
    finally:
        node.close()


def first_minute() -> list[tuple[str, str]]:
    """The commands that write and read, each with what it prints."""
    section = (ROOT / "README.md").read_text().partition("## Run it\n")[2].partition("\n## ")[0]
    lines = re.sub(r"^    ", "", section[section.index("    $ ") :], flags=re.MULTILINE).strip()
    found = []
    for part in re.split(r"^\$ ", lines, flags=re.MULTILINE)[1:]:
        # A command is one line, but for a program up to its EOF and for lines that go on.
        command = re.match(r".*<<'EOF'\n(?s:.*?)\nEOF\n|(?:.*\\\n)*.*\n?", part)
        assert command is not None
        found.append((command[0], part[command.end() :]))
    return found


def test_the_first_minute_is_as_the_readme_says(eager_node: Node) -> None:
    commands = first_minute()
    assert len(commands) == 5
    for command, expected in commands:
        done = subprocess.run(
            ["bash", "-c", command.replace(ADDRESS, eager_node.bootstrap_server)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=COMMAND_TIMEOUT_S,
            check=False,
        )
        assert (done.returncode, done.stdout.strip()) == (0, expected.strip()), f"{command}\n{done.stderr}"
