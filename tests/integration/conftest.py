"""A node of ours as a process of its own, started by the command line that a user has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from compat.node import combined_properties
from compat.ours import OurNode

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"


def make_node(directory: Path, **more: str) -> OurNode:
    """A formatted node that is not started; ``more`` are properties with underscores for dots."""
    properties = combined_properties(directory / "data")
    properties.update({key.replace("_", "."): value for key, value in more.items()})
    node = OurNode(directory, properties)
    node.format(CLUSTER_ID)
    return node


@pytest.fixture
def node(tmp_path: Path) -> Iterator[OurNode]:
    """A running node on an empty, formatted directory, started by its command."""
    running = make_node(tmp_path)
    running.starts_by_command = True
    try:
        running.start()
        yield running
    finally:
        running.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OurNode]:
    """A running node for tests that leave it as it was; that it still runs is checked at the end."""
    running = make_node(tmp_path_factory.mktemp("node"))
    try:
        running.start()
        yield running
        running.assert_running()
    finally:
        running.close()
