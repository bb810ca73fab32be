"""ApiVersions: what it tells by version and listener, byte for byte where it refuses; the rest is in
test_stock_answers.py.

Tests: `apis.cluster.api_versions`.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from immutables import Map

from kafkaproto.messages import ApiVersionsRequest
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.apis.table import TABLE
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.apis.support.services import CLUSTER_ID, NODE_ID, ask, context, golden, services

REQUEST = ApiVersionsRequest(client_software_name="kafkaproto", client_software_version="0.1.0")
IMAGE = msgspec.structs.replace(golden().image, features_offset=9)


@pytest.mark.parametrize("version", [3, 4, 5])
@pytest.mark.parametrize(
    ("name", "software_version"), [("", "1"), ("x", ""), ("-x", "1"), ("x", "1."), ("x\n", "1"), ("a b", "1")]
)
def test_a_client_that_does_not_name_itself_properly_is_refused_as_by_kafka(
    version: int, name: str, software_version: str
) -> None:
    request = ApiVersionsRequest(client_software_name=name, client_software_version=software_version)
    response = dispatch(request, context(request, version), services(IMAGE))
    # Kafka's bytes: error 42, no keys, no throttle time, no tags.
    assert response.encode(version) == bytes.fromhex("002a 01 00000000 00")  # type: ignore[union-attr]


SERVED, INVALID, REBOOTSTRAP = 0, 42, 129
OTHER = "4L6g3nShT-eMCtK--X86sw"


@pytest.mark.parametrize(
    ("cluster_id", "node_id", "of_broker", "of_controller"),
    [
        (None, -1, SERVED, SERVED),
        (CLUSTER_ID, NODE_ID, SERVED, SERVED),
        (CLUSTER_ID, NODE_ID + 1, REBOOTSTRAP, SERVED),
        (CLUSTER_ID, -2, REBOOTSTRAP, SERVED),
        (OTHER, NODE_ID, REBOOTSTRAP, SERVED),
        (OTHER, NODE_ID + 1, REBOOTSTRAP, SERVED),
        ("", NODE_ID, REBOOTSTRAP, SERVED),
        (CLUSTER_ID, -1, INVALID, INVALID),
        (OTHER, -1, INVALID, INVALID),
        ("", -1, INVALID, INVALID),
        (None, NODE_ID, INVALID, INVALID),
        (None, NODE_ID + 1, INVALID, INVALID),
        (None, -2, INVALID, INVALID),
    ],
)
def test_a_client_that_means_another_broker_has_to_bootstrap_again(
    cluster_id: str | None, node_id: int, of_broker: int, of_controller: int
) -> None:
    """The codes and bytes of a stock 4.4.0 node."""
    request = ApiVersionsRequest(
        client_software_name="x", client_software_version="1", cluster_id=cluster_id, node_id=node_id
    )
    for kind, code in ((ListenerKind.BROKER, of_broker), (ListenerKind.CONTROLLER, of_controller)):
        response = ask(request, 5, IMAGE, kind=kind)
        assert response.error_code == code
        if code:
            assert response.encode(5) == bytes.fromhex(f"{code:04x} 01 00000000 00")


@pytest.mark.parametrize("version", [0, 1, 2])
def test_clients_too_old_to_name_themselves_are_served(version: int) -> None:
    assert ask(ApiVersionsRequest(), version, IMAGE).error_code == 0


def features(response: Any) -> tuple[dict[str, tuple[int, int]], dict[str, int]]:
    """Supported ranges and finalized levels."""
    for feature in response.finalized_features:
        assert feature.min_version_level == feature.max_version_level
    return (
        {each.name: (each.min_version, each.max_version) for each in response.supported_features},
        {each.name: each.max_version_level for each in response.finalized_features},
    )


def test_features_whose_lowest_level_is_0_are_kept_from_clients_that_cannot_read_them() -> None:
    supported, finalized = features(ask(REQUEST, 3, IMAGE))
    assert supported == {"metadata.version": (21, 33)}
    assert finalized == {
        "eligible.leader.replicas.version": 1,
        "group.version": 1,
        "kraft.version": 1,
        "metadata.version": 30,
        "share.version": 1,
        "streams.version": 1,
        "transaction.version": 2,
    }
    supported, finalized_4 = features(ask(REQUEST, 4, IMAGE))
    assert supported["transaction.version"] == (0, 2)
    assert set(supported) == set(finalized)
    assert finalized_4 == finalized


def test_features_at_level_0_are_not_finalized() -> None:
    image = ClusterImage(features=Map({"metadata.version": 25, "group.version": 0}))
    _, finalized = features(ask(REQUEST, 4, image, kraft_version=lambda: 0))
    assert finalized == {"metadata.version": 25}


def test_a_broker_calls_its_images_offset_the_features_epoch_and_a_controller_that_of_the_last_change() -> (
    None
):
    assert ask(REQUEST, 4, IMAGE).finalized_features_epoch == IMAGE.offset
    on_controller = ask(REQUEST, 4, IMAGE, kind=ListenerKind.CONTROLLER, listener_name="CONTROLLER")
    assert on_controller.finalized_features_epoch == 9


def test_a_broker_offers_of_forwarded_requests_what_the_active_controller_serves_too() -> None:
    def advertised(**changes: Any) -> dict[int, tuple[int, int]]:
        response = ask(REQUEST, 4, IMAGE, **changes)
        return {key.api_key: (key.min_version, key.max_version) for key in response.api_keys}

    everything = advertised()
    controller = {19: (5, 9), 20: (0, 3), 37: (4, 5), 3: (0, 0), 60: (0, 0)}
    narrowed = advertised(served_versions=lambda: controller)
    # CreatePartitions has no version in common, others are not served at all; Metadata is the broker's own.
    forwarded = [key for key, served in TABLE[ListenerKind.BROKER].items() if served.is_forwarded]
    assert {19, 20, 33, 37, 44, 55, 57, 80, 81} <= {*forwarded}
    assert narrowed == {
        **{key: versions for key, versions in everything.items() if key not in forwarded},
        19: (5, 7),
        20: (1, 3),
    }
    assert list(narrowed) == sorted(narrowed)
    assert narrowed[3] == (0, 13)


def test_a_controller_offers_what_it_serves_whatever_another_serves() -> None:
    kind = ListenerKind.CONTROLLER
    response = ask(REQUEST, 4, IMAGE, kind=kind, listener_name="CONTROLLER", served_versions=dict)
    assert [key.api_key for key in response.api_keys] == sorted(TABLE[kind])
