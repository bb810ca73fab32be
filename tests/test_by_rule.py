"""Whoever changes a module finds its tests by rule: in a file of its name, or in one whose head names it.

The test of `server/kafkaproto_server/core/raft/roles/leader.py` is `tests/core/raft/roles/test_leader.py`. A module
without such a file stands in a paragraph at the head of a test, as it does for example in that one:

    Tests: `core.raft.roles.commit`, `core.raft.roles.resigned`.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {
    "server/kafkaproto_server/": ("tests/", ""),
    "kafkaproto/": ("tests/kafkaproto/", "kafkaproto."),
    "codegen/": ("tests/codegen/", "codegen."),
    "pipeline/kafkaproto_pipeline/": ("tests/pipeline/", "kafkaproto_pipeline."),
}
"""Of each package, the folder of its tests, and what stands before its modules' names at the heads of tests."""
NOT_MODULES = ("__init__", "__main__")
PARAGRAPH = re.compile(r"^Tests: (.*?)\.$", re.MULTILINE | re.DOTALL)


class Module(NamedTuple):
    """A hand-written module of the product."""

    name: str
    test: Path
    """The file of its name."""


def _files() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split() if (ROOT / name).exists()]


def modules(files: list[str]) -> Iterator[Module]:
    """All modules of the packages."""
    for name in files:
        for package, (folder, prefix) in PACKAGES.items():
            inside = Path(name.removeprefix(package))
            if (
                name.startswith(package)
                and "generated" not in inside.parts
                and inside.stem not in NOT_MODULES
            ):
                dotted = prefix + ".".join(inside.with_suffix("").parts)
                yield Module(dotted, Path(folder) / inside.parent / f"test_{inside.name}")


def named_by(text: str) -> list[str]:
    """The modules that the head of a test names."""
    head = ast.get_docstring(ast.parse(text)) or ""
    return [name for paragraph in PARAGRAPH.findall(head) for name in re.findall(r"`([\w.]+)`", paragraph)]


def test_each_module_has_its_tests_by_rule() -> None:
    files = _files()
    known = list(modules(files))
    named = {
        name: file
        for file in files
        if file.startswith("tests/") and Path(file).name.startswith("test_")
        for name in named_by((ROOT / file).read_text())
    }
    assert sorted(named.keys() - {each.name for each in known}) == [], "no such module"
    with_file = {each.name for each in known if (ROOT / each.test).exists()}
    assert sorted({each.name for each in known} - with_file - named.keys()) == [], "no test"
    assert sorted(named.keys() & with_file) == [], "has a file of its own"


def test_a_head_names_modules_over_several_lines() -> None:
    text = '"""What holds.\n\nTests: `a.b`,\n`a.c_d`.\n\n`e.f` is not of it.\n"""\n'
    assert named_by(text) == ["a.b", "a.c_d"]
    assert named_by('"""What holds."""\n') == []
