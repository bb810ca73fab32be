"""DescribeConfigs as a client sees it, value for value against a stock 4.4.0 node.

Tests: `apis.admin.describe_configs`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest
from immutables import Map

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeConfigsRequest, DescribeConfigsResponse
from kafkaproto_server.apis.admin.describe_configs import MAX_WITHOUT_CONFIGS, handle_describe_configs
from kafkaproto_server.config.properties import layered
from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.apis.support import services as shared
from tests.config.support.golden_responses import NODE_ID, GoldenStep, golden_steps

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
STATIC = {"node.id": "7", "broker.id": "7", "log.retention.hours": "48", "ssl.key.password": "hunter2"}
LEVELS = {"root": "INFO", "server.net": "DEBUG"}
STEPS = [pytest.param(step, id=step.name) for step in golden_steps()]


def image_of(dynamic: dict[tuple[int, str], dict[str, str]]) -> ClusterImage:
    """An image with these values, and with a topic for each name that has some."""
    topics = [name for resource_type, name in dynamic if resource_type == TOPIC]
    ids = {name: bytes(15) + bytes([index + 2]) for index, name in enumerate(topics)}
    return ClusterImage(
        topics=Map({id_: TopicImage(name=name, topic_id=id_, partitions=Map()) for name, id_ in ids.items()}),
        topic_ids=Map(ids),
        configs=Map({resource: Map(values) for resource, values in dynamic.items()}),
    )


IMAGE = image_of({(TOPIC, "logs"): {"retention.ms": " 1000 "}})


def ask(
    *resources: tuple[int, str, list[str] | None],
    version: int = 4,
    include_synonyms: bool = False,
    include_documentation: bool = False,
) -> list[DescribeConfigsResponse.DescribeConfigsResult]:
    """The results for (resource type, name, keys) tuples, once through the bytes of a version."""
    request = DescribeConfigsRequest(
        resources=[
            DescribeConfigsRequest.DescribeConfigsResource(
                resource_type=resource_type, resource_name=name, configuration_keys=keys
            )
            for resource_type, name, keys in resources
        ],
        include_synonyms=include_synonyms,
        include_documentation=include_documentation,
    )
    return described(request, version, IMAGE, STATIC)


def described(
    request: DescribeConfigsRequest,
    version: int,
    image: ClusterImage,
    static: Mapping[str, str],
    node_id: int = 7,
) -> list[DescribeConfigsResponse.DescribeConfigsResult]:
    """What a node with these properties answers."""
    response = shared.ask(
        request, version, image, id=node_id, static_config=static, logger_levels=lambda: LEVELS
    )
    assert isinstance(response, DescribeConfigsResponse)
    return response.results


def row(config: DescribeConfigsResponse.DescribeConfigsResourceResult) -> list[Any]:
    return [
        config.name,
        config.value,
        config.read_only,
        config.config_source,
        config.is_sensitive,
        config.config_type,
        [[synonym.name, synonym.value, synonym.source] for synonym in config.synonyms],
    ]


@pytest.mark.parametrize("step", STEPS)
def test_every_resource_is_answered_as_by_stock(step: GoldenStep) -> None:
    request = DescribeConfigsRequest(
        resources=[
            DescribeConfigsRequest.DescribeConfigsResource(resource_type=resource_type, resource_name=name)
            for resource_type, name in step.described
        ],
        include_synonyms=True,
    )
    static = layered(step.static, "server.properties", {}).values
    results = described(request, 4, image_of(step.dynamic), static, NODE_ID)
    assert [result.error_code for result in results] == [0] * len(step.described)
    for result in results:
        expected = step.described[result.resource_type, result.resource_name]
        assert [row(config) for config in result.configs] == expected


@pytest.mark.parametrize(
    ("resource_type", "name", "code", "message"),
    [
        (TOPIC, "nowhere", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "'nowhere' does not exist"),
        (TOPIC, "bad name", ErrorCode.INVALID_TOPIC_EXCEPTION, "bad name"),
        (TOPIC, "", ErrorCode.INVALID_TOPIC_EXCEPTION, "cannot be named"),
        (BROKER, "8", ErrorCode.INVALID_REQUEST, "'8' must be 7 or empty"),
        (BROKER, "x", ErrorCode.INVALID_REQUEST, "'x' must be 7 or empty"),
        (BROKER, "\u0667", ErrorCode.INVALID_REQUEST, "must be 7"),
        (BROKER, "9" * 5000, ErrorCode.INVALID_REQUEST, "must be 7"),
        (BROKER_LOGGER, "", ErrorCode.INVALID_REQUEST, "broker logger must not be empty"),
        (BROKER_LOGGER, "8", ErrorCode.INVALID_REQUEST, "'8' must be 7"),
        (CLIENT_METRICS, "", ErrorCode.INVALID_REQUEST, "client metrics subscription must not be empty"),
        (GROUP, "", ErrorCode.INVALID_REQUEST, "group must not be empty"),
        (0, "x", ErrorCode.INVALID_REQUEST, "type 0 is not one of 2 (topic), 4 (broker)"),
        (99, "x", ErrorCode.INVALID_REQUEST, "type 99 is not one of"),
    ],
)
def test_what_cannot_be_described_is_refused_with_stocks_code(
    resource_type: int, name: str, code: ErrorCode, message: str
) -> None:
    bad, good = ask((resource_type, name, None), (TOPIC, "logs", ["retention.ms"]))
    assert (bad.resource_type, bad.resource_name, bad.error_code, bad.configs) == (
        resource_type,
        name,
        code,
        [],
    )
    assert message in (bad.error_message or "")
    assert [config.value for config in good.configs] == ["1000"]


def test_a_list_of_keys_narrows_the_response_and_an_empty_one_does_not() -> None:
    (some,) = ask((TOPIC, "logs", ["segment.ms", "no.such.key", "flush.ms", "flush.ms"]))
    (none,) = ask((TOPIC, "logs", ["no.such.key"]))
    (all_,) = ask((TOPIC, "logs", []))
    assert [config.name for config in some.configs] == ["flush.ms", "segment.ms"]
    assert none.configs == []
    assert len(all_.configs) == 37


def test_synonyms_and_documentation_come_only_when_asked_for() -> None:
    (plain,) = ask((TOPIC, "logs", ["segment.bytes"]))
    assert (plain.configs[0].synonyms, plain.configs[0].documentation) == ([], None)
    (full,) = ask((TOPIC, "logs", ["segment.bytes"]), include_synonyms=True, include_documentation=True)
    assert row(full.configs[0])[6] == [["log.segment.bytes", "1073741824", 5]]
    assert full.configs[0].documentation == (
        "Size in bytes at which a segment of the topic is closed and a new one begun."
        " Type int, 1048576 or more. Default: 1073741824."
    )


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_every_version_carries_name_value_and_source(version: int) -> None:
    (result,) = ask((BROKER, "7", ["log.retention.hours", "unclean.leader.election.enable"]), version=version)
    assert [(config.name, config.value, config.config_source) for config in result.configs] == [
        ("log.retention.hours", "48", 4),
        ("unclean.leader.election.enable", "false", 5),
    ]
    assert [config.config_type for config in result.configs] == ([3, 1] if version >= 3 else [0, 0])


def test_secrets_never_leave_the_node() -> None:
    (result,) = ask((BROKER, "07", ["ssl.key.password"]), include_synonyms=True)
    assert row(result.configs[0]) == [
        "ssl.key.password",
        None,
        False,
        4,
        True,
        9,
        [["ssl.key.password", None, 4]],
    ]


def test_loggers_are_listed_by_name_with_their_levels() -> None:
    (result,) = ask((BROKER_LOGGER, "7", None))
    assert [row(config) for config in result.configs] == [
        ["root", "INFO", False, 6, False, 0, []],
        ["server.net", "DEBUG", False, 6, False, 0, []],
    ]
    assert {config.documentation for config in result.configs} == {""}
    (one,) = ask((BROKER_LOGGER, "7", ["root"]))
    assert [config.name for config in one.configs] == ["root"]


def test_a_resource_that_is_named_twice_is_answered_once_with_the_keys_of_both() -> None:
    (both,) = ask((TOPIC, "logs", ["flush.ms"]), (TOPIC, "logs", ["segment.ms"]))
    assert [config.name for config in both.configs] == ["flush.ms", "segment.ms"]
    (all_,) = ask((TOPIC, "logs", ["flush.ms"]), (TOPIC, "logs", None), (TOPIC, "logs", ["segment.ms"]))
    assert len(all_.configs) == 37


def test_a_node_that_is_named_in_two_ways_is_answered_once() -> None:
    (result,) = ask((BROKER, "7", None), (BROKER, "+007", None))
    assert (result.resource_name, result.error_code) == ("7", 0)


def test_a_node_that_is_named_a_thousand_times_costs_no_more_than_once() -> None:
    assert len(ask(*[(BROKER, "0" * zeros + "7", None) for zeros in range(1000)])) == 1


def test_nothing_is_kept_of_what_clients_name() -> None:
    known = shared.services(IMAGE, id=7, static_config=STATIC, logger_levels=lambda: LEVELS)
    kept = known.metadata.caches.configs_at(*(IMAGE.config(BROKER, name) for name in ("", "7")))
    resources = [(TOPIC, "logs"), (BROKER, "7"), (BROKER, ""), (GROUP, "g"), (CLIENT_METRICS, "c")]
    sizes = []
    for number in range(300):
        request = DescribeConfigsRequest(
            resources=[
                DescribeConfigsRequest.DescribeConfigsResource(
                    resource_type=resource_type, resource_name=name, configuration_keys=[f"junk-{number}"]
                )
                for resource_type, name in resources
            ]
        )
        shared.driven(handle_describe_configs(request, shared.context(request, 4), known))
        sizes.append(len(kept))
    assert sizes[0] > 0
    assert sizes == sizes[:1] * 300
    assert "junk" not in repr(kept)


def test_naming_a_resource_often_costs_in_proportion() -> None:
    def cpu_s(namings: int) -> float:
        request = DescribeConfigsRequest(
            resources=[
                DescribeConfigsRequest.DescribeConfigsResource(
                    resource_type=TOPIC, resource_name="logs", configuration_keys=[f"{number}"]
                )
                for number in range(namings)
            ]
        )
        known = shared.services(IMAGE, id=7, static_config=STATIC)
        taken = []
        for _ in range(3):
            begun = time.thread_time()
            shared.driven(handle_describe_configs(request, shared.context(request, 4), known))
            taken.append(time.thread_time() - begun)
        return min(taken)

    # Sixteen times as many; if the keys so far were copied for each, it would take some two hundred times as long.
    assert cpu_s(16_000) < 64 * cpu_s(1_000)


def test_groups_without_settings_are_described_up_to_a_limit() -> None:
    names = [str(number) for number in range(MAX_WITHOUT_CONFIGS + 2)]
    results = ask(*[(GROUP, name, ["consumer.session.timeout.ms"]) for name in names])
    codes = [result.error_code for result in results]
    assert codes == [0] * MAX_WITHOUT_CONFIGS + [ErrorCode.INVALID_REQUEST] * 2
    assert "1000 groups" in (results[-1].error_message or "")
