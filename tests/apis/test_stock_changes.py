"""Configs and features are changed as a stock 4.4.0 node changed them: the same answers, the same records.

``golden/changes.json`` holds what a stock node was asked on both listeners, in sequences that build on each other. Each
request goes through the table to a real controller, from the broker listener by way of what a broker checks itself.

Tests: `apis.cluster.update_features`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kafkaproto.message import Message
from kafkaproto.messages import DescribeConfigsRequest, UpdateFeaturesRequest, message_class
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.base.later import Deferred
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.core.controller.values.events import KRaftVersionChanged
from kafkaproto_server.requests.context import RequestContext, Response
from tests.apis.support.services import NODE_ID, context, decoded_response, responses_of, services
from tests.core.controller.support.harness import ELR, SET, Harness, alter_configs_request

SEQUENCES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "golden" / "changes.json").read_text()
)["sequences"]

REFUSED_HERE = {
    # A name under which no broker would ever look.
    "broker 01",
    "broker +1",
    # What no broker could apply; a stock controller records it if it is asked directly.
    "broker readonly",
    "default readonly",
    "default per-broker",
    "ac broker ro",
}
"""Cases that a stock node takes, on one listener at least, and ours refuses as INVALID_REQUEST."""


class Node:
    """Both listeners of a node, formatted as the stock one; what its controller appends is committed at once."""

    def __init__(self) -> None:
        features = (ELR, "group.version", "share.version", "streams.version", "transaction.version")
        self.harness = Harness(features=features, node_id=NODE_ID)
        self.harness.handle(KRaftVersionChanged(kraft_version=1))
        self.harness.start_brokers(NODE_ID)
        for name in ("alpha", "beta"):
            self.harness.create_topic(name, [NODE_ID])
        update = UpdateFeaturesRequest.FeatureUpdateKey(feature="transaction.version", max_version_level=2)
        assert self.harness.call(UpdateFeaturesRequest(feature_updates=[update])).error_code == 0

    def _carry_out(self, request: Message, asked: RequestContext) -> Deferred[Response]:
        reply: Deferred[Response] = Deferred()
        reply.resolve(self.harness.call(request, version=asked.api_version))
        return reply

    def ask(self, listener: str, request: Message, version: int) -> tuple[Any, list[Any]]:
        """The answer, and the records that it led to, all in Kafka's JSON form."""
        decoded, _ = type(request).decode(request.encode(version), version)
        kind = ListenerKind.CONTROLLER if listener == "CONTROLLER" else ListenerKind.BROKER
        asked = context(decoded, version, kind=kind, listener_name=listener)
        image = self.harness.controller.committed_image
        node = services(image, submit=self._carry_out, forward=self._carry_out)
        start = self.harness.next_offset
        reply = dispatch(decoded, asked, node)
        (response,) = responses_of(reply)
        response = decoded_response(response, request, version)
        return response.to_json(version), self._records(start)

    def _records(self, start: int) -> list[Any]:
        records = []
        for batch in self.harness.log:
            for value in batch.records or ():
                if batch.base_offset >= start:
                    record, version = decode_metadata_record(value)
                    records.append([record.NAME, record.to_json(version)])
        return records


def comparable(response: Any) -> Any:
    """An answer in no order, with a mark for texts that everybody words as they like."""
    response = {**response}
    response.pop("throttleTimeMs", None)
    for name in ("responses", "results"):
        if name in response:
            response[name] = sorted((comparable(each) for each in response[name]), key=json.dumps)
    if response.get("errorMessage") not in (None, "", "NONE"):
        response["errorMessage"] = "a text"
    return response


def codes(response: Any) -> list[int]:
    """The error codes of an answer."""
    return [each["errorCode"] for each in response.get("responses", [response])]


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_sequence_of_changes_goes_as_with_stock(name: str) -> None:
    node = Node()
    refused = set()
    only_stock_has: set[str] = set()
    for exchange in SEQUENCES[name]:
        case, version = exchange["case"], exchange["version"]
        request = message_class(f"{exchange['request']}Request").from_json(exchange["asked"], version)
        response, records = node.ask(exchange["listener"], request, version)
        where = f"{case} v{version} on {exchange['listener']}"
        if codes(response) != codes(exchange["answered"]) and case in REFUSED_HERE:
            refused.add(case)
            assert (codes(response), records) == ([42], []), where
            only_stock_has |= {setting(record) for record in exchange["records"]}
        else:
            assert comparable(response) == comparable(exchange["answered"]), where
            found, expected = (
                sorted(json.dumps(record) for record in each if setting(record) not in only_stock_has)
                for each in (records, exchange["records"])
            )
            assert found == expected, where
    assert name != "configs" or refused == REFUSED_HERE


def test_what_was_set_is_described_with_where_it_comes_from() -> None:
    node = Node()
    for resource, key, value in (
        ((2, "alpha"), "retention.ms", "5"),
        ((4, ""), "log.cleaner.threads", "2"),
        ((4, "1"), "log.retention.ms", "7"),
    ):
        request = alter_configs_request(*resource, (key, SET, value))
        response, _ = node.ask("PLAINTEXT", request, 1)
        assert codes(response) == [0]
    described = {
        (resource, key): described_config(node, *resource, key)
        for resource, key in (
            ((2, "alpha"), "retention.ms"),
            ((2, "beta"), "retention.ms"),
            ((4, ""), "log.cleaner.threads"),
            ((4, "1"), "log.cleaner.threads"),
            ((4, "1"), "log.retention.ms"),
        )
    }
    own_topic, own_node, for_all = 1, 2, 3
    assert list(described.values()) == [
        ("5", own_topic),
        ("7", own_node),
        ("2", for_all),
        ("2", for_all),
        ("7", own_node),
    ]


def described_config(node: Node, resource_type: int, name: str, key: str) -> tuple[str, int]:
    """Value and source."""
    request = DescribeConfigsRequest(
        resources=[
            DescribeConfigsRequest.DescribeConfigsResource(
                resource_type=resource_type, resource_name=name, configuration_keys=[key]
            )
        ]
    )
    response, _ = node.ask("PLAINTEXT", request, 4)
    ((config,),) = (result["configs"] for result in response["results"])
    return config["value"], config["configSource"]


def setting(record: Any) -> str:
    """Which key of which resource a record is about."""
    return json.dumps(
        [record[0], *(record[1].get(name) for name in ("resourceType", "resourceName", "name"))]
    )
