"""Fetch requests that wait: large ones, and those whose connection ends."""

from __future__ import annotations

import gc
import heapq
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.node.replicas.fetches import Fetches, MayRead
from kafkaproto_server.node.replicas.hosted import Hosted
from kafkaproto_server.node.replicas.timers import TURN_MS
from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.data import FetchResult
from kafkaproto_server.requests.fetch_requests import PartitionFetch, fetch_values
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, wanted


def large(broker: DataBroker, **fields: Any) -> list[Any]:
    """What comes of a request for four partitions of a topic and a thousand that are not there."""
    broker.topic("four", *[[ME]] * 4)
    partitions = [wanted(index) for index in range(1004)]
    return broker.send(broker.fetch_request(("four", partitions), **{"max_wait_ms": 1000, **fields}), 18)


def test_a_large_request_that_waits_looks_only_at_what_has_changed(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(batch(b"a"))
    looked_at: list[int] = []
    find = Fetches.find

    def counted(fetches: Fetches, fetch: PartitionFetch, may_read: MayRead) -> Hosted:
        looked_at.append(fetch.index)
        return find(fetches, fetch, may_read)

    monkeypatch.setattr(Fetches, "find", counted)
    found = large(broker, min_bytes=4 * size)
    assert len(looked_at) == 1004
    looked_at.clear()
    for index in (0, 3, 3):
        broker.produce("four", batch(b"a"), index)
    assert (found, {*looked_at}) == ([], {0, 3})
    assert len(looked_at) < 10
    broker.produce("four", batch(b"b"), 1)
    broker.replicas.call_due()
    ((response,), looked) = found, len(looked_at)
    assert looked > 1004
    sizes = [len(each.records or b"") for each in response.responses[0].partitions]
    assert sizes[:5] == [size, size, 0, 2 * size, 0]
    assert not broker.replicas.manager.fetches.parked.partitions


@pytest.mark.parametrize("session_epoch", [-1, 0])
def test_a_large_request_ends_with_its_time_or_with_an_error(broker: DataBroker, session_epoch: int) -> None:
    found = large(broker, session_epoch=session_epoch)
    broker.replicas.pass_time(999)
    assert found == []
    broker.replicas.pass_time(1)
    (response,) = found
    assert len(response.responses[0].partitions) == 1004
    found = broker.send(broker.fetch_request(("four", [wanted(0, 7), *map(wanted, range(1, 1004))])), 18)
    assert found[0].responses[0].partitions[0].error_code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_a_large_request_for_which_there_is_enough_does_not_wait(broker: DataBroker) -> None:
    broker.produce("t", batch(b"a"))
    partitions = [wanted(index) for index in range(1000)]
    (response,) = broker.send(broker.fetch_request(("t", partitions), max_wait_ms=1000), 18)
    assert [each.partition_index for each in response.responses[0].partitions if each.records] == [0]


def test_a_large_request_whose_session_is_closed_while_it_is_looked_at_has_one_response(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it is left to be looked at then. Two partitions have changed meanwhile: the first ends the wait."""
    monkeypatch.setattr("kafkaproto_server.node.replicas.parked_fetches.STEPS_A_TURN", 1)
    broker.topic("wide", *[[ME]] * 200)
    # The last one is not there.
    partitions = [wanted(index) for index in range(201)]
    session = broker.ask(broker.fetch_request(("wide", partitions), session_epoch=0), 18).session_id
    find = Fetches.find
    closed: list[object] = []

    def late(fetches: Fetches, fetch: PartitionFetch, may_read: MayRead) -> Hosted:
        if fetch.index == 150 and not closed:
            closed.append(fetch)
            for index in (0, 1):
                broker.produce("wide", batch(b"a"), index)
            broker.send(broker.fetch_request(session_id=session, session_epoch=-1), 18)
        return find(fetches, fetch, may_read)

    monkeypatch.setattr(Fetches, "find", late)
    continued = broker.fetch_request(session_id=session, session_epoch=1, max_wait_ms=1000)
    found = broker.send(continued, 18)
    broker.replicas.pass_time(1000)
    assert (len(closed), len(found)) == (1, 1)


def test_what_changes_while_a_large_request_is_looked_at_is_not_missed(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.node.replicas.parked_fetches.STEPS_A_TURN", 1)
    find = Fetches.find
    written: list[bytes] = []

    def late(fetches: Fetches, fetch: PartitionFetch, may_read: MayRead) -> Hosted:
        if fetch.index == 900 and not written:
            written.append(batch(b"a"))
            broker.produce("four", written[0], 0)
        return find(fetches, fetch, may_read)

    monkeypatch.setattr(Fetches, "find", late)
    (response,) = large(broker)
    assert len(response.responses[0].partitions[0].records) == len(written[0])


def test_a_large_request_for_more_than_it_allows_waits_only_for_what_it_allows(broker: DataBroker) -> None:
    size = len(batch(b"a"))
    found = large(broker, min_bytes=1 << 20, max_bytes=2 * size)
    broker.produce("four", batch(b"a"), 0)
    assert found == []
    broker.produce("four", batch(b"a"), 1)
    (response,) = found
    assert [len(each.records or b"") for each in response.responses[0].partitions[:3]] == [size, size, 0]


def test_a_request_that_becomes_large_while_it_waits_counts_no_records_twice(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.node.replicas.fetches.FEW_PARTITIONS", 2)
    size = len(batch(b"a"))
    broker.topic("four", *[[ME]] * 4)
    first = broker.fetch_request(("four", [wanted(index) for index in range(4)]), session_epoch=0)
    session: dict[str, Any] = {"session_id": broker.ask(first, 18).session_id, "max_wait_ms": 0}
    broker.ask(broker.fetch_request(**session, session_epoch=1), 18)
    # No partition has anything new, so that the request is small.
    session |= {"session_epoch": 2, "max_wait_ms": 1000, "min_bytes": 5 * size}
    found = broker.send(broker.fetch_request(**session), 18)
    for index in (0, 1, 2, 0):
        broker.produce("four", batch(b"a"), index)
    broker.replicas.call_due()
    assert found == []
    broker.produce("four", batch(b"a"), 3)
    broker.replicas.call_due()
    (response,) = found
    assert sum(len(each.records) for each in response.responses[0].partitions) == 5 * size


def test_a_large_request_whose_time_ends_while_its_response_is_made_gets_one(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.node.replicas.parked_fetches.STEPS_A_TURN", 1)
    found, find = large(broker), Fetches.find

    def late(fetches: Fetches, fetch: PartitionFetch, may_read: MayRead) -> Hosted:
        if fetch.index == 500:
            broker.replicas.clock.now += 1000
        return find(fetches, fetch, may_read)

    monkeypatch.setattr(Fetches, "find", late)
    broker.produce("four", batch(b"a"), 0)
    broker.replicas.call_due()
    (response,) = found
    partitions = response.responses[0].partitions
    assert [each.partition_index for each in partitions if each.records] == [0]
    assert len(partitions) == 1004


def test_a_small_request_does_not_wait_for_its_turn_behind_a_large_one(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_large = large(broker)
    of_small = broker.send(broker.fetch_request(("t", [wanted()]), max_wait_ms=1000), 18)
    find = Fetches.find

    def slow(fetches: Fetches, fetch: PartitionFetch, may_read: MayRead) -> Hosted:
        # It takes so long that what is due besides has to wait.
        if fetch.index == 500:
            broker.replicas.clock.now += TURN_MS
        return find(fetches, fetch, may_read)

    monkeypatch.setattr(Fetches, "find", slow)
    broker.replicas.pass_time(1000)
    assert (len(of_large), len(of_small)) == (1, 1)


@pytest.mark.parametrize("turns", [0, 1, 3, 1000])
def test_a_large_request_is_given_up_at_any_time(
    broker: DataBroker, turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.node.replicas.parked_fetches.STEPS_A_TURN", 4)
    broker.topic("four", *[[ME]] * 4)
    broker.replicas.follow()
    request = broker.fetch_request(("four", [wanted(index) for index in range(1004)]), max_wait_ms=1000)
    found: list[FetchResult] = []
    fetches = broker.replicas.manager.fetches
    give_up = fetches.fetch(fetch_values(request, 18), 18, lambda _: True, found.append)
    timers = broker.replicas.manager._timers
    for _ in range(turns):
        if fetches.in_turns._works:
            heapq.heappop(timers._heap)[2]()
    give_up()
    broker.replicas.pass_time(1000)
    broker.produce("four", batch(b"a"), 0)
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("four"), 0)
    assert hosted is not None
    metrics = fetches.metrics.fetches
    assert (found, len(hosted.partition.watchers), metrics.operations, fetches.parked.partitions) == (
        [],
        0,
        0,
        0,
    )


@pytest.mark.parametrize("throttle_ms", [0, 700])
def test_only_a_consumer_over_its_quota_gets_no_records(broker: DataBroker, throttle_ms: int) -> None:
    sent = batch(b"a")
    broker.produce("t", sent)
    asked: list[int] = []

    def fetched(record_bytes: int) -> int:
        asked.append(record_bytes)
        return throttle_ms

    throttle = cast(Throttle, SimpleNamespace(fetched=fetched))
    found: list[FetchResult] = []
    values = fetch_values(broker.fetch_request(("t", [wanted()])), 18)
    broker.services.replicas.fetch(values, 18, lambda _: True, found.append, throttle)
    (result,) = found
    assert (asked, result.throttle_ms) == ([len(sent)], throttle_ms)
    assert [each.records_bytes for _, each in result.responses] == ([] if throttle_ms else [len(sent)])


def test_a_request_leaves_no_cycles(broker: DataBroker) -> None:
    broker.produce("t", batch(b"a"))
    broker.fetch("t")
    gc.collect()
    gc.disable()
    try:
        for _ in range(20):
            broker.fetch("t")
        assert gc.collect() < 20
    finally:
        gc.enable()


@pytest.mark.parametrize("session_epoch", [-1, 0])
def test_a_request_that_is_given_up_leaves_nothing(broker: DataBroker, session_epoch: int) -> None:
    broker.replicas.follow()
    found: list[FetchResult] = []
    request = broker.fetch_request(("t", [wanted()]), max_wait_ms=1000, session_epoch=session_epoch)
    give_up = broker.services.replicas.fetch(
        fetch_values(request, 18), 18, lambda _: True, found.append, None
    )
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert hosted is not None
    partition = hosted.partition
    metrics = broker.replicas.manager.fetches.metrics.fetches
    assert (len(partition.watchers), metrics.operations, metrics.watched) == (1, 1, 1)
    give_up()
    give_up()
    assert (len(partition.watchers), metrics.operations, metrics.watched) == (0, 0, 0)
    broker.produce("t", batch(b"a"))
    broker.replicas.pass_time(1000)
    assert found == []


def test_a_follower_is_heard_of_when_its_request_comes_and_not_when_that_is_looked_at_again() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    broker.report()
    follower = broker.replicas.partition("t", 0).followers[OTHER]
    epoch = broker.harness.image.brokers[OTHER].epoch
    waits = broker.fetch_request(
        ("t", [wanted()]), replica_id=OTHER, replica_epoch=epoch, max_wait_ms=1000, min_bytes=10_000
    )
    assert broker.send(waits, 18) == []
    broker.replicas.pass_time(400)
    broker.produce("t", batch(b"a"))
    lags_since_ms = broker.replicas.clock.now
    broker.replicas.pass_time(200)
    broker.produce("t", batch(b"b"))
    broker.replicas.pass_time(400)
    broker.produce("t", batch(b"c"))
    broker.replicate("t", 2)
    # It has never had all since the first record.
    assert follower.last_caught_up_ms == lags_since_ms
