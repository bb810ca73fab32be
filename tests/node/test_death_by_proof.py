"""A broker that dies, among whole nodes: it is fenced long before its session of nine seconds is over."""

from __future__ import annotations

import time

import pytest
import trio

from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.driver import QuorumDriver
from tests.node.support.nodes import Nodes, running_nodes

pytestmark = [pytest.mark.trio, pytest.mark.slow]

SOON_S = 1.5
"""A proof takes a quarter of a second; all nodes share one loop here."""


def is_serving(image: ClusterImage, broker_id: int) -> bool:
    broker = image.brokers.get(broker_id)
    return broker is not None and not broker.fenced


async def until_met(nodes: Nodes, driver: QuorumDriver, *broker_ids: int) -> None:
    """Wait until the active controller's node has been accepted by each broker, and has heard of it."""

    def are_met() -> bool:
        active = nodes.active()
        probe = None if active is None else nodes.running[active].node._probe
        if probe is None:
            return False
        known = [probe._brokers.get(broker_id) for broker_id in broker_ids]
        heard = driver.published.active_epoch
        return all(each is not None and each.has_accepted and each.heard_in_epoch == heard for each in known)

    await nodes.until(are_met)


async def test_a_dead_broker_is_fenced_at_once_and_its_next_life_need_not_wait() -> None:
    async with running_nodes(controllers=1, brokers=2) as nodes:
        _, driver = await nodes.until_active()
        dying, living = nodes.broker_ids
        nodes.start(dying, living)
        await until_met(nodes, driver, dying, living)
        with trio.fail_after(SOON_S):
            await nodes.crash(dying)
            await nodes.until(lambda: not is_serving(driver.published.image, dying))
        assert is_serving(driver.published.image, living)
        assert driver.failed_brokers == 1
        epoch = driver.published.image.brokers[dying].epoch
        with trio.fail_after(5):
            nodes.start(dying)
            await nodes.until(lambda: is_serving(driver.published.image, dying))
        assert driver.published.image.brokers[dying].epoch > epoch
        assert driver.failed_brokers == 1


async def test_where_the_key_says_so_the_session_decides_alone() -> None:
    async with running_nodes(
        controllers=1, brokers=1, broker__death__proof__enable="false", broker__session__timeout__ms="2000"
    ) as nodes:
        _, driver = await nodes.until_active()
        (broker_id,) = nodes.broker_ids
        nodes.start(broker_id)
        await nodes.until(lambda: is_serving(driver.published.image, broker_id))
        await nodes.crash(broker_id)
        await trio.sleep(0.8)
        assert is_serving(driver.published.image, broker_id)
        await nodes.until(lambda: not is_serving(driver.published.image, broker_id))
        assert driver.failed_brokers == 0


async def test_a_controller_that_did_not_run_for_a_session_fences_nobody() -> None:
    session_ms = 1_500
    async with running_nodes(
        controllers=1,
        brokers=1,
        broker__session__timeout__ms=str(session_ms),
        broker__heartbeat__interval__ms="300",
    ) as nodes:
        _, driver = await nodes.until_active()
        (broker_id,) = nodes.broker_ids
        nodes.start(broker_id)
        await until_met(nodes, driver, broker_id)
        fenced_at: list[int] = []

        async def watch() -> None:
            while True:
                changed, image = driver.published.changed, driver.published.image
                if not is_serving(image, broker_id):
                    fenced_at.append(image.offset)
                await changed.wait()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch)
            await trio.sleep(0.1)
            # All stand still, and all go on; what the broker sends then arrives after the controller has woken up.
            time.sleep(2 * session_ms / 1000)
            await trio.sleep(session_ms / 1000)
            nursery.cancel_scope.cancel()
        assert fenced_at == []


async def test_brokers_that_change_controllers_are_not_taken_for_dead() -> None:
    async with running_nodes(controllers=3, brokers=2) as nodes:
        active, driver = await nodes.until_active()
        nodes.start(*nodes.broker_ids)
        await until_met(nodes, driver, *nodes.broker_ids)
        await nodes.crash(active)
        _, successor = await nodes.until_active(other_than=[active])
        await until_met(nodes, successor, *nodes.broker_ids)
        assert successor.failed_brokers == 0
        # Under the new one they can die as well.
        with trio.fail_after(SOON_S):
            await nodes.crash(nodes.broker_ids[0])
            await nodes.until(lambda: not is_serving(successor.published.image, nodes.broker_ids[0]))
        assert successor.failed_brokers == 1
