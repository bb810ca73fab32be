"""When the epochs that a replica knows count as wrong."""

from __future__ import annotations

import pytest

from tests.sim.nodes.data.epochs import Entries, wrong_epochs
from tests.sim.nodes.data.logs import Batch


def batch(base: int, epoch: int) -> Batch:
    """Five records."""
    return Batch(base, base + 5, epoch, base, (-1, -1), -1, 5, False)


BATCHES = [batch(0, 1), batch(5, 1), batch(10, 3)]


@pytest.mark.parametrize(
    ("entries", "log_start"),
    [
        ([(1, 0), (3, 10)], 0),
        ([(1, 0), (3, 10), (6, 15)], 0),
        ([(1, 7), (3, 10)], 7),
        ([(3, 12)], 12),
        ([(3, 15)], 15),
        ([], 15),
    ],
    ids=["all", "one without records", "within a batch", "within the last", "an empty log", "nothing"],
)
def test_epochs_are_those_of_the_batches(entries: Entries, log_start: int) -> None:
    assert wrong_epochs(entries, BATCHES, log_start) is None


@pytest.mark.parametrize(
    ("entries", "log_start"),
    [
        ([(1, 0), (4, 10)], 0),
        ([(1, 0), (3, 9)], 0),
        ([(1, 0)], 0),
        ([(1, 0), (2, 5), (3, 10)], 0),
        ([(1, 0), (3, 10)], 7),
    ],
    ids=["another", "elsewhere", "one is missing", "one too many", "before the start"],
)
def test_other_epochs_are_wrong(entries: Entries, log_start: int) -> None:
    assert wrong_epochs(entries, BATCHES, log_start) is not None
