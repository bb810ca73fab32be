"""Whoever knows a broker's epoch can ask in its name for a controlled shutdown. The broker comes back by itself."""

from __future__ import annotations

import logging

import pytest

from kafkaproto.messages import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kafkaproto_server.core.controller.values.events import CommandContext
from tests.node.support.nodes import running_nodes
from tests.node.support.waiting import wait_decided
from tests.node.test_death_by_proof import is_serving

pytestmark = pytest.mark.trio


async def test_a_broker_that_others_had_shut_down_serves_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with running_nodes(controllers=1, brokers=1) as nodes:
        _, driver = await nodes.until_active()
        (broker_id,) = nodes.broker_ids
        nodes.start(broker_id)
        await nodes.until(lambda: is_serving(driver.published.image, broker_id))
        epoch = driver.published.image.brokers[broker_id].epoch
        spoofed = BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=epoch,
            current_metadata_offset=driver.published.image.offset,
            want_shut_down=True,
        )
        response = await wait_decided(driver.submit(spoofed, 2, CommandContext()))
        assert isinstance(response, BrokerHeartbeatResponse)
        assert response.should_shut_down
        await nodes.until(lambda: is_serving(driver.published.image, broker_id))
        assert driver.published.image.brokers[broker_id].epoch == epoch
    assert f"broker {broker_id} (epoch {epoch}) asks for a controlled shutdown" in caplog.text
