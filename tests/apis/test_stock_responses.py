"""Metadata, DescribeCluster, DescribeTopicPartitions and ApiVersions answered as stock nodes answered them: of
4.4.0 for ApiVersions, of 4.3.1 for the others.

The cluster of the recording has a fenced broker (2), one that lacks a listener (3), one with a lost directory (4), one
in its controlled shutdown (5) and one that left after its topics were made (6).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import message_class
from kafkaproto_server.apis.table import TABLE
from tests.apis.support.services import Exchange, ask, golden

# Kafka gives these in the order of hash tables.
UNORDERED = {"brokers", "supportedFeatures", "finalizedFeatures"}
TEXTS = {"errorMessage"}


def comparable(exchange: Exchange, value: Any, name: str = "") -> Any:
    """An answer without what is random, or worded by us, or in no order."""
    if isinstance(value, list):
        items = [comparable(exchange, item) for item in value]
        is_unordered = name in UNORDERED or (name == "topics" and exchange.request == "Metadata")
        return sorted(items, key=json.dumps) if is_unordered else items
    if isinstance(value, dict):
        return {key: comparable(exchange, item, key) for key, item in value.items()}
    return bool(value) if name in TEXTS else value


def without_the_nodes_own(exchange: Exchange, response: dict[str, Any]) -> Any:
    """An answer without what may differ between two nodes with the same metadata."""
    response = dict(response)
    if exchange.request == "ApiVersions":
        # Which keys there are depends on what is built; test_versions.py looks at the epoch.
        response["apiKeys"] = [key for key in response["apiKeys"] if key["apiKey"] in TABLE[exchange.kind]]
        response.pop("finalizedFeaturesEpoch", None)
        # Our metadata.version begins at 3.9-IV0, Kafka's at 3.3-IV3.
        response["supportedFeatures"] = [
            {**feature, "minVersion": 0} for feature in response.get("supportedFeatures", ())
        ]
    elif exchange.kind.value == "broker" and response["brokers" if "brokers" in response else "topics"]:
        # A random broker that is alive.
        response.pop("controllerId", None)
    return comparable(exchange, response)


def stumbles(exchange: Exchange) -> bool:
    """Whether the stock node answered that it does not know what is wrong."""
    topics = exchange.answered.get("topics", ())
    return any(topic["errorCode"] == ErrorCode.UNKNOWN_SERVER_ERROR for topic in topics)


def exchanges(*, is_stumbling: bool) -> list[Any]:
    return [
        pytest.param(each, id=f"{each.request}-v{each.version}-{each.listener_name}-{number}")
        for number, each in enumerate(golden().exchanges)
        if stumbles(each) is is_stumbling
    ]


def response_to(exchange: Exchange) -> dict[str, Any]:
    request = message_class(f"{exchange.request}Request").from_json(exchange.asked, exchange.version)
    response = ask(
        request,
        exchange.version,
        golden().image,
        kind=exchange.kind,
        listener_name=exchange.listener_name,
        auto_create_topics=False,
    )
    told: dict[str, Any] = response.to_json(exchange.version)
    return told


@pytest.mark.parametrize("exchange", exchanges(is_stumbling=False))
def test_a_request_is_answered_as_by_stock(exchange: Exchange) -> None:
    told = response_to(exchange)
    assert without_the_nodes_own(exchange, told) == without_the_nodes_own(exchange, exchange.answered)


@pytest.mark.parametrize("exchange", exchanges(is_stumbling=True))
def test_what_stock_stumbles_over_has_a_code_of_its_own(exchange: Exchange) -> None:
    told = {topic["name"]: topic["errorCode"] for topic in response_to(exchange)["topics"]}
    if exchange.request == "Metadata":
        # A topic with neither name nor id, in which all are refused.
        assert set(told.values()) == {ErrorCode.INVALID_REQUEST}
    else:
        # An empty name, by itself.
        assert told[""] == ErrorCode.INVALID_TOPIC_EXCEPTION
        assert told.get("beta", ErrorCode.NONE) == ErrorCode.NONE


def test_the_recording_is_read_whole() -> None:
    recorded = golden().exchanges
    assert len(recorded) == 168
    assert sum(stumbles(each) for each in recorded) == 5
    assert {each.request for each in recorded} == {
        "ApiVersions",
        "DescribeCluster",
        "DescribeTopicPartitions",
        "Metadata",
    }
    assert sorted(golden().image.brokers) == [1, 2, 3, 4, 5, 6]
