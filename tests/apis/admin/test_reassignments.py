"""ListPartitionReassignments: what is being reassigned.

Tests: `apis.admin.alter_partition_reassignments`, `apis.admin.list_partition_reassignments`.
"""

from __future__ import annotations

import pytest

from kafkaproto.messages import ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.apis.support.services import ask
from tests.core.controller.commands.test_reassignments import request
from tests.core.controller.support.harness import Harness

Asked = ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics
Shown = dict[tuple[str, int], tuple[list[int], list[int], list[int]]]


@pytest.fixture(scope="module")
def image() -> ClusterImage:
    """b-0, b-2 and a-0 are being reassigned; b-1 and c-0 are not."""
    harness = Harness()
    harness.start_brokers(1, 2, 3)
    harness.create_topic("b", [1, 2], [1, 2], [1, 2])
    harness.create_topic("a", [1])
    harness.create_topic("c", [1])
    harness.call(request(("b", 2, [3, 1]), ("b", 0, [2, 3]), ("a", 0, [1, 2])))
    return harness.controller.committed_image


def listed(image: ClusterImage, *topics: tuple[str, list[int]], everything: bool = False) -> Shown:
    """(replicas, adding, removing) by partition, in the order of the answer."""
    asked = [Asked(name=name, partition_indexes=indexes) for name, indexes in topics]
    response = ask(
        ListPartitionReassignmentsRequest(topics=None if everything else asked),
        0,
        image,
        kind=ListenerKind.CONTROLLER,
        listener_name="CONTROLLER",
    )
    assert isinstance(response, ListPartitionReassignmentsResponse)
    assert (response.error_code, response.error_message) == (0, None)
    return {
        (topic.name, each.partition_index): (each.replicas, each.adding_replicas, each.removing_replicas)
        for topic in response.topics
        for each in topic.partitions
    }


def test_all_of_them_come_in_order_with_what_is_added_and_what_is_to_go(image: ClusterImage) -> None:
    shown = listed(image, everything=True)
    assert list(shown.items()) == [
        (("a", 0), ([1, 2], [2], [])),
        (("b", 0), ([2, 3, 1], [3], [1])),
        (("b", 2), ([3, 1, 2], [3], [2])),
    ]


def test_some_can_be_asked_for(image: ClusterImage) -> None:
    assert [*listed(image, ("b", [2, 1, 0]))] == [("b", 0), ("b", 2)]
    assert [*listed(image, ("b", [2]), ("a", [0]), ("b", [2, 0]))] == [("a", 0), ("b", 0), ("b", 2)]
    assert listed(image, ("c", [0]), ("b", [1])) == {}


def test_what_does_not_exist_is_left_out(image: ClusterImage) -> None:
    assert [*listed(image, ("x", [0]), ("a", [-1, 0, 7]), ("", [0]))] == [("a", 0)]


def test_nothing_asked_for_is_nothing_answered(image: ClusterImage) -> None:
    assert listed(image) == {}
    assert listed(image, ("a", [])) == {}
