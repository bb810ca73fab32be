"""Producer ids for idempotent producers: the controller hands out blocks, this broker the ids in them (KIP-730).

The next block is asked for before the present one is used up, so that producers rarely wait.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable

import trio

from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.messages import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from kafkaproto_server.shell.to_controller.channel import ControllerChannel, ControllerUnavailable

_log = logging.getLogger("kafkaproto.server.replicas")

PREFETCH_BELOW = 100
"""How few ids may be left before the next block is asked for: a tenth of a block."""
REQUEST_TIMEOUT_MS = 5_000
RETRY_S = 0.1
MAX_WAITING = 10_000
"""Producers beyond these are told to ask again."""

Take = Callable[[int | None], None]


class ProducerIdBlocks:
    """The ids of one broker."""

    def __init__(
        self, broker_id: int, channel: ControllerChannel, broker_epoch: Callable[[], int | None]
    ) -> None:
        self._broker_id = broker_id
        self._channel = channel
        self._broker_epoch = broker_epoch
        self._blocks: deque[range] = deque()
        self._waiting: deque[Take] = deque()
        self._wake = trio.Event()

    def next(self, take: Take) -> None:
        """Call ``take`` with a new id, now or when the next block is here; with None if too many wait for it."""
        if self._blocks:
            take(self._take_id())
        elif len(self._waiting) < MAX_WAITING:
            self._waiting.append(take)
        else:
            # A client may ask for ids as fast as it can: those that wait have a bound, so that nobody fills the
            # broker's memory.
            take(None)
        self._wake.set()

    def _take_id(self) -> int:
        # A range: the rest of it is another range, however many ids it has.
        block = self._blocks.popleft()
        if len(block) > 1:
            self._blocks.appendleft(block[1:])
        return block[0]

    async def run(self) -> None:
        """Ask for blocks when they are needed, until cancelled."""
        while True:
            self._wake = trio.Event()
            # Before the registration the broker has no epoch, and the controller would refuse the request.
            epoch = self._broker_epoch()
            if not self._waiting and (not self._blocks or sum(map(len, self._blocks)) >= PREFETCH_BELOW):
                await self._wake.wait()
            elif epoch is None or not await self._fetch_block(epoch):
                await trio.sleep(RETRY_S)

    async def _fetch_block(self, broker_epoch: int) -> bool:
        request = AllocateProducerIdsRequest(broker_id=self._broker_id, broker_epoch=broker_epoch)
        try:
            response = await self._channel.send(request, timeout_ms=REQUEST_TIMEOUT_MS)
        except ControllerUnavailable as error:
            _log.warning("%s", error)
            return False
        assert isinstance(response, AllocateProducerIdsResponse)
        if response.error_code != ErrorCode.NONE:
            _log.warning("no producer ids: %s", describe(response.error_code).name)
            return False
        first = response.producer_id_start
        # Behind the others: ids of a block that is in use are given first, as Apache Kafka does.
        self._blocks.append(range(first, first + response.producer_id_len))
        # More may wait than the block has. The others wait for the next one.
        while self._waiting and self._blocks:
            self._waiting.popleft()(self._take_id())
        return True
