"""What the commands install: exact versions with hashes, of the pyproject.toml at hand, and no more than they need."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LISTS = ("build", "server", "tools", "pipeline", "dev")
NOT_FOR_NODES = ("click", "construct", "rich", "numpy", "pyspark")
_PINNED = re.compile(r"([a-z0-9-]+)==([^\s;]+)( ; [^\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")


def pins(name: str) -> dict[str, set[str]]:
    """Versions by package: several where platforms or versions of Python differ."""
    found: dict[str, set[str]] = {}
    for package, version, *_ in _PINNED.findall((ROOT / f"requirements/{name}.txt").read_text()):
        found.setdefault(package, set()).add(version)
    return found


@pytest.mark.parametrize("name", LISTS)
def test_a_list_holds_versions_with_hashes_and_nothing_else(name: str) -> None:
    text = (ROOT / f"requirements/{name}.txt").read_text()
    head, _, rest = text.partition("\n")
    assert head.startswith("# Made by bin/lock ")
    assert _PINNED.sub("", rest) == ""
    assert "://" not in text


def test_the_lists_are_those_of_this_project_and_a_change_of_it_is_noticed(tmp_path: Path) -> None:
    for path in ("bin/lock", "pyproject.toml", *(f"requirements/{name}.txt" for name in LISTS)):
        copy = tmp_path / path
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes((ROOT / path).read_bytes())
        copy.chmod(0o755)
    check = [str(tmp_path / "bin/lock"), "--check"]
    assert subprocess.run(check, capture_output=True, check=False).returncode == 0
    project = tmp_path / "pyproject.toml"
    project.write_text(project.read_text().replace('"trio>=0.27"', '"trio>=0.28"'))
    changed = subprocess.run(check, capture_output=True, text=True, check=False)
    assert changed.returncode == 1
    assert "requirements/build.txt is of another pyproject.toml" in changed.stderr


def test_each_list_has_what_the_smaller_ones_have_at_the_same_versions() -> None:
    server, tools, pipeline, dev = (pins(name) for name in LISTS[1:])
    assert server.items() <= tools.items() <= pipeline.items() <= dev.items()
    assert not server.keys() & set(NOT_FOR_NODES)


def test_a_node_is_what_the_project_depends_on_without_the_command_lines() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        told = tomllib.load(file)
    dependencies = set(told["project"]["dependencies"])
    server = set(told["dependency-groups"]["server"])
    assert {re.split(r"\W", each)[0] for each in dependencies - server} == {"click", "construct", "rich"}
    assert server <= dependencies
    assert set(told["dependency-groups"]["build"]) >= set(told["build-system"]["requires"])


def test_a_node_imports_nothing_that_is_not_installed_for_it() -> None:
    blocked = f"""
import sys
for name in {NOT_FOR_NODES!r}:
    sys.modules[name] = None
import kafkaproto_server.__main__
from kafkaproto_server.shell.net import http
from kafkaproto_server.node import node
from kafkaproto_server.node.observability import page
"""
    done = subprocess.run(
        [sys.executable, "-c", blocked], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
