"""What the documents say can be checked: the table of APIs, the examples of the library, links, names of tests."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from kafkaproto.api import api_by_key
from kafkaproto_server.apis.table import TABLE, served_versions
from kafkaproto_server.base.types import ListenerKind

ROOT = Path(__file__).resolve().parents[1]

PAGES = sorted(str(page.relative_to(ROOT)) for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def expected_table() -> str:
    """The table as it has to stand in docs/apis.md."""
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
    assert expected_table() in (ROOT / "docs/apis.md").read_text()


@pytest.mark.parametrize(("page", "count"), [("README.md", 4), ("docs/library.md", 5)])
def test_examples_of_the_library_are_true(page: str, count: int) -> None:
    examples = re.sub(r"^    ", "", (ROOT / page).read_text(), flags=re.MULTILINE)
    parsed = doctest.DocTestParser().get_doctest(examples, {}, page, page, 0)
    assert len(parsed.examples) >= count
    assert doctest.DocTestRunner().run(parsed).failed == 0


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) < 120


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text())
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "docs/quorum.md", "docs/security.md"])
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    named = re.findall(r"`((?:[a-z_]+/)+(?:test_[a-z_]+\.py|[a-z_]+\.txt))`", (ROOT / page).read_text())
    tests = {name.removeprefix("tests/") for name in named}
    assert len(tests) > (0 if page == "ARCHITECTURE.md" else 10)
    assert [name for name in sorted(tests) if not (ROOT / "tests" / name).exists()] == []
