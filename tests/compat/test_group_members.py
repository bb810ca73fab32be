"""Clients in other languages share their groups' partitions while members come, die and leave.

The groups' coordinator dies as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs.group_clients import CLIENTS, run
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.clients, pytest.mark.slow]


def test_members_of_every_client_lose_and_repeat_nothing(tmp_path: Path) -> None:
    run(tmp_path, tuple(CLIENTS), rounds=1, tell=in_silence)
