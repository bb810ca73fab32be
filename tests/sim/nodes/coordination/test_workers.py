"""A transactional producer that begins anew."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import InitProducerIdRequest, InitProducerIdResponse
from tests.sim.nodes.coordination.workers import ReadProcessWrite, RefusedError


class Coordinator:
    """Gives an epoch to whoever asks, and refuses one request."""

    def __init__(self) -> None:
        self.refuses = False
        self.asked: list[tuple[int, int]] = []

    async def ask_coordinator(
        self, _key_type: int, _key: str, request: InitProducerIdRequest, *, version: int
    ) -> InitProducerIdResponse:
        self.asked.append((request.producer_id, request.producer_epoch))
        code = ErrorCode.PRODUCER_FENCED if self.refuses else ErrorCode.NONE
        return InitProducerIdResponse(error_code=code, producer_id=7, producer_epoch=len(self.asked))


@pytest.mark.parametrize(
    ("keeps_id", "asked"),
    [(False, [(-1, -1)] * 4), (True, [(-1, -1), (7, 1), (7, 2), (-1, -1)])],
)
def test_a_worker_may_ask_for_the_next_epoch_of_its_id_until_it_is_refused(
    keeps_id: bool, asked: list[tuple[int, int]]
) -> None:
    coordinator = Coordinator()
    client: Any = SimpleNamespace(ask_coordinator=coordinator.ask_coordinator, name="worker")
    promises: Any = SimpleNamespace(counts=Counter(), initialized=lambda *_: None)
    group: Any = SimpleNamespace(group_id="workers")
    worker = ReadProcessWrite(
        client,
        group,
        random.Random(1),
        promises,
        [],
        transactional_id="worker0",
        adds_itself=False,
        keeps_id=keeps_id,
    )

    async def begin_again_and_again() -> None:
        await worker._init()
        worker._give_up()
        await worker._init()
        worker._give_up()
        coordinator.refuses = True
        with pytest.raises(RefusedError):
            await worker._init()
        worker._give_up()
        coordinator.refuses = False
        await worker._init()

    trio.run(begin_again_and_again)
    assert coordinator.asked == asked
