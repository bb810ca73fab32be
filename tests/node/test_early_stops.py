"""A node that is told to stop while it starts closes what it has opened: its process may live on and start it again.

Tests: `node.broker`, `node.machine`, `node.node`.
"""

from __future__ import annotations

from typing import Any

import pytest
import trio

from kafkaproto_server.node import node as whole_node
from kafkaproto_server.node.startup import OpenedNode, open_node
from tests.node.support.nodes import running_nodes

pytestmark = pytest.mark.trio


async def test_a_node_that_is_stopped_while_it_opens_its_log_can_start_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def open_and_stop(*arguments: Any, **more: Any) -> OpenedNode:
        trio.from_thread.run_sync(nodes.running[1].node.stop)
        return open_node(*arguments, **more)

    monkeypatch.setattr(whole_node, "open_node", open_and_stop)
    async with running_nodes(controllers=1) as nodes:
        with trio.fail_after(30):
            await nodes.running[1].ended.wait()
        assert not nodes.disks[1].open_files
        monkeypatch.undo()
        nodes.start(1)
        await nodes.until_active()
        await nodes.stop(1)
        assert not nodes.disks[1].open_files
