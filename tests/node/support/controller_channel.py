"""In place of the connection to the active controller: scripted responses, and when they were asked for."""

from __future__ import annotations

from dataclasses import dataclass, field

import trio

from kafkaproto.message import Message


@dataclass
class ScriptedChannel:
    """Each request takes the next response, or its error; with none left, it waits for ever."""

    responses: list[Message | Exception] = field(default_factory=list)
    requests: list[Message] = field(default_factory=list)
    asked_ms: list[int] = field(default_factory=list)

    async def send(self, request: Message, *, timeout_ms: int) -> Message:
        self.requests.append(request)
        self.asked_ms.append(now_ms())
        await trio.lowlevel.checkpoint()
        if not self.responses:
            await trio.sleep_forever()
        response = self.responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return response


def now_ms() -> int:
    """Trio's clock, in whole milliseconds that are over."""
    return int(trio.current_time() * 1000 + 1e-6)
