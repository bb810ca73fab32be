"""Limits of connections that change at run time."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from immutables import Map

from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE
from kafkaproto_server.metadata.image.image import EMPTY_IMAGE, ClusterImage
from kafkaproto_server.shell.net.admission import UNLIMITED, Admission, AdmissionLimits
from kafkaproto_server.shell.serving.connection_limits import ConnectionLimits
from kafkaproto_server.shell.serving.throttling import Throttling

pytestmark = pytest.mark.trio
ADDRESS = "192.0.2.1"


def image(**configs: Mapping[str, str]) -> ClusterImage:
    """Configs of all brokers (``all``) and of broker 1 (``own``), with underscores for dots."""

    def config(resource_type: int, name: str) -> Mapping[str, str]:
        assert resource_type == BROKER_RESOURCE
        return found["all" if name == "" else "own"]

    found = {each: Map(configs.get(each, {})) for each in ("all", "own")}
    return cast(ClusterImage, SimpleNamespace(config=config, client_quotas={}))


class Node:
    """A node with two listeners, whose metadata change."""

    def __init__(self, nursery: trio.Nursery, **static: str) -> None:
        self.admission = Admission(AdmissionLimits(per_address={ADDRESS: 7}))
        self.inside = self.admission.door("INSIDE", ListenerKind.BROKER)
        self.outside = self.admission.door("OUTSIDE", ListenerKind.BROKER)
        self.looked_up: list[str] = []
        self.published = SimpleNamespace(image=image(), changed=trio.Event())
        configs = InheritedConfigs({key.replace("_", "."): value for key, value in static.items()}, 1)
        limits = ConnectionLimits(
            self.admission, configs, "", ["INSIDE", "OUTSIDE"], cast(Any, SimpleNamespace(run=self.run))
        )
        throttling = Throttling(RateWindows(1, 1), lambda: 0)
        throttling.also = limits.use
        nursery.start_soon(throttling.run, cast(Any, self.published))

    async def run(self, function: Any) -> Any:
        await trio.lowlevel.checkpoint()
        self.looked_up.append(function.args[0])
        return function()

    async def becomes(self, **configs: Mapping[str, str]) -> None:
        changed, self.published.changed = self.published.changed, trio.Event()
        self.published.image = image(**configs)
        changed.set()
        await trio.testing.wait_all_tasks_blocked()


async def test_limits_follow_the_metadata_and_go_back_to_the_properties() -> None:
    async with trio.open_nursery() as nursery:
        node = Node(nursery, max_connections="50", listener_name_inside_max_connections="5")
        await trio.testing.wait_all_tasks_blocked()
        limits = node.admission.limits
        assert (limits.max_connections, limits.max_per_address) == (50, UNLIMITED)
        assert (node.inside._max_connections, node.outside._max_connections) == (5, UNLIMITED)
        await node.becomes(
            all={"max.connections": "40", "max.connections.per.ip": "4"},
            own={"max.connections": "30", "listener.name.outside.max.connections": "3"},
        )
        limits = node.admission.limits
        assert (limits.max_connections, limits.max_per_address) == (30, 4)
        assert (node.inside._max_connections, node.outside._max_connections) == (5, 3)
        await node.becomes()
        assert node.admission.limits.max_connections == 50
        assert (node.inside._max_connections, node.outside._max_connections) == (5, UNLIMITED)
        # Nobody looked for addresses: the overrides were the same.
        assert (node.looked_up, node.admission.limits.per_address) == ([], {ADDRESS: 7})
        nursery.cancel_scope.cancel()


async def test_rates_follow_the_metadata(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        node = Node(nursery)
        await node.becomes(own={"max.connection.creation.rate": "2"})
        for _ in range(2):
            await node.inside.wait_for_room()
        assert trio.current_time() == 0
        await node.inside.wait_for_room()
        assert trio.current_time() == 0.5
        await node.becomes(own={"listener.name.outside.max.connection.creation.rate": "1"})
        for _ in range(9):
            await node.inside.wait_for_room()
        assert trio.current_time() == 0.5
        for _ in range(2):
            await node.outside.wait_for_room()
        assert trio.current_time() == 1.5
        nursery.cancel_scope.cancel()


async def test_overrides_of_addresses_are_looked_up_once_they_change(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with trio.open_nursery() as nursery:
        node = Node(nursery)
        await node.becomes(own={"max.connections.per.ip.overrides": "192.0.2.9:2"})
        assert node.admission.limits.per_address == {"192.0.2.9": 2}
        await node.becomes(own={"max.connections.per.ip.overrides": "192.0.2.9:2", "max.connections": "9"})
        assert node.looked_up == ["192.0.2.9:2"]
        # A host without an address changes nothing, and is told; so is what cannot be the name of one.
        for name in ("nowhere.invalid", "a..b", 64 * "a"):
            await node.becomes(own={"max.connections.per.ip.overrides": f"{name}:2"})
            assert node.admission.limits.per_address == {"192.0.2.9": 2}
            assert name in caplog.text
        nursery.cancel_scope.cancel()


async def test_the_same_configs_are_not_looked_at_again() -> None:
    async with trio.open_nursery() as nursery:
        node = Node(nursery)
        await trio.testing.wait_all_tasks_blocked()
        before = node.admission.limits
        node.published.image = EMPTY_IMAGE
        changed, node.published.changed = node.published.changed, trio.Event()
        changed.set()
        await trio.testing.wait_all_tasks_blocked()
        assert node.admission.limits == before
        nursery.cancel_scope.cancel()
