"""Where replicas are, for the trials of directories."""

from __future__ import annotations

from kafkaproto_server.metadata.image.entries import PartitionImage
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.directories.trials import placed_in

A, B = b"a" * 16, b"b" * 16
T: Place = ("t", 0)


def partition(**directories: bytes) -> PartitionImage:
    """Replicas by broker id."""
    replicas = tuple(int(each.removeprefix("on_")) for each in directories)
    return PartitionImage(replicas=replicas, directories=tuple(directories.values()), isr=replicas)


def test_what_a_node_has_in_a_directory() -> None:
    partitions = [(T, partition(on_4=A, on_5=B)), (("t", 1), partition(on_4=B, on_5=A))]
    assert placed_in(partitions, 4, A) == [T]
    assert placed_in(partitions, 4, b"c" * 16) == []


def test_a_controller_has_no_replicas_in_its_directories() -> None:
    assert placed_in([(T, partition(on_4=A, on_5=B))], 1, A) == []
