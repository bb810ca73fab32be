"""Stock controllers and one of ours in one quorum: whoever leads may die, and nothing that was acknowledged is lost.

`bin/compat mixed` is the same at length, with static voters and snapshots, too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs import mixed, mixed_releases
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


def test_each_make_leads_dies_and_changes_the_voters(tmp_path: Path) -> None:
    outcome = mixed.run(tmp_path, stock=2, kraft_version=1, tell=in_silence, times_each=1, snapshots=())
    assert min(outcome.killed_while_leading.values()) >= 1
    assert min(outcome.stopped_while_leading.values()) >= 1
    assert len(outcome.voters_changed) == 8
    assert outcome.writes


def test_a_voter_of_an_older_release_holds_the_level_back(tmp_path: Path) -> None:
    result = mixed_releases.run(tmp_path, tell=in_silence)
    assert set(result.refused) == {mixed_releases.NEWEST, mixed_releases.OLD, mixed_releases.OURS}
    assert all("metadata.version" in text for text in result.refused.values())
    assert len(result.unregistered) == 2
    assert result.quorum.writes
