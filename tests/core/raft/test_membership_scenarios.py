"""Every file of ``data/voters/`` is a scenario; ``support/voters_scenario`` names the commands.

Tests: `core.raft.roles.election`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.raft.support.voters_scenario import VotersRunner
from tests.support.scenarios import check_file

FILES = sorted((Path(__file__).parent / "data" / "voters").glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario_prints_what_its_file_says(path: Path) -> None:
    check_file(path, VotersRunner())
