"""A node through its whole life as its user sees it: first start, controlled stop, restart, kill -9."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from compat.node import Node, combined_properties
from compat.ours import OurNodeWithoutFile
from compat.process import wait_until
from tests.compat.support.nodes import (
    CLUSTER_ID,
    SERVES_TIMEOUT_S,
    SHORT_SESSION,
    create,
    led_topics,
    make_node,
    metadata,
    node_class,
)

pytestmark = pytest.mark.slow

# A JVM ends with 128 + SIGTERM after a controlled shutdown.
EXIT_CODES = {"ours": 0, "stock": 143}


@pytest.fixture
def own_node(tmp_path: Path) -> Iterator[Node]:
    """A running node of the make under test that belongs to one test."""
    node = make_node(node_class(), tmp_path, SHORT_SESSION)
    try:
        node.start()
        yield node
    finally:
        node.close()


def test_a_controlled_stop_ends_well_and_frees_the_ports(own_node: Node) -> None:
    assert own_node.stop() == EXIT_CODES[own_node.kind]
    own_node.start()
    assert metadata(own_node).cluster_id == CLUSTER_ID


def test_topics_and_identity_survive_a_controlled_restart(own_node: Node) -> None:
    create(own_node, "kept")
    before, identity = led_topics(own_node), own_node.meta_properties
    own_node.stop()
    own_node.start()
    wait_until(lambda: led_topics(own_node) == before, SERVES_TIMEOUT_S, "the topics of before the restart")
    assert own_node.meta_properties == identity


def test_topics_and_identity_survive_kill_nine(own_node: Node) -> None:
    create(own_node, "kept")
    before, identity = led_topics(own_node), own_node.meta_properties
    for _ in range(2):
        own_node.kill()
        own_node.start()
        wait_until(lambda: led_topics(own_node) == before, SERVES_TIMEOUT_S, "the topics of before the kill")
    assert own_node.meta_properties == identity
    create(own_node, "later")
    assert led_topics(own_node).keys() == {"kept", "later"}


def test_a_new_voter_needs_neither_a_file_nor_formatting(tmp_path: Path) -> None:
    properties = combined_properties(Path("kafka-data"))
    # Left to the defaults, as a new replica leaves it; only the ports have to be free ones here.
    overrides = {key: properties[key] for key in ("listeners", "controller.quorum.bootstrap.servers")}
    node = OurNodeWithoutFile(tmp_path, {**properties, **overrides}, overrides)
    try:
        node.start()
        told = metadata(node)
        assert node.ready == {
            "node.id": "1",
            "roles": "broker,controller",
            "broker": node.bootstrap_server,
            "controller": node.bootstrap_controller,
            "cluster.id": told.cluster_id,
        }
        assert node.meta_properties["cluster.id"] == told.cluster_id
        assert node.stop() == 0
        node.start()
        assert metadata(node).cluster_id == told.cluster_id
    finally:
        node.close()
