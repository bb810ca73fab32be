"""The import contracts leave out no room: each is pure, or without streams, or named here as one that does I/O."""

from __future__ import annotations

import configparser
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

DO_IO = {"__main__", "config", "node", "shell", "tools"}
"""The rooms that may use trio, the clock and randomness, if no contract names a room in them."""


def sources(contract: str) -> set[str]:
    """The rooms of the server that a contract names."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter")
    modules = parser[f"importlinter:contract:{contract}"]["source_modules"].split()
    return {module.removeprefix("kafkaproto_server.") for module in modules}


def rooms() -> set[str]:
    """The packages and modules at the top of the server."""
    found = (ROOT / "server/kafkaproto_server").iterdir()
    names = {path.stem for path in found if path.suffix == ".py" or (path / "__init__.py").exists()}
    return names - {"__init__"}


def test_the_contracts_are_kept() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_room_is_of_one_kind() -> None:
    named = sources("pure") | sources("sync")
    assert named.isdisjoint(DO_IO)
    within = {each for each in named if each.partition(".")[0] in DO_IO}
    assert sorted([*(named - within), *DO_IO]) == sorted(rooms())
    server = ROOT / "server/kafkaproto_server"
    assert [each for each in within if not (server / each.replace(".", "/") / "__init__.py").exists()] == []


def test_every_package_with_rooms_has_layers() -> None:
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter")
    layered = {
        section["containers"].removeprefix("kafkaproto_server.")
        for section in parser.values()
        if section.get("type") == "layers" and section.get("exhaustive") == "True"
    }
    with_rooms = {
        room
        for room in rooms()
        for path in (ROOT / "server/kafkaproto_server" / room).glob("*/__init__.py")
        if path.parent.name != "__pycache__"
    }
    assert with_rooms <= layered
