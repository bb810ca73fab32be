"""The folder of schemas as a whole: what SOURCE.md promises of it."""

import re
from pathlib import Path

import pytest

from codegen.parse import parse_schema
from compat.parity.jars import release

MESSAGES = Path(__file__).resolve().parents[2] / "messages"
SCHEMAS = sorted(MESSAGES.rglob("*.json"))


def test_source_names_one_release() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", release())
    assert (MESSAGES / "SOURCE.md").read_text().count(release()) == 1


@pytest.mark.parametrize("folder", sorted({path.parent for path in SCHEMAS}), ids=lambda path: path.name)
def test_each_folder_is_explained_and_each_file_named_after_its_message(folder: Path) -> None:
    assert folder.parent == MESSAGES
    assert f"| `{folder.name}/` |" in (MESSAGES / "SOURCE.md").read_text()
    for path in folder.glob("*.json"):
        assert parse_schema(path.read_text(), path.name).name == path.stem


def test_eight_retired_messages_have_no_versions() -> None:
    messages = [parse_schema(path.read_text(), path.name) for path in SCHEMAS]
    assert len(messages) == 286
    assert len([message for message in messages if not message.versions]) == 8
