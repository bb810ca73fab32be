"""Clients in other languages share their groups' partitions while members come, die and leave.

The groups' coordinator dies as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.runs.group_clients import CLIENTS, run
from compat.runs.telling import in_silence

pytestmark = [pytest.mark.clients, pytest.mark.slow]


TOGETHER = [("kafkajs", "franz-go", "franz-go-consumer"), ("kafka-python", "aiokafka", "franz-go-copy")]


@pytest.mark.parametrize("names", TOGETHER, ids=",".join)
def test_members_lose_and_repeat_nothing(names: tuple[str, ...], tmp_path: Path) -> None:
    run(tmp_path, names, rounds=1, tell=in_silence)


def test_every_client_has_a_turn() -> None:
    assert sorted(name for names in TOGETHER for name in names) == sorted(CLIENTS)
