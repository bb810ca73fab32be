"""A broker that may not be one any more: it ends when it is told to, without a controlled shutdown."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import trio

from kafkaproto.messages import CreateAclsRequest, CreateAclsResponse
from kafkaproto_server.core.controller.values.events import CommandContext
from kafkaproto_server.metadata.security.acls import Operation, PatternType, PermissionType, ResourceType
from kafkaproto_server.node.broker import CONTROLLED_SHUTDOWN_TIMEOUT_MS
from tests.node.support.nodes import running_nodes
from tests.node.support.waiting import wait_decided
from tests.node.test_death_by_proof import is_serving

pytestmark = pytest.mark.trio

AUTHORIZER: dict[str, Any] = {
    "authorizer__class__name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow__everyone__if__no__acl__found": "true",
}
FOR_SOMEBODY_ELSE = CreateAclsRequest(
    creations=[
        CreateAclsRequest.AclCreation(
            resource_type=ResourceType.CLUSTER,
            resource_name="kafka-cluster",
            resource_pattern_type=PatternType.LITERAL,
            principal="User:somebody-else",
            host="*",
            operation=Operation.CLUSTER_ACTION,
            permission_type=PermissionType.ALLOW,
        )
    ]
)


async def test_a_broker_without_cluster_action_goes_at_once(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes(controllers=1, brokers=1, **AUTHORIZER) as nodes:
        _, driver = await nodes.until_active()
        (broker_id,) = nodes.broker_ids
        nodes.start(broker_id)
        await nodes.until(lambda: is_serving(driver.published.image, broker_id))
        created = await wait_decided(driver.submit(FOR_SOMEBODY_ELSE, 3, CommandContext()))
        assert isinstance(created, CreateAclsResponse)
        assert [each.error_code for each in created.results] == [0]
        begin = trio.current_time()
        await nodes.stop(broker_id)
        assert trio.current_time() - begin < CONTROLLED_SHUTDOWN_TIMEOUT_MS / 1000 / 4
    assert "no controlled shutdown: the controller responded CLUSTER_AUTHORIZATION_FAILED" in caplog.text
    # Its fetches are refused as well, which is said once.
    warned = [each.message for each in caplog.records if each.levelno >= logging.WARNING]
    assert len([each for each in warned if "refuses FetchRequest" in each]) <= 1


async def test_a_broker_that_was_never_let_in_goes_at_once(caplog: pytest.LogCaptureFixture) -> None:
    async with running_nodes(controllers=1, brokers=1, **AUTHORIZER) as nodes:
        _, driver = await nodes.until_active()
        await wait_decided(driver.submit(FOR_SOMEBODY_ELSE, 3, CommandContext()))
        (broker_id,) = nodes.broker_ids
        nodes.start(broker_id)
        await nodes.until(lambda: "CLUSTER_AUTHORIZATION_FAILED" in caplog.text)
        begin = trio.current_time()
        await nodes.stop(broker_id)
        assert trio.current_time() - begin < CONTROLLED_SHUTDOWN_TIMEOUT_MS / 1000 / 4
