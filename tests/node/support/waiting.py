"""Waiting, under trio, for what the pure rooms decide later."""

from __future__ import annotations

from typing import TypeVar

import trio

from kafkaproto_server.base.later import Deferred

T = TypeVar("T")


async def wait_decided(deferred: Deferred[T]) -> T:
    """The value of a Deferred, once it is decided."""
    decided = trio.Event()
    values: list[T] = []

    def take(value: T) -> None:
        values.append(value)
        decided.set()

    deferred.on_done(take)
    await decided.wait()
    return values[0]
