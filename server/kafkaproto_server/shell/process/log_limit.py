"""Limits the log lines that any client can cause: refusals, connections that break the protocol.

Apache Kafka logs each of them. So does this server, up to `LINES_A_SECOND` for each logger; further lines are counted,
and the count is logged. Errors are always logged. A node's messages about itself go to other loggers than those that
its peers cause, so that a flood of the latter does not hide the former.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable

import trio

LINES_A_SECOND = 20
"""Enough to see what happens; a disk takes thousands."""

LIMITED_LOGGERS = (
    "kafkaproto.server.net",
    "kafkaproto.server.net.shortages",
    "kafkaproto.server.http",
    "kafkaproto.server.apis",
    "kafkaproto.server.authorizer",
    "kafkaproto.server.broker_probe",
    "kafkaproto.server.dead_letters",
    "kafkaproto.server.forwarding",
    "kafkaproto.server.producers",
    "kafkaproto.server.quorum.unknown_nodes",
)
"""Loggers whose lines are caused by clients and other peers."""


class LineLimit(logging.Filter):
    """Lets a limited number of lines of one logger pass in a second."""

    def __init__(self, logger: logging.Logger, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._logger = logger
        self._now = now
        self._second = -1
        self._passed = 0
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is to be logged."""
        # Clients cannot cause errors at will. To lose one in a flood would hide a defect.
        if record.levelno >= logging.ERROR:
            return True
        # Here as well: the task below may be late just when there is a flood.
        self.next_second()
        if self._passed < LINES_A_SECOND:
            self._passed += 1
            return True
        self._left_out += 1
        return False

    def next_second(self) -> None:
        """If a second has passed, log how many of its lines were left out."""
        second = int(self._now())
        if second == self._second:
            return
        left_out, self._left_out = self._left_out, 0
        self._second, self._passed = second, 0
        if left_out:
            self._logger.warning("suppressed %d more lines of %s", left_out, self._logger.name)


async def limit_lines(names: Iterable[str] = LIMITED_LOGGERS) -> None:
    """Limit the lines of these loggers until cancelled."""
    loggers = [logging.getLogger(name) for name in names]
    limits = [LineLimit(logger) for logger in loggers]
    for logger, limit in zip(loggers, limits, strict=True):
        logger.addFilter(limit)
    try:
        while True:
            # Without this, the count of a flood that is over would come with the next line, perhaps hours later.
            await trio.sleep(1)
            for limit in limits:
                limit.next_second()
    finally:
        for logger, limit in zip(loggers, limits, strict=True):
            logger.removeFilter(limit)
