"""DescribeCluster where the recording of test_stock_answers.py does not reach.

Tests: `apis.cluster.describe_cluster`, `apis.cluster.shown_controller`.
"""

from __future__ import annotations

import pytest
from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeClusterRequest, DescribeClusterResponse
from kafkaproto_server.apis.cluster.describe_cluster import BROKERS, CONTROLLERS
from kafkaproto_server.base.types import Endpoint, LeaderAndEpoch, ListenerKind
from kafkaproto_server.metadata.image.entries import ControllerRegistration
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.apis.support.services import CLUSTER_ID, ask, golden

IMAGE = golden().image


def controllers(
    image: ClusterImage, leader_id: int, listener_name: str = "CONTROLLER"
) -> DescribeClusterResponse:
    response = ask(
        DescribeClusterRequest(endpoint_type=CONTROLLERS),
        2,
        image,
        kind=ListenerKind.CONTROLLER,
        listener_name=listener_name,
        leader=lambda: LeaderAndEpoch(leader_id=leader_id, epoch=1),
    )
    assert isinstance(response, DescribeClusterResponse)
    return response


def image_with_controllers(metadata_version: int, **endpoints: tuple[str, ...]) -> ClusterImage:
    """Controllers c1, c2, ... with listeners of these names."""
    return ClusterImage(
        features=Map({"metadata.version": metadata_version}),
        controllers=Map(
            {
                int(name[1:]): ControllerRegistration(
                    controller_id=int(name[1:]),
                    incarnation_id=bytes(16),
                    endpoints=tuple(Endpoint(name=each, host=f"{name}.{each}", port=9) for each in names),
                    features=(),
                )
                for name, names in endpoints.items()
            }
        ),
    )


def test_a_controller_lists_those_that_have_the_listener_it_was_asked_on() -> None:
    image = image_with_controllers(15, c3=("INSIDE", "CONTROLLER"), c1=("CONTROLLER",), c2=("INSIDE",))
    response = controllers(image, leader_id=3)
    assert [(node.broker_id, node.host, node.rack, node.is_fenced) for node in response.brokers] == [
        (1, "c1.CONTROLLER", None, False),
        (3, "c3.CONTROLLER", None, False),
    ]
    assert (response.controller_id, response.endpoint_type, response.cluster_id) == (
        3,
        CONTROLLERS,
        CLUSTER_ID,
    )
    assert [node.broker_id for node in controllers(image, 3, "INSIDE").brokers] == [2, 3]


@pytest.mark.parametrize("leader_id", [-1, 2, 9])
def test_a_leader_that_is_unknown_or_not_in_the_list_is_not_named(leader_id: int) -> None:
    image = image_with_controllers(30, c1=("CONTROLLER",), c2=("INSIDE",))
    assert controllers(image, leader_id).controller_id == -1


def test_before_controllers_register_they_cannot_be_described() -> None:
    response = controllers(image_with_controllers(14, c1=("CONTROLLER",)), leader_id=1)
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert "3.7-IV0" in (response.error_message or "")
    assert response.brokers == []


def test_a_broker_names_itself_as_controller_while_it_is_alive() -> None:
    response = ask(DescribeClusterRequest(include_fenced_brokers=True), 2, IMAGE, id=4)
    assert [(node.broker_id, node.is_fenced) for node in response.brokers] == [
        (1, False),
        (2, True),
        (4, False),
        (5, False),
        (6, True),
    ]
    assert response.controller_id == 4


@pytest.mark.parametrize("node_id", [2, 9])
def test_a_broker_that_is_fenced_or_unknown_names_any_of_those_alive(node_id: int) -> None:
    chosen_among = []

    def choose(limit: int) -> int:
        chosen_among.append(limit)
        return limit - 1

    response = ask(DescribeClusterRequest(include_fenced_brokers=True), 2, IMAGE, choose=choose, id=node_id)
    assert chosen_among == [3]
    assert response.controller_id == 5


def test_without_a_broker_alive_no_controller_is_named() -> None:
    response = ask(DescribeClusterRequest(), 2, ClusterImage())
    assert (response.brokers, response.controller_id, response.cluster_id) == ([], -1, CLUSTER_ID)


@pytest.mark.parametrize(
    ("kind", "endpoint_type", "code", "message"),
    [
        (
            ListenerKind.BROKER,
            CONTROLLERS,
            114,
            "asked for controllers, but it was sent to a listener of brokers",
        ),
        (
            ListenerKind.CONTROLLER,
            BROKERS,
            114,
            "asked for brokers, but it was sent to a listener of controllers",
        ),
        (ListenerKind.BROKER, 7, 115, "asked for endpoint type 7"),
    ],
)
def test_the_wrong_type_of_endpoint_is_refused_in_words(
    kind: ListenerKind, endpoint_type: int, code: int, message: str
) -> None:
    response = ask(DescribeClusterRequest(endpoint_type=endpoint_type), 1, IMAGE, kind=kind)
    assert response.error_code == code
    assert message in response.error_message


def test_version_0_knows_no_endpoint_types_and_so_no_errors_for_them() -> None:
    response = ask(DescribeClusterRequest(), 0, IMAGE, kind=ListenerKind.CONTROLLER)
    assert response.error_code == ErrorCode.INVALID_REQUEST
