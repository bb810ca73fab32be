"""What the README says can be checked: its table of apis and its examples of the library."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from kafkaproto.api import api_by_key
from kafkaproto_server.apis.table import TABLE, served_versions
from kafkaproto_server.types import ListenerKind

README = Path(__file__).resolve().parents[1] / "README.md"


def expected_table() -> str:
    """The table as it has to stand in the README."""
    lines = ["| key | api | versions | broker | controller |", "|---|---|---|---|---|"]
    for key in sorted({key for apis in TABLE.values() for key in apis}):
        api = api_by_key(key)
        assert api is not None
        cells = []
        for kind in (ListenerKind.BROKER, ListenerKind.CONTROLLER):
            served = TABLE[kind].get(key)
            cells.append("" if served is None else "F" if served.is_forwarded else "yes")
        versions = next(found for kind in ListenerKind if (found := served_versions(kind, key)) is not None)
        shown = f"{versions[0]}-{versions[1]}" if versions[0] != versions[1] else str(versions[0])
        lines.append(f"| {key} | {api.name} | {shown} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def test_api_table_is_that_of_the_server() -> None:
    assert expected_table() in README.read_text()


def test_examples_of_the_library_are_true() -> None:
    examples = re.sub(r"^    ", "", README.read_text(), flags=re.MULTILINE)
    parsed = doctest.DocTestParser().get_doctest(examples, {}, "README", str(README), 0)
    assert len(parsed.examples) >= 4
    assert doctest.DocTestRunner().run(parsed).failed == 0


def test_every_test_that_the_security_page_names_is_there() -> None:
    root = README.parent
    named = set(re.findall(r"`([a-z_/]+/test_[a-z_]+\.py)`", (root / "docs/security.md").read_text()))
    assert len(named) > 10
    assert [name for name in sorted(named) if not (root / "tests" / name).exists()] == []
