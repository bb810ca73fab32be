"""More connections than a node has file descriptors, from somebody who never says a word."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from compat.node import combined_properties
from compat.ours import BIN, OurNode
from compat.process import ServerProcess, wait_until
from kafkaproto.client import parse_servers
from kafkaproto.messages import DescribeClusterRequest, DescribeClusterResponse
from tests.integration.conftest import CLUSTER_ID
from tests.integration.support.asking import connect, create_topic, topics

DESCRIPTORS = 256
CONNECTIONS = 400
OWN_CONNECTIONS = 4
"""As many as a node may have to itself."""
SNAPSHOT_BYTES = 500


class ShortNode(OurNode):
    """A node with few file descriptors."""

    def _spawn(self, log_prefix: Path) -> ServerProcess:
        limited = ["sh", "-c", f'ulimit -n {DESCRIPTORS} && exec "$@"', "sh"]
        command = [*limited, str(BIN / "kafka-server-start"), *self._arguments()]
        return ServerProcess(command, log_prefix, self.directory, {})


@pytest.fixture
def node(tmp_path: Path) -> Iterator[ShortNode]:
    properties = combined_properties(tmp_path / "data")
    properties["metadata.log.max.record.bytes.between.snapshots"] = str(SNAPSHOT_BYTES)
    running = ShortNode(tmp_path, properties)
    running.format(CLUSTER_ID)
    try:
        running.start()
        yield running
    finally:
        running.close()


def snapshots(node: OurNode) -> list[Path]:
    """Those that the node wrote itself."""
    return [path for path in node.directory.glob("data/*/*.checkpoint") if not path.name.startswith("0" * 20)]


def test_as_many_connections_as_the_node_says_are_served(node: ShortNode) -> None:
    line = node.process.wait_for_line(node.process.err_path, "up to ", 20)
    found = re.search(r"up to (\d+) connections", line)
    assert found is not None
    capacity = int(found[1])
    # Each kind of listener may have three quarters.
    counts = {"broker": capacity // 2, "controller": capacity - capacity // 2 - OWN_CONNECTIONS}
    with ExitStack() as stack:
        clients = [
            stack.enter_context(connect(node.ready[kind]))
            for kind, count in counts.items()
            for _ in range(count)
        ]
        for client in clients:
            assert isinstance(client.send(DescribeClusterRequest()), DescribeClusterResponse)


@pytest.mark.parametrize("listener", ["broker", "controller"])
def test_idle_connections_beyond_all_descriptors_stop_nothing(node: ShortNode, listener: str) -> None:
    ((host, port),) = parse_servers(node.ready[listener])
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            unknown_node = stack.enter_context(socket.socket())
            unknown_node.setblocking(False)
            unknown_node.connect_ex((host, port))
        for number in range(20):
            for kind in ("broker", "controller"):
                with connect(node.ready[kind]) as client:
                    assert client.api_versions.error_code == 0
            assert create_topic(node.ready["broker"], f"topic-{number}").error_code == 0
        wait_until(lambda: bool(snapshots(node)), 20, "a snapshot")
        assert len(topics(node.ready["broker"])) == 20
        descriptors = len(list(Path(f"/proc/{node.process.pid}/fd").iterdir()))
        assert descriptors < DESCRIPTORS
        node.assert_running()
    assert node.process.terminate(20) == 0
