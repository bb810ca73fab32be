"""Every file of ``data/`` is a scenario; ``support/scenario`` names the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.raft.support.scenario import Runner
from tests.support.scenarios import check_file

FILES = sorted((Path(__file__).parent / "data").glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario_prints_what_its_file_says(path: Path) -> None:
    check_file(path, Runner())


def test_a_scenario_that_prints_something_else_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REWRITE_SCENARIOS", raising=False)
    path = tmp_path / "wrong.txt"
    path.write_text("start\n----\nopened elsewhere\n")
    with pytest.raises(AssertionError, match="something else"):
        check_file(path, Runner())


def test_rewriting_replaces_only_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "stale.txt"
    path.write_text("# why\n\n# what\nstart\n----\nstale\n")
    monkeypatch.setenv("REWRITE_SCENARIOS", "1")
    with pytest.raises(AssertionError, match="something else"):
        check_file(path, Runner())
    assert path.read_text() == "# why\n\n# what\nstart\n----\nopened log=0..0 no quorum-state\n"
    check_file(path, Runner())
