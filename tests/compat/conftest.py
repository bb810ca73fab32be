"""A running server to ask, shared by the tests that only ask; `support/nodes.py` says which make it is."""

from collections.abc import Iterator

import pytest

from compat.kafka.stock import StockNode
from compat.node import Node
from tests.compat.support.nodes import IMPATIENT, make_node, node_class, topic_name


@pytest.fixture(scope="session")
def shared_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """The node under test, started once; topics on it belong to whoever named them."""
    node = make_node(node_class(), tmp_path_factory.mktemp("node"))
    try:
        node.start()
        yield node
    finally:
        node.close()


@pytest.fixture
def node(shared_node: Node) -> Node:
    """The shared node, checked to be alive still, so that the test that killed it is the one that fails."""
    shared_node.assert_running()
    return shared_node


@pytest.fixture(scope="session")
def rival_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Another node under test, for those that compare whole answers: no other test's topics are on it."""
    node = make_node(node_class(), tmp_path_factory.mktemp("rival"))
    try:
        node.start()
        yield node
    finally:
        node.close()


@pytest.fixture(scope="session")
def stock_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Apache Kafka itself as the oracle, started once."""
    node = make_node(StockNode, tmp_path_factory.mktemp("stock"))
    try:
        node.start()
        yield node
    finally:
        node.close()


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """A topic name that no other test uses."""
    return topic_name(request.node.name)


@pytest.fixture(scope="session")
def impatient_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node that members of groups may have missed soon; programs that keep topics of their own are on it."""
    node = make_node(node_class(), tmp_path_factory.mktemp("impatient"), IMPATIENT)
    try:
        node.start()
        yield node
    finally:
        node.close()
