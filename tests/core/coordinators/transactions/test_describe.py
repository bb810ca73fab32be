"""DescribeTransactions and ListTransactions."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeTransactionsResponse
from kafkaproto_server.core.coordinators.transactions.describe import unknown_states
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.transaction_requests import ListValues
from tests.core.coordinators.support.transaction_world import OFFSETS, P0, P1, TransactionWorld


def several() -> TransactionWorld:
    """Ids in three states: a is empty, b open since 100 ms, c prepared since 50 ms."""
    world = TransactionWorld()
    world.begin("a")
    world.add(world.begin("b"), P0, transactional_id="b")
    world.advance(50)
    producer = world.begin("c")
    world.add(producer, P0, P1, transactional_id="c")
    world.end(producer, transactional_id="c")
    world.advance(50)
    return world


def matching(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


def listed(world: TransactionWorld, values: ListValues) -> str:
    found = world.coordinator.list_transactions(values)
    return "".join(sorted(each.transactional_id for each in found if each is not None))


def test_a_description_has_identity_time_and_partitions() -> None:
    world = TransactionWorld()
    producer = world.begin(timeout_ms=5_000)
    started_ms = world.wall_ms()
    world.add(producer, P1, OFFSETS, P0)
    assert world.coordinator.describe("a") == DescribeTransactionsResponse.TransactionState(
        error_code=0,
        transactional_id="a",
        transaction_state="Ongoing",
        transaction_timeout_ms=5_000,
        transaction_start_time_ms=started_ms,
        producer_id=producer[0],
        producer_epoch=producer[1],
        topics=[
            DescribeTransactionsResponse.TopicData(topic="__consumer_offsets", partitions=[7]),
            DescribeTransactionsResponse.TopicData(topic="topic", partitions=[0, 1]),
        ],
    )


@pytest.mark.parametrize(
    ("transactional_id", "code"),
    [("b", ErrorCode.TRANSACTIONAL_ID_NOT_FOUND), ("", ErrorCode.INVALID_REQUEST)],
)
def test_an_id_that_is_not_there_has_no_description(transactional_id: str, code: ErrorCode) -> None:
    found = TransactionWorld().coordinator.describe(transactional_id)
    assert (found.error_code, found.transactional_id) == (code, transactional_id)


def test_a_prepared_transaction_has_the_partitions_that_lack_their_marker() -> None:
    world = several()
    request = world.brokers.requests.pop()
    assert request.broker_id == 2
    request.done(world.brokers.write(request))
    (topic,) = world.coordinator.describe("c").topics
    assert (topic.topic, topic.partitions) == ("topic", [0])


def test_without_filters_all_are_listed() -> None:
    world = several()
    found = world.coordinator.list_transactions(ListValues())
    assert [
        (each.transactional_id, each.producer_id, each.transaction_state)
        for each in found
        if each is not None
    ] == [
        ("a", 1001, "Empty"),
        ("b", 1002, "Ongoing"),
        ("c", 1003, "PrepareCommit"),
    ]


@pytest.mark.parametrize(
    ("values", "ids"),
    [
        (ListValues(state_filters=("Ongoing",)), "b"),
        (ListValues(state_filters=("Ongoing", "Empty")), "ab"),
        (ListValues(state_filters=("Ongoing", "Nonsense")), "b"),
        (ListValues(state_filters=("Nonsense",)), ""),
        (ListValues(producer_id_filters=frozenset({1001, 1003})), "ac"),
        (ListValues(duration_filter_ms=49), "abc"),
        (ListValues(duration_filter_ms=50), "ab"),
        (ListValues(duration_filter_ms=100), "a"),
        (ListValues(duration_filter_ms=-1), "abc"),
        (ListValues(matches=matching("[bc]")), "bc"),
        (ListValues(matches=matching("[bc]"), state_filters=("Ongoing", "Empty")), "b"),
    ],
)
def test_what_passes_the_filters_is_listed(values: ListValues, ids: str) -> None:
    assert listed(several(), values) == ids


def test_unknown_states_are_named() -> None:
    assert unknown_states(["Ongoing", "Nonsense", "Dead", "ongoing"]) == ["Nonsense", "ongoing"]


def test_changes_that_are_not_committed_are_not_seen() -> None:
    world = several()
    world.log.commits_at_once = False
    world.init("d")
    world.end((1002, 0), transactional_id="b")
    assert listed(world, ListValues(state_filters=("Empty", "Ongoing"))) == "ab"


@pytest.mark.parametrize("is_loading", [True, False])
def test_nothing_is_listed_by_one_that_does_not_coordinate(is_loading: bool) -> None:
    world = TransactionWorld()
    if is_loading:
        world.coordinator = world.begin_loading()
    else:
        world.coordinator.unload()
    with pytest.raises(CoordinatorError) as caught:
        world.coordinator.list_transactions(ListValues())
    assert caught.value.code is (
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS if is_loading else ErrorCode.NOT_COORDINATOR
    )
