"""DescribeTransactions and ListTransactions.

Tests: `apis.transactions.describe_transactions`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeTransactionsRequest, ListTransactionsRequest
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from tests.apis.support.transactional_broker import ID, TransactionalBroker


def listed(broker: TransactionalBroker, version: int = 2, **fields: Any) -> Any:
    return broker.ask(ListTransactionsRequest(**fields), version)


def ids(response: Any) -> list[str]:
    assert response.error_code == 0
    return [each.transactional_id for each in response.transaction_states]


@pytest.fixture
def several(broker: TransactionalBroker) -> TransactionalBroker:
    """The transactional ids mine, with an open transaction, and other."""
    broker.add(broker.begin(), ("t", 0), ("other", 0))
    broker.begin("other")
    return broker


def test_a_transaction_is_described(several: TransactionalBroker) -> None:
    asked = DescribeTransactionsRequest(transactional_ids=[ID, "unknown", ID, ""])
    mine, unknown, empty = several.ask(asked, 0).transaction_states
    assert (mine.transaction_state, mine.transaction_timeout_ms, mine.producer_epoch) == (
        "Ongoing",
        60_000,
        0,
    )
    assert [(each.topic, each.partitions) for each in mine.topics] == [("other", [0]), ("t", [0])]
    assert unknown.error_code == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
    assert empty.error_code == ErrorCode.INVALID_REQUEST


def test_who_may_not_describe_a_topic_does_not_see_it(several: TransactionalBroker) -> None:
    several.allow(
        (Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, ID),
        (Operation.DESCRIBE, ResourceType.TOPIC, "t"),
    )
    asked = DescribeTransactionsRequest(transactional_ids=[ID, "other"])
    mine, other = several.ask(asked, 0).transaction_states
    assert [each.topic for each in mine.topics] == ["t"]
    assert other.error_code == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


@pytest.mark.parametrize("version", range(3))
def test_all_are_listed(several: TransactionalBroker, version: int) -> None:
    response = listed(several, version)
    assert [(each.transactional_id, each.transaction_state) for each in response.transaction_states] == [
        (ID, "Ongoing"),
        ("other", "Empty"),
    ]


@pytest.mark.parametrize(
    ("version", "fields", "expected"),
    [
        (0, {"state_filters": ["Ongoing"]}, [ID]),
        (0, {"producer_id_filters": [5001]}, ["other"]),
        (1, {"duration_filter": 1000}, ["other"]),
        (2, {"transactional_id_pattern": "m.n[ea]"}, [ID]),
        (2, {"transactional_id_pattern": "m"}, []),
        (2, {"transactional_id_pattern": ""}, [ID, "other"]),
        (2, {"transactional_id_pattern": "(a*)*b"}, []),
    ],
)
def test_filters(
    several: TransactionalBroker, version: int, fields: dict[str, Any], expected: list[str]
) -> None:
    assert ids(listed(several, version, **fields)) == expected


def test_states_that_do_not_exist_are_named(several: TransactionalBroker) -> None:
    response = listed(several, state_filters=["Ongoing", "Nonsense"])
    assert (ids(response), response.unknown_state_filters) == ([ID], ["Nonsense"])


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?=a)", "x{1000}{1000}"])
def test_what_is_no_pattern_is_refused(several: TransactionalBroker, pattern: str) -> None:
    response = listed(several, transactional_id_pattern=pattern)
    assert response.error_code == ErrorCode.INVALID_REGULAR_EXPRESSION


def test_a_pattern_that_takes_too_long_for_an_id_is_refused(several: TransactionalBroker) -> None:
    pattern = ".*x" + "x?y?" * 250 + "z"
    assert ids(listed(several, transactional_id_pattern=pattern)) == []
    several.begin("x" * 5_000)
    response = listed(several, transactional_id_pattern=pattern)
    assert (response.error_code, response.transaction_states) == (ErrorCode.INVALID_REGULAR_EXPRESSION, [])
    # A short one can be matched, and an id that the sender does not see makes nothing fail.
    assert ids(listed(several, transactional_id_pattern="x+")) == ["x" * 5_000]
    several.allow((Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, ID))
    assert ids(listed(several, transactional_id_pattern=pattern)) == []


def test_the_sender_sees_what_it_may_describe(several: TransactionalBroker) -> None:
    several.allow((Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, "other"))
    assert ids(listed(several)) == ["other"]
    several.allow((Operation.DESCRIBE, ResourceType.GROUP, "*"))
    assert ids(listed(several)) == []
