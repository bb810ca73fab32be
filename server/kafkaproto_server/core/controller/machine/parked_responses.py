"""Parked responses: each waits until the records that it rests on are committed.

Apache Kafka: ``DeferredEventQueue``.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kafkaproto.message import Message
from kafkaproto_server.base.purgatory import Purgatory
from kafkaproto_server.core.controller.values.command import ApiError
from kafkaproto_server.core.controller.values.events import CommandReceived


class ParkedResponse(msgspec.Struct, frozen=True, kw_only=True):
    command: CommandReceived
    response: Message | ApiError
    """The response, or the error by which the command is refused."""
    committed_at: int
    """The high watermark at which the response may leave."""


class ParkedResponses(Purgatory[ParkedResponse]):
    """The purgatory of parked responses. They leave in the order of their commands, unless their time limit passes."""

    __slots__ = ()

    def park(self, result: ParkedResponse) -> None:
        self.add(result, result.command.context.deadline_ms)

    def take_committed(self, high_watermark: int) -> Iterator[ParkedResponse]:
        """Take the responses that the high watermark has reached, in order."""
        # A later command never rests on a lower offset, so the first one that has to wait ends the
        # search.
        return self.take_while(lambda result: result.committed_at <= high_watermark)
