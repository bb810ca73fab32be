"""One line each. The scenarios show effects and states; here are the events, and lines that no scenario prints."""

from __future__ import annotations

import pytest

from server.raft.describe import describe_effects, describe_event
from server.raft.effects import Effects
from server.raft.events import AppendRequested, Event, Opened, Persisted, ShutdownRequested, Tick
from server.raft.log_index import EpochStart
from server.types import OffsetAndEpoch
from tests.raft.machine import bootstrap_records, voter


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            Opened(
                log_start_offset=5,
                log_end_offset=9,
                epoch_starts=(EpochStart(epoch=2, start_offset=5), EpochStart(epoch=4, start_offset=8)),
                snapshot=OffsetAndEpoch(offset=5, epoch=1),
                control_records=bootstrap_records(voter(1), voter(2))[1:],
            ),
            "opened log=5..9 epoch 2@5 epoch 4@8 snapshot=5-1 KRAFT_VOTERS([1/d001@CONTROLLER=127.0.0.1:9093,"
            " 2/d002@CONTROLLER=127.0.0.1:9093])@-1 no quorum-state",
        ),
        (
            AppendRequested(epoch=2, base_offset=7, records=(b"ab", b"c"), atomic=False),
            "append requested epoch=2 base=7 records=2 bytes=3 not atomic",
        ),
        (Persisted(number=3), "persisted #3"),
        (Tick(), "tick"),
        (ShutdownRequested(), "shutdown requested"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_event(event: Event, line: str) -> None:
    assert describe_event(event) == line


def test_effects_without_content() -> None:
    assert describe_effects(Effects(number=1)) == "#1 -"
