"""What a client leaves behind that ends while it connects."""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from kafkaproto_server.shell.net.network import SocketOptions
from tests.sim.nodes.data.link import CONNECT_S, Link, LinkLostError
from tests.sim.nodes.host import BROKER_PORT
from tests.sim.nodes.network import NetHost
from tests.sim.nodes.two_machines import play


@pytest.mark.parametrize("ends_after_s", [0.5 * CONNECT_S, 2 * CONNECT_S])
def test_no_connection_is_left_of_a_client_whose_broker_is_silent(ends_after_s: float) -> None:
    async def scene(client: NetHost, broker: NetHost) -> None:
        await broker.listen(broker.name, BROKER_PORT, SocketOptions())
        host: Any = SimpleNamespace(net=broker, life=1)
        with trio.move_on_after(ends_after_s) as life, suppress(LinkLostError):
            await Link.connect(client, host)
        assert life.cancelled_caught is (ends_after_s < CONNECT_S)
        assert not client.streams

    play(scene)
