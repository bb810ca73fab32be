"""Other brokers that nothing is really sent to."""

from __future__ import annotations

from collections.abc import Callable

from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.shell.coordinators.broker_requests import OtherBrokers
from kafkaproto_server.shell.net.streams import OutboundStream
from tests.core.controller.support.harness import SeededRng


async def no_connection(host: str, port: int) -> OutboundStream:
    """In place of `Connect`. Raises AssertionError."""
    raise AssertionError(f"nobody is asked at {host}:{port}")


def other_brokers(
    broker_id: int,
    *,
    endpoint: Callable[[int], Endpoint | None] = lambda broker_id: None,
    timeout_ms: int = 1000,
) -> OtherBrokers:
    """The others of a broker. All connections fail."""
    return OtherBrokers(
        broker_id=broker_id,
        endpoint=endpoint,
        rng=SeededRng(),
        connect=no_connection,
        timeout_ms=lambda: timeout_ms,
    )
