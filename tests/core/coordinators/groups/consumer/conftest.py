"""Epochs begin with 1 here, as in the examples of KIP-848."""

from __future__ import annotations

import pytest

from kafkaproto_server.core.coordinators.groups.consumer import heartbeat


@pytest.fixture(autouse=True)
def epochs_begin_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups have 1 as their first epoch."""
    monkeypatch.setattr(heartbeat, "FIRST_EPOCH", 1)
