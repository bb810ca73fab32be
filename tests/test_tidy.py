"""House rules that no linter knows: sizes, banned words and calls, dead files."""

from __future__ import annotations

import ast
import configparser
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAX_FILE_LINES = 700
MAX_FUNCTION_LINES = 70
SERVER = "server/"
"""The server is held to smaller files, and to small classes, whose constructors take few parameters."""
MAX_SERVER_FILE_LINES = 500
MAX_CLASS_LINES = 299
MAX_CONSTRUCTOR_PARAMETERS = 8

# The exceptions may only shrink.
LONG_FILES = frozenset({"server/kafkaproto_server/core/replicas/partition.py"})
LONG_FUNCTIONS: frozenset[str] = frozenset()
LONG_CLASSES = frozenset({"server/kafkaproto_server/core/replicas/partition.py:Partition"})

CONTRACTS = configparser.ConfigParser()
CONTRACTS.read(ROOT / ".importlinter")
PURE_ROOMS = tuple(
    f"server/{room.replace('.', '/')}/"
    for room in CONTRACTS["importlinter:contract:pure"]["source_modules"].split()
)
SEARCHED_MARKS = re.compile(r"mark\.(clients|jvm|simulation|slow)\b")
"""Marks of tests that are not quick."""
BANNED_IN_PURE_ROOMS = frozenset({"hash", "id", "open", "print", "uuid4"})
"""Calls whose result differs from process to process, or that reach out of it."""
ROOMS_WITH_SOURCES = ("core/raft",)
"""Rooms whose modules say at their heads where Apache Kafka has the same. The list may only grow."""
SOURCE = re.compile(r"Apache Kafka: ``|\bKIP-\d+\b|\b[Oo]urs alone\b")


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """Every hand-written Python file that git knows or could know."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = sorted(set(listed.stdout.split()))
    return [ROOT / name for name in names if "/generated/" not in name and (ROOT / name).exists()]


def test_files_keep_the_house_rules(files: list[Path]) -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {'; '.join(found)}" for path in files if (found := problems_of(path))
    ]
    assert not broken, "\n".join(broken)


def problems_of(path: Path) -> list[str]:
    """The rules that a file breaks, each with the place."""
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text()
    tree = ast.parse(text)
    problems = []
    most_lines = MAX_SERVER_FILE_LINES if name.startswith(SERVER) else MAX_FILE_LINES
    if text.count("\n") > most_lines and name not in LONG_FILES:
        problems.append(f"{text.count(chr(10))} lines, {most_lines} are allowed")
    if not ast.get_docstring(tree) and text.strip():
        problems.append("the module does not say what it is for")
    for word in ("TODO", "FIXME", "NotImplementedError", "XXX"):
        if word in text and path.name != "test_tidy.py":
            problems.append(f"{word}: finish it or take it out")
    if not path.name.startswith("test_") and SEARCHED_MARKS.search(text):
        problems.append("bin/test finds tests with this mark in files named test_*.py only")
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and name.startswith(SERVER):
            problems += _problems_of_class(name, node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION_LINES and f"{name}:{node.name}" not in LONG_FUNCTIONS:
                problems.append(f"{node.name} has {length} lines, {MAX_FUNCTION_LINES} are allowed")
        if name.startswith(PURE_ROOMS) and isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else ""
            if called in BANNED_IN_PURE_ROOMS:
                problems.append(f"line {node.lineno}: {called}() has no place in a pure room")
    return problems


def _problems_of_class(file: str, node: ast.ClassDef) -> list[str]:
    problems = []
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    if length > MAX_CLASS_LINES and f"{file}:{node.name}" not in LONG_CLASSES:
        problems.append(f"{node.name} has {length} lines, {MAX_CLASS_LINES} are allowed")
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            count = len(each.args.posonlyargs) + len(each.args.args) + len(each.args.kwonlyargs) - 1
            if count > MAX_CONSTRUCTOR_PARAMETERS:
                problems.append(
                    f"{node.name} takes {count} parameters, {MAX_CONSTRUCTOR_PARAMETERS} are allowed"
                )
    return problems


def test_exceptions_are_still_needed(files: list[Path]) -> None:
    lines = {path.relative_to(ROOT).as_posix(): path.read_text().count("\n") for path in files}
    assert all(lines[name] > MAX_SERVER_FILE_LINES for name in LONG_FILES)
    assert {entry.partition(":")[0] for entry in LONG_FUNCTIONS} <= lines.keys()
    for entry in LONG_CLASSES:
        name, _, class_name = entry.partition(":")
        found = [
            node
            for node in ast.walk(ast.parse((ROOT / name).read_text()))
            if isinstance(node, ast.ClassDef) and node.name == class_name
        ]
        assert [(node.end_lineno or 0) - node.lineno + 1 > MAX_CLASS_LINES for node in found] == [True]


def test_repository_speaks_of_no_machine_or_registry() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    parts = (("pypi", "org"), ("repo1", "maven"), ("registry", "npmjs"), ("proxy", "golang"))
    hosts = [".".join(each) for each in parts]
    found = []
    for name in sorted(set(listed.stdout.split())):
        path = ROOT / name
        if path.suffix in (".png", ".jar") or not path.is_file():
            continue
        text = path.read_text(errors="replace")
        found += [f"{name}: {host}" for host in hosts if host in text]
    assert not found


def test_optimized_python_is_refused() -> None:
    result = subprocess.run(
        [sys.executable, "-O", "-m", "kafkaproto_server", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode != 0
    assert "-O" in result.stderr


def test_no_name_of_a_class_stands_for_two(files: list[Path]) -> None:
    """Who searches for a class finds one."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        if name.startswith("server/"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(name)
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("room", ROOMS_WITH_SOURCES)
def test_the_head_of_a_module_names_its_source(room: str, files: list[Path]) -> None:
    """A class of Kafka or a KIP, to compare with; or that there is nothing to compare with."""
    modules = [
        path
        for path in files
        if path.is_relative_to(ROOT / "server/kafkaproto_server" / room) and path.name != "__init__.py"
    ]
    assert modules, f"there is no room {room}"
    heads = {
        path.relative_to(ROOT).as_posix(): ast.get_docstring(ast.parse(path.read_text())) for path in modules
    }
    assert [name for name, head in heads.items() if SOURCE.search(head or "") is None] == []
