"""Answers that wait until what they speak of is committed."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator

import msgspec

from kafkaproto.message import Message
from kafkaproto_server.controller.values.command import ApiError
from kafkaproto_server.controller.values.events import CommandReceived


class ParkedReply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that waits."""

    command: CommandReceived
    response: Message | ApiError
    """Or why the command is refused."""
    committed_at: int
    """The high watermark at which the answer may leave."""


class ParkedReplies:
    """All answers that wait, in the order in which their commands came.

    Each is taken once: when the high watermark reaches it, when its command's time limit has passed, or when
    all are taken at once.
    """

    __slots__ = ("_by_deadline", "_next_number", "_order", "_waiting")

    def __init__(self) -> None:
        # The two queues may name answers that were taken already; they are passed over when met.
        self._waiting: dict[int, ParkedReply] = {}
        self._order: deque[int] = deque()
        self._by_deadline: list[tuple[int, int]] = []
        self._next_number = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def park(self, reply: ParkedReply) -> None:
        """Add an answer; it may not leave before those that were parked earlier."""
        number = self._next_number
        self._next_number += 1
        self._waiting[number] = reply
        self._order.append(number)
        deadline_ms = reply.command.context.deadline_ms
        if deadline_ms is not None:
            heapq.heappush(self._by_deadline, (deadline_ms, number))

    def take_committed(self, high_watermark: int) -> Iterator[ParkedReply]:
        """Take those that the high watermark has reached, in order."""
        while self._order:
            reply = self._waiting.get(self._order[0])
            if reply is not None and reply.committed_at > high_watermark:
                return
            number = self._order.popleft()
            if reply is not None:
                del self._waiting[number]
                yield reply

    def take_expired(self, now_ms: int) -> Iterator[ParkedReply]:
        """Take those whose time limit has passed, the earliest limit first; their answers are void."""
        while (deadline_ms := self.next_deadline_ms()) is not None and deadline_ms <= now_ms:
            _, number = heapq.heappop(self._by_deadline)
            yield self._waiting.pop(number)

    def take_all(self) -> Iterator[ParkedReply]:
        """Take every one, in order; their answers are void."""
        while self._order:
            reply = self._waiting.pop(self._order.popleft(), None)
            if reply is not None:
                yield reply

    def next_deadline_ms(self) -> int | None:
        """The earliest time limit, None where no answer that waits has one."""
        while self._by_deadline and self._by_deadline[0][1] not in self._waiting:
            heapq.heappop(self._by_deadline)
        return self._by_deadline[0][0] if self._by_deadline else None
