"""The same administrators' requests to Apache Kafka's controller and to ours: codes and the final state agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.admin_difference.compare import Operation, run
from compat.admin_difference.draw import BROKERS
from compat.admin_difference.generate import operations
from compat.admin_difference.settings_requests import REQUESTS
from compat.admin_difference.state import State
from kafkaproto.messages import AllocateProducerIdsRequest

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

OPERATIONS = 500


@pytest.mark.parametrize("seed", [32, 33, 34])
def test_the_controllers_agree(seed: int, tmp_path: Path) -> None:
    outcome = run(operations(seed, OPERATIONS), tmp_path, most_differences=5)
    assert not outcome.differences, "\n".join(map(str, outcome.differences))
    assert not outcome.not_served
    compared = sum(outcome.responses.values()) + sum(outcome.explained.values())
    assert compared == OPERATIONS
    refused = sum(count for name, count in outcome.responses.items() if name.endswith("refused"))
    assert OPERATIONS / 5 < refused < OPERATIONS * 4 / 5, outcome.responses
    assert outcome.entries > len(REQUESTS)


def test_a_difference_is_found_and_named(tmp_path: Path) -> None:
    built: list[int] = []

    def build(state: State) -> AllocateProducerIdsRequest:
        # Whoever is asked second is told an epoch that is wrong.
        built.append(state.broker_epochs[BROKERS[0]])
        return AllocateProducerIdsRequest(broker_id=BROKERS[0], broker_epoch=built[-1] + len(built) - 1)

    (found,) = run([*operations(1, 2), Operation("apart", build)], tmp_path).differences
    assert found.number == 2
    assert [key for key, _, _ in found.states] == [("producer ids",)]
    assert "STALE_BROKER_EPOCH" in str(found)
