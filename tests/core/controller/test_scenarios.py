"""Every file of ``data/`` is a scenario; ``support/scenario`` names the commands.

Tests: `core.controller.commands.unregister_controller`, `core.controller.values.effects`,
`core.controller.values.events`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.controller.support.scenario import Runner
from tests.support.scenarios import check_file

_FILES = sorted((Path(__file__).parent / "data").glob("*.txt"))


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_a_scenario_prints_what_its_file_says(path: Path) -> None:
    check_file(path, Runner())


def test_there_are_scenarios() -> None:
    assert len(_FILES) > 5
