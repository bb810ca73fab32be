"""The live fuzzer itself, at a listener whose requests are decoded as a node does it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio

from kafkaproto import api
from kafkaproto.connection import UnsupportedApiVersions
from kafkaproto.messages import ApiVersionsResponse
from kafkaproto_server.base.ports import Buffer
from kafkaproto_server.shell.net.connections import ConnectionInfo, Request
from tests.fuzz.live import fuzz_live
from tests.shell.net.support.connections import listening

pytestmark = pytest.mark.trio


def served_versions(api_key: int) -> tuple[int, int] | None:
    info = api.api_by_key(api_key)
    return None if info is None else (info.min_version, info.max_stable_version)


async def serve(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
    await trio.lowlevel.checkpoint()
    if isinstance(request, UnsupportedApiVersions):
        return [bytes.fromhex("0023 00000001 0012 0000 0004")]
    info = api.api_by_key(request.api_key)
    assert info is not None
    info.request_class.decode(request.frame, request.api_version, request.body_offset)
    if request.api_key != 18:
        return [b"decoded"]
    everything = [
        ApiVersionsResponse.ApiVersion(api_key=key, min_version=versions[0], max_version=versions[1])
        for key in api.api_keys()
        if (versions := served_versions(key)) is not None
    ]
    return [ApiVersionsResponse(api_keys=everything).encode(request.api_version)]


@pytest.mark.slow
async def test_a_listener_survives_mutated_requests() -> None:
    async with listening(serve, served_versions=served_versions) as (listener, port):
        report = await trio.to_thread.run_sync(fuzz_live, "127.0.0.1", port, 1, 100)
        assert report.sent == 100
        assert report.checks == 6
        assert 10 < report.answered < 100
        assert listener.statistics().accepted_connections >= 100


async def test_a_server_that_stops_serving_is_caught() -> None:
    served = 0

    async def serve_a_little(request: Request, connection: ConnectionInfo) -> Sequence[Buffer] | None:
        nonlocal served
        served += 1
        if served > 5:
            await trio.sleep_forever()
        return await serve(request, connection)

    def fuzz(port: int) -> None:
        fuzz_live("127.0.0.1", port, 1, 20, timeout_ms=200)

    async with listening(serve_a_little, served_versions=served_versions) as (_, port):
        with pytest.raises(AssertionError, match=r"seed 1: not serving after connection \d+: "):
            await trio.to_thread.run_sync(fuzz, port)
