"""Answers that wait until what they speak of is committed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kafkaproto.message import Message
from kafkaproto_server.controller.values.command import ApiError
from kafkaproto_server.controller.values.events import CommandReceived
from kafkaproto_server.purgatory import Purgatory


class ParkedReply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that waits."""

    command: CommandReceived
    response: Message | ApiError
    """Or why the command is refused."""
    committed_at: int
    """The high watermark at which the answer may leave."""


class ParkedReplies(Purgatory[ParkedReply]):
    """All answers that wait. None leaves before those whose commands came earlier, unless its time is over."""

    __slots__ = ()

    def park(self, reply: ParkedReply) -> None:
        """Add an answer."""
        self.add(reply, reply.command.context.deadline_ms)

    def take_committed(self, high_watermark: int) -> Iterator[ParkedReply]:
        """Take those that the high watermark has reached, in order."""
        return self.take_while(lambda reply: reply.committed_at <= high_watermark)
