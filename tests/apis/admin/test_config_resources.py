"""ListConfigResources: names by type, as a stock 4.3.1 node lists them.

Tests: `apis.admin.list_config_resources`.
"""

from __future__ import annotations

import pytest

from kafkaproto.messages import ListConfigResourcesRequest
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.apis.support.services import ask
from tests.core.controller.support.harness import SET, Harness, alter_configs_request

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
ALL = [
    (GROUP, "g1"),
    (GROUP, "g2"),
    (CLIENT_METRICS, "cm"),
    (BROKER_LOGGER, "1"),
    (BROKER_LOGGER, "2"),
    (BROKER, "1"),
    (BROKER, "2"),
    (TOPIC, "alpha"),
    (TOPIC, "beta"),
]


@pytest.fixture(scope="module")
def image() -> ClusterImage:
    harness = Harness()
    harness.start_brokers(1)
    assert harness.register(2).error_code == 0  # and stays fenced
    for name in ("beta", "alpha"):
        harness.create_topic(name, [1])
    for resource_type, name, key, value in (
        (GROUP, "g2", "consumer.session.timeout.ms", "45000"),
        (GROUP, "g1", "consumer.session.timeout.ms", "45000"),
        (GROUP, "gone", "consumer.session.timeout.ms", "45000"),
        (GROUP, "gone", "consumer.session.timeout.ms", None),
        (CLIENT_METRICS, "cm", "interval.ms", "1000"),
        (TOPIC, "alpha", "retention.ms", "5"),
        (BROKER, "1", "log.cleaner.threads", "2"),
    ):
        (result,) = harness.call(alter_configs_request(resource_type, name, (key, SET, value))).responses
        assert result.error_code == 0, result
    return harness.controller.committed_image


def listed(
    image: ClusterImage, types: list[int], listener_name: str = "PLAINTEXT"
) -> tuple[int, list[tuple[int, str]]]:
    response = ask(
        ListConfigResourcesRequest(resource_types=types),
        1,
        image,
        kind=ListenerKind.BROKER,
        listener_name=listener_name,
    )
    return response.error_code, [
        (each.resource_type, each.resource_name) for each in response.config_resources
    ]


@pytest.mark.parametrize(
    "types",
    [
        [],
        [TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP],
        [TOPIC],
        [BROKER],
        [BROKER_LOGGER],
        [CLIENT_METRICS],
        [GROUP],
        [TOPIC, TOPIC],
        [TOPIC, GROUP],
    ],
    ids=str,
)
def test_the_wanted_types_are_listed_in_stocks_order(types: list[int], image: ClusterImage) -> None:
    expected = [(type_, name) for type_, name in ALL if not types or type_ in types]
    assert listed(image, types) == (0, expected)


@pytest.mark.parametrize("types", [[1], [0], [-1], [TOPIC, 64], [127]], ids=str)
def test_a_type_that_does_not_exist_is_refused(types: list[int], image: ClusterImage) -> None:
    assert listed(image, types) == (35, [])


def test_the_first_version_lists_client_metrics_subscriptions(image: ClusterImage) -> None:
    response = ask(ListConfigResourcesRequest(), 0, image)
    assert [each.resource_name for each in response.config_resources] == ["cm"]


def test_brokers_without_the_listener_are_left_out(image: ClusterImage) -> None:
    assert listed(image, [BROKER, TOPIC], listener_name="OTHER") == (0, ALL[-2:])
