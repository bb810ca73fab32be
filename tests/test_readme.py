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

SERVER = ROOT / "server" / "kafkaproto_server"
PAGES = sorted(str(page.relative_to(ROOT)) for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()
OF_THE_HOUSE = ["ARCHITECTURE.md", *(page for page in PAGES if page.startswith("docs/internals/"))]
PATH = re.compile(r"`((?:[a-z_]+/)+[a-z_]*(?:\.[a-z]+)?)`")


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


@pytest.mark.parametrize("page", ["docs/quorum.md", "docs/security.md"])
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    named = re.findall(r"`((?:[a-z_]+/)+(?:test_[a-z_]+\.py|[a-z_]+\.txt))`", (ROOT / page).read_text())
    tests = {name.removeprefix("tests/") for name in named}
    assert len(tests) > 10
    assert [name for name in sorted(tests) if not (ROOT / "tests" / name).exists()] == []


def rooms(folder: Path) -> list[str]:
    """The packages directly in a folder."""
    return sorted(each.parent.name for each in folder.glob("*/__init__.py"))


def drawn(room: str) -> set[str]:
    """What the picture has of a room: the words of its subgraph, or of its node."""
    picture = ARCHITECTURE.split("```mermaid\n")[1].split("```")[0]
    graph = re.search(rf"subgraph {room}\[.*?\n *end\n", picture, re.DOTALL)
    node = re.search(rf"^ *(?:\w+ --> )?{room}\[.*$|--> {room}\[.*$", picture, re.MULTILINE)
    found = graph or node
    return set() if found is None else set(re.findall(r"[a-z_]+", found.group()))


@pytest.mark.parametrize("room", rooms(SERVER))
def test_every_room_stands_in_the_picture_and_in_the_table(room: str) -> None:
    within = rooms(SERVER / room)
    table = ARCHITECTURE.split("## Rooms\n")[1]
    assert drawn(room), f"{room} is not in the picture"
    if within:
        assert [each for each in within if f"`{room}/{each}`" not in table] == []
    else:
        assert f"| `{room}` |" in table
    assert [each for each in within if each not in drawn(room)] == []


def test_the_picture_has_no_room_that_is_gone() -> None:
    table = ARCHITECTURE.split("## Rooms\n")[1].split("\n## ")[0]
    named = {each for row in table.splitlines() for each in re.findall(r"`([a-z_]+(?:/[a-z_]+)?)`", row)}
    assert [
        each for each in sorted(named) if not (SERVER / each).exists() and not (ROOT / each).exists()
    ] == []


def test_the_page_of_the_house_is_short() -> None:
    assert len(ARCHITECTURE.splitlines()) <= 200
    named = set(re.findall(r"\b(?:[a-z_]+/)+[a-z_]+\b", ARCHITECTURE))
    assert len({each for each in named if (SERVER / f"{each}.py").exists()}) <= 100


@pytest.mark.parametrize("page", OF_THE_HOUSE)
def test_every_path_on_a_page_of_the_house_is_there(page: str) -> None:
    found = {each.rstrip("/") for each in PATH.findall((ROOT / page).read_text())}
    # The pages leave out the packages' folders.
    pipeline = ROOT / "pipeline" / "kafkaproto_pipeline"
    missing = [
        each
        for each in sorted(found)
        if not any(
            path.with_suffix(ending).exists()
            for path in (
                SERVER / each,
                ROOT / each,
                pipeline / each.removeprefix("pipeline/"),
                pipeline / "jobs" / each,
            )
            for ending in (Path(each).suffix, ".py")
        )
    ]
    assert missing == []
