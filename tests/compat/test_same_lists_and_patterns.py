"""Values that have a grammar of their own: lists in configs, and the regular expressions that a server resolves. A node
under test and Apache Kafka take and refuse the same ones, and keep the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from compat.node import Node
from compat.probe import Probe
from compat.process import wait_until
from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from tests.compat.support.nodes import CREATE_TIMEOUT_MS, beside_stock, create

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

TOPIC, BROKER = 2, 4
SET, DELETE, APPEND, SUBTRACT = range(4)
WAIT_S = 30.0
COORDINATORS = {"offsets.topic.num.partitions": "1", "transaction.state.log.num.partitions": "1"}
LOADS = {
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.NOT_COORDINATOR,
}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    """A node under test and a stock one."""
    with beside_stock(tmp_path_factory, COORDINATORS) as nodes:
        yield nodes


def ask(node: Node, request: Message, version: int) -> Any:
    with Probe(node.bootstrap_server) as probe:
        return probe.ask(request, version)


POLICY, THROTTLED = "cleanup.policy", "leader.replication.throttled.replicas"
VALUES = [
    (POLICY, value)
    for value in (
        "compact,compact",
        "delete,delete",
        "compact,delete,compact",
        "delete, compact ,delete",
        "compact,",
        ",compact",
        "compact,,delete",
        " compact",
        "",
        ",",
        "none",
        "compact,none",
        "COMPACT",
    )
] + [
    (THROTTLED, value)
    for value in (
        "0:1,0:1",
        "0:1,1:1,0:1",
        "*,*",
        "*",
        "0:1,*",
        "",
        ",",
        "0:1,",
        "0:1, 1:1",
        "0:a",
        "0",
        "none",
    )
]


def kept(node: Node, kind: int, name: str, key: str) -> Any:
    """The value that a resource has, and where it comes from."""
    request = kafka.DescribeConfigsRequest(
        resources=[
            kafka.DescribeConfigsRequest.DescribeConfigsResource(
                resource_type=kind, resource_name=name, configuration_keys=[key]
            )
        ]
    )
    (found,) = ask(node, request, 4).results
    return found.error_code, [(each.value, each.config_source) for each in found.configs]


def created(node: Node, name: str, key: str, value: str) -> int:
    kind = kafka.CreateTopicsRequest
    topic = kind.CreatableTopic(
        name=name,
        num_partitions=1,
        replication_factor=1,
        configs=[kind.CreatableTopicConfig(name=key, value=value)],
    )
    (found,) = ask(node, kind(topics=[topic], timeout_ms=CREATE_TIMEOUT_MS), 7).topics
    return int(found.error_code)


def altered(node: Node, kind: int, name: str, key: str, value: str, operation: int) -> int:
    request = kafka.IncrementalAlterConfigsRequest(
        resources=[
            kafka.IncrementalAlterConfigsRequest.AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[
                    kafka.IncrementalAlterConfigsRequest.AlterableConfig(
                        name=key, value=value, config_operation=operation
                    )
                ],
            )
        ]
    )
    (found,) = ask(node, request, 1).responses
    return int(found.error_code)


def replaced(node: Node, name: str, key: str, value: str) -> int:
    request = kafka.AlterConfigsRequest(
        resources=[
            kafka.AlterConfigsRequest.AlterConfigsResource(
                resource_type=TOPIC,
                resource_name=name,
                configs=[kafka.AlterConfigsRequest.AlterableConfig(name=key, value=value)],
            )
        ]
    )
    (found,) = ask(node, request, 2).responses
    return int(found.error_code)


def same_value(pair: tuple[Node, Node], kind: int, name: str, key: str) -> tuple[Any, Any]:
    """What both have, once both have heard of the last change."""
    found: list[Any] = []

    def is_same() -> bool:
        found[:] = [kept(node, kind, name, key) for node in pair]
        return bool(found[0] == found[1])

    try:
        wait_until(is_same, 3.0, "the same value")
    except Exception:
        assert found[0] == found[1], name
    return found[0], found[1]


def test_lists_of_new_topics_are_kept_alike(pair: tuple[Node, Node]) -> None:
    for index, (key, value) in enumerate(VALUES):
        name = f"new-{index}"
        codes = [created(node, name, key, value) for node in pair]
        assert codes[0] == codes[1], (key, value)
        if codes[0] == ErrorCode.NONE:
            same_value(pair, TOPIC, name, key)


@pytest.mark.parametrize("operation", [SET, APPEND, SUBTRACT])
def test_lists_that_change_are_kept_alike(pair: tuple[Node, Node], operation: int) -> None:
    for index, (key, value) in enumerate(VALUES):
        name = f"changed-{operation}-{index}"
        first = "delete" if key == POLICY else "0:1,5:1"
        assert [created(node, name, key, first) for node in pair] == [0, 0]
        codes = [altered(node, TOPIC, name, key, value, operation) for node in pair]
        assert codes[0] == codes[1], (key, value)
        same_value(pair, TOPIC, name, key)


def test_lists_that_replace_others_are_kept_alike(pair: tuple[Node, Node]) -> None:
    for index, (key, value) in enumerate(VALUES):
        name = f"replaced-{index}"
        assert [created(node, name, key, "delete" if key == POLICY else "5:1") for node in pair] == [0, 0]
        codes = [replaced(node, name, key, value) for node in pair]
        assert codes[0] == codes[1], (key, value)
        same_value(pair, TOPIC, name, key)


def test_lists_of_brokers_are_kept_alike(pair: tuple[Node, Node]) -> None:
    for value in ("compact,compact", "delete,compact,delete", "compact", "none", ",", ""):
        codes = [altered(node, BROKER, "", "log.cleanup.policy", value, SET) for node in pair]
        assert codes[0] == codes[1], value
        same_value(pair, BROKER, "", "log.cleanup.policy")
    for node in pair:
        altered(node, BROKER, "", "log.cleanup.policy", "", DELETE)


PATTERNS = [
    "t.*",
    "\\C",
    "t\\C",
    "[\\C]",
    "\\Qa\\C\\E",
    "\\\\C",
    "(?P<n>t)",
    "(?<n>t)",
    "(?P<n>a)(?P<n>b)",
    "(?=t)",
    "(?!t)",
    "(t)\\1",
    "t*+",
    "t**",
    "t{1001}",
    "t{2,1}",
    "t{,5}",
    "(?i)T",
    "(?s).",
    "(?U)t+",
    "(?x)t",
    "[[:alpha:]]+",
    "[[:word:]]+",
    "[[:nothing:]]",
    "[a",
    "a]",
    "(",
    ")",
    "*",
    "+t",
    "?",
    "\\",
    "\\8",
    "\\z",
    "\\Z",
    "\\A",
    "\\G",
    "\\b",
    "\\B",
    "\\R",
    "\\X",
    "\\h",
    "\\v",
    "\\K",
    "\\pN",
    "\\p{Greek}",
    "\\p{Cyrl}",
    "\\p{L}",
    "\\p{Nothing}",
    "\\p{^L}",
    "\\x41",
    "\\x{41}",
    "\\x{110000}",
    "\\07",
    "\\e",
    "\\a\\f\\n\\r\\t",
    "\\cA",
    "\\_",
    "\\-",
    "[z-a]",
    "[a-\\d]",
    "[]",
    "[^]",
    "[]a]",
    "[a&&b]",
    "a|*",
    "|",
    "^*",
    "$+",
    "(?:t)",
    "(?#t)",
    "(?>t)",
    "(?-i)t",
    "(?i-s:t)",
    "(?ii)t",
    "(?)",
    "(?i",
    "x{0}",
    "x{1000}",
]


def beaten(node: Node, group: str, pattern: str) -> int:
    request = kafka.ConsumerGroupHeartbeatRequest(
        group_id=group,
        member_id="7777777777777777777777",
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=[],
        subscribed_topic_regex=pattern,
        topic_partitions=[],
    )
    return int(ask(node, request, 1).error_code)


def test_patterns_of_members_are_valid_for_both_or_none(pair: tuple[Node, Node]) -> None:
    for node in pair:
        create(node, "t-1")
        ask(node, kafka.FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]), 4)
        wait_until(
            lambda node=node: beaten(node, "first", "t.*") not in LOADS,  # type: ignore[misc]
            WAIT_S,
            "a coordinator",
        )
    told = {
        pattern: [beaten(node, f"g-{index}", pattern) for node in pair]
        for index, pattern in enumerate(PATTERNS)
    }
    assert {pattern: codes for pattern, codes in told.items() if codes[0] != codes[1]} == {}
    assert {codes[0] for codes in told.values()} == {0, ErrorCode.INVALID_REGULAR_EXPRESSION}


def test_patterns_of_transactional_ids_are_valid_for_both_or_none(pair: tuple[Node, Node]) -> None:
    def listed(node: Node, pattern: str) -> int:
        request = kafka.ListTransactionsRequest(transactional_id_pattern=pattern)
        codes: list[int] = []

        def is_told() -> bool:
            codes.append(ask(node, request, 2).error_code)
            return codes[-1] not in LOADS

        wait_until(is_told, WAIT_S, "the transactions")
        return codes[-1]

    for node in pair:
        ask(node, kafka.FindCoordinatorRequest(key_type=1, coordinator_keys=["x"]), 4)
    told = {pattern: [listed(node, pattern) for node in pair] for pattern in PATTERNS}
    assert {pattern: codes for pattern, codes in told.items() if codes[0] != codes[1]} == {}
    assert {codes[0] for codes in told.values()} == {0, ErrorCode.INVALID_REGULAR_EXPRESSION}
