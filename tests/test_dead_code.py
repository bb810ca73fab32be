"""Nothing is kept that nobody uses: modules, functions, classes, methods and constants of the product.

What only tests use belongs to the tests. A name counts as used if it stands anywhere in the product, the commands, the
benchmarks or `compat/` besides its definition, so a few dead names of common words escape.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("kafkaproto/", "server/", "pipeline/", "codegen/")
USERS = (*PRODUCT, "bin/", "bench/", "compat/", "pyproject.toml")

CALLED_BY_OTHERS = {
    "kafkaproto/interpret.py:decode_slowly": "the second opinion on the generated codecs",
    "kafkaproto/layouts.py:control_record_key": "the second opinion on the fast readers",
    "kafkaproto/layouts.py:offset_index_entry": "the second opinion on the fast readers",
    "kafkaproto/layouts.py:record_batch": "the second opinion on the fast readers",
    "kafkaproto/layouts.py:time_index_entry": "the second opinion on the fast readers",
    "pipeline/kafkaproto_pipeline/datasource.py:KraftDataSource.streamReader": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:KraftFilteringReader.pushFilters": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:KraftStreamReader.getDefaultReadLimit": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:RefusedStreamReader.getDefaultReadLimit": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:KraftStreamReader.initialOffset": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:RefusedStreamReader.initialOffset": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:KraftStreamReader.latestOffset": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:RefusedStreamReader.latestOffset": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:KraftStreamReader.prepareForTriggerAvailableNow": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:RefusedStreamReader.prepareForTriggerAvailableNow": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:KraftStreamReader.reportLatestOffset": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:KraftDataSource.streamWriter": "Spark",
    "pipeline/kafkaproto_pipeline/datasource.py:decode_files": "users, as the error for a remote path says",
    "server/kafkaproto_server/core/controller/machine/controller.py:Controller.committed_image": "tests of controllers",
    "server/kafkaproto_server/core/controller/machine/controller.py:Controller.parked_reply_count": "the simulator",
    "server/kafkaproto_server/shell/net/passes.py:Passes.after_io_wait": "trio",
    "server/kafkaproto_server/node/observability/loop_watch.py:LoopWatch.after_io_wait": "trio",
    "server/kafkaproto_server/node/observability/loop_watch.py:LoopWatch.before_io_wait": "trio",
}
"""Definitions that nothing in the repository but tests may name, and who uses them."""

HARMLESS_DECORATORS = frozenset(("classmethod", "property", "staticmethod"))
"""Those that do not use what they decorate."""

IMPORTED_BY_USERS = {"kafkaproto_pipeline.catalogue": "notebooks, as docs/pipeline.md says"}
"""Modules that nothing in the repository but tests may import, and who imports them."""

IMPORTED_BY_NAME = ("kafkaproto_pipeline.jobs.",)
"""Packages whose modules are imported by a name that is put together."""


class Source(NamedTuple):
    """The product and who uses it."""

    texts: dict[str, str]
    """Every file that git knows or could know, but the tests', by its path."""
    trees: dict[str, ast.Module]
    """Of the files in Python."""

    @property
    def written(self) -> list[str]:
        """The modules of the product that are written by hand."""
        return [path for path in self.trees if path.startswith(PRODUCT) and "/generated/" not in path]


@pytest.fixture(scope="module")
def source() -> Source:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *USERS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [path for path in sorted(set(listed.stdout.split())) if (ROOT / path).is_file()]
    texts = {path: (ROOT / path).read_text() for path in paths if not path.endswith(".json")}
    return Source(texts, {path: ast.parse(text) for path, text in texts.items() if path.endswith(".py")})


def module_name(path: str) -> str:
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[1:] if parts[0] in ("server", "pipeline") else parts)


def words(source: Source, path: str) -> Iterator[str]:
    """The names that a file uses, in code or as a short text (a name to import, a console script)."""
    if path not in source.trees:
        yield from re.findall(r"[\w.]+", source.texts[path])
        return
    for node in ast.walk(source.trees[path]):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.alias(name=name):
                yield name.rpartition(".")[2]
            case ast.Constant(value=str(text)) if " " not in text:
                yield from re.findall(r"\w+", text)


def definitions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """What a module defines at its top and in its classes, and how often the definition itself uses the name.

    Decorators may use what they decorate.
    """
    for node in tree.body:
        match node:
            case (
                ast.FunctionDef(name=name, decorator_list=[])
                | ast.AsyncFunctionDef(name=name, decorator_list=[])
            ):
                yield name, 0
            case ast.ClassDef(name=name):
                yield name, 0
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and _uses_nothing(inner):
                        yield f"{name}.{inner.name}", 0
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, 1
            case ast.Assign(targets=targets):
                yield from ((target.id, 1) for target in targets if isinstance(target, ast.Name))


def _uses_nothing(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {each.id for each in method.decorator_list if isinstance(each, ast.Name)}
    return len(names) == len(method.decorator_list) and names <= HARMLESS_DECORATORS


def unused_definitions(source: Source) -> set[str]:
    used = Counter(word for path in source.texts for word in words(source, path))
    found = set()
    for path in source.written:
        for name, own in definitions(source.trees[path]):
            last = name.rpartition(".")[2]
            if not (last.startswith("__") and last.endswith("__")) and used[last] <= own:
                found.add(f"{path}:{name}")
    return found


def test_every_definition_is_used(source: Source) -> None:
    unused = unused_definitions(source)
    assert unused - CALLED_BY_OTHERS.keys() == set()
    assert CALLED_BY_OTHERS.keys() - unused == set(), "exceptions that are not needed any more"


def test_every_module_is_imported(source: Source) -> None:
    imported = set()
    for path, text in source.texts.items():
        if path not in source.trees:
            imported.update(re.findall(r"[\w.]+", text))
            continue
        for node in ast.walk(source.trees[path]):
            match node:
                case ast.Import(names=names):
                    imported.update(each.name for each in names)
                case ast.ImportFrom(module=str(module), names=names):
                    imported.update((module, *(f"{module}.{each.name}" for each in names)))
    modules = {
        module_name(path) for path in source.written if not path.endswith(("/__init__.py", "/__main__.py"))
    }
    unknown = modules - imported - set(IMPORTED_BY_USERS)
    assert {name for name in unknown if not name.startswith(IMPORTED_BY_NAME)} == set()
