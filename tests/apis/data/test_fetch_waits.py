"""Fetch requests that wait: large ones, and those whose connection ends.

Tests: `base.metrics.topics`, `shell.replicas.requests.readable_replicas`.
"""

from __future__ import annotations

import gc
import heapq
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.replicas.fetch_sessions import FetchContext
from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.data import FetchResult
from kafkaproto_server.requests.fetch_requests import PartitionFetch, fetch_values
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.requests import fetches as module
from kafkaproto_server.shell.replicas.requests.named_topics import MayRead
from kafkaproto_server.shell.replicas.requests.readable_replicas import ReadableReplicas
from kafkaproto_server.shell.replicas.timers import TURN_MS
from tests.apis.data.test_nearest_replicas import RACK_AWARE
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, wanted
from tests.apis.support.replicas import cold
from tests.sim.disk import MemoryFile

SIZES = pytest.mark.parametrize("few", [0, 128], ids=["large", "small"])
"""How many partitions a small request has at most."""
SIZE = len(batch(b"a"))


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
    find = ReadableReplicas.find

    def counted(
        replicas: ReadableReplicas, fetch: PartitionFetch, may_read: MayRead, context: FetchContext
    ) -> Hosted:
        looked_at.append(fetch.index)
        return find(replicas, fetch, may_read, context)

    monkeypatch.setattr(ReadableReplicas, "find", counted)
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


def test_a_large_request_ends_once_a_closer_replica_has_the_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = DataBroker(replica_selector_class="org.apache.kafka.common.replica.RackAwareReplicaSelector")
    broker.topic("t", [ME, OTHER])
    broker.produce("t", batch(b"a"))
    monkeypatch.setattr("kafkaproto_server.shell.replicas.requests.fetches.FEW_PARTITIONS", 0)
    request = broker.fetch_request(("t", [wanted(0, 1)]), rack_id=f"r{OTHER}", max_wait_ms=1000)
    found = broker.send(request, 18)
    assert found == []
    broker.replicate("t", 1)
    (response,) = found
    assert response.responses[0].partitions[0].preferred_read_replica == OTHER


def test_a_large_request_for_which_there_is_enough_does_not_wait(broker: DataBroker) -> None:
    broker.produce("t", batch(b"a"))
    partitions = [wanted(index) for index in range(1000)]
    (response,) = broker.send(broker.fetch_request(("t", partitions), max_wait_ms=1000), 18)
    assert [each.partition_index for each in response.responses[0].partitions if each.records] == [0]


def test_a_large_request_whose_session_is_closed_while_it_is_looked_at_has_one_response(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it is left to be looked at then. Two partitions have changed meanwhile: the first ends the wait."""
    monkeypatch.setattr("kafkaproto_server.shell.replicas.requests.parked_fetches.STEPS_A_TURN", 1)
    broker.topic("wide", *[[ME]] * 200)
    # The last one is not there.
    partitions = [wanted(index) for index in range(201)]
    session = broker.ask(broker.fetch_request(("wide", partitions), session_epoch=0), 18).session_id
    find = ReadableReplicas.find
    closed: list[object] = []

    def late(
        replicas: ReadableReplicas, fetch: PartitionFetch, may_read: MayRead, context: FetchContext
    ) -> Hosted:
        if fetch.index == 150 and not closed:
            closed.append(fetch)
            for index in (0, 1):
                broker.produce("wide", batch(b"a"), index)
            broker.send(broker.fetch_request(session_id=session, session_epoch=-1), 18)
        return find(replicas, fetch, may_read, context)

    monkeypatch.setattr(ReadableReplicas, "find", late)
    continued = broker.fetch_request(session_id=session, session_epoch=1, max_wait_ms=1000)
    found = broker.send(continued, 18)
    broker.replicas.pass_time(1000)
    assert (len(closed), len(found)) == (1, 1)


def test_what_changes_while_a_large_request_is_looked_at_is_not_missed(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.shell.replicas.requests.parked_fetches.STEPS_A_TURN", 1)
    find = ReadableReplicas.find
    written: list[bytes] = []

    def late(
        replicas: ReadableReplicas, fetch: PartitionFetch, may_read: MayRead, context: FetchContext
    ) -> Hosted:
        if fetch.index == 900 and not written:
            written.extend([batch(b"a"), batch(b"b")])
            for index in range(2):
                broker.produce("four", written[index], index)
        return find(replicas, fetch, may_read, context)

    monkeypatch.setattr(ReadableReplicas, "find", late)
    (response,) = large(broker, min_bytes=2 * SIZE)
    sizes = [len(each.records) for each in response.responses[0].partitions[:3]]
    assert sizes == [SIZE, SIZE, 0]


def test_a_large_request_for_more_than_it_allows_waits_only_for_what_it_allows(broker: DataBroker) -> None:
    size = len(batch(b"a"))
    found = large(broker, min_bytes=1 << 20, max_bytes=2 * size)
    broker.produce("four", batch(b"a"), 0)
    assert found == []
    broker.produce("four", batch(b"a"), 1)
    (response,) = found
    assert [len(each.records or b"") for each in response.responses[0].partitions[:3]] == [size, size, 0]


def test_a_large_request_gets_a_first_batch_that_is_larger_than_it_allows(broker: DataBroker) -> None:
    sent = batch(bytes(1000))
    found = large(broker, max_bytes=100)
    broker.produce("four", sent, 2)
    broker.replicas.call_due()
    (response,) = found
    assert [len(each.records) for each in response.responses[0].partitions[:4]] == [0, 0, len(sent), 0]


def test_a_request_that_becomes_large_while_it_waits_counts_no_records_twice(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.shell.replicas.requests.fetches.FEW_PARTITIONS", 2)
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
    monkeypatch.setattr("kafkaproto_server.shell.replicas.requests.parked_fetches.STEPS_A_TURN", 1)
    found, find = large(broker), ReadableReplicas.find

    def late(
        replicas: ReadableReplicas, fetch: PartitionFetch, may_read: MayRead, context: FetchContext
    ) -> Hosted:
        if fetch.index == 500:
            broker.replicas.clock.now += 1000
        return find(replicas, fetch, may_read, context)

    monkeypatch.setattr(ReadableReplicas, "find", late)
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
    find = ReadableReplicas.find

    def slow(
        replicas: ReadableReplicas, fetch: PartitionFetch, may_read: MayRead, context: FetchContext
    ) -> Hosted:
        # It takes so long that what is due besides has to wait.
        if fetch.index == 500:
            broker.replicas.clock.now += TURN_MS
        return find(replicas, fetch, may_read, context)

    monkeypatch.setattr(ReadableReplicas, "find", slow)
    broker.replicas.pass_time(1000)
    assert (len(of_large), len(of_small)) == (1, 1)


@pytest.mark.parametrize("turns", [0, 1, 3, 1000])
def test_a_large_request_is_given_up_at_any_time(
    broker: DataBroker, turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.shell.replicas.requests.parked_fetches.STEPS_A_TURN", 4)
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


def test_what_a_consumer_may_not_have_yet_ends_no_wait(
    replicated: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if a thread would have to read it. Otherwise consumers that have all ask again and again."""
    assert replicated.produce("t", batch(b"a")).error_code == 0
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    monkeypatch.setattr(MemoryFile, "part_now", cold)
    request = replicated.fetch_request(("t", [wanted()]), max_wait_ms=1000)
    found = replicated.send(request, 18)
    replicated.replicas.pass_time(999)
    assert found == []


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
    broker.services.fetches.fetch(values, 18, lambda _: True, found.append, throttle)
    (result,) = found
    assert (asked, result.throttle_ms) == ([len(sent)], throttle_ms)
    assert [each.records_bytes for _, each in result.responses] == ([] if throttle_ms else [len(sent)])


def test_a_consumer_over_its_quota_hears_of_its_session(broker: DataBroker) -> None:
    throttle = cast(Throttle, SimpleNamespace(fetched=lambda record_bytes: 700))
    found: list[FetchResult] = []
    values = fetch_values(broker.fetch_request(session_id=77, session_epoch=1), 18)
    broker.services.fetches.fetch(values, 18, lambda _: True, found.append, throttle)
    (result,) = found
    assert (result.error_code, result.throttle_ms) == (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, 0)


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
    give_up = broker.services.fetches.fetch(fetch_values(request, 18), 18, lambda _: True, found.append, None)
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


@SIZES
def test_a_follower_is_heard_of_when_its_request_comes_and_not_when_that_is_looked_at_again(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_PARTITIONS", few)
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


# --- what is looked at, and how often ---


def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The partitions that are looked at from now on."""
    found: list[int] = []
    find = ReadableReplicas.find

    def noted(
        replicas: ReadableReplicas, fetch: PartitionFetch, may_read: MayRead, context: FetchContext
    ) -> Hosted:
        found.append(fetch.index)
        return find(replicas, fetch, may_read, context)

    monkeypatch.setattr(ReadableReplicas, "find", noted)
    return found


@SIZES
@pytest.mark.parametrize("max_wait_ms", [-1, 0, 1])
def test_a_request_is_looked_at_again_only_if_it_waits(
    broker: DataBroker, few: int, max_wait_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_PARTITIONS", few)
    looks = looked_at(monkeypatch)
    found = broker.send(broker.fetch_request(("t", [wanted()]), max_wait_ms=max_wait_ms), 18)
    assert (len(found), looks) == ((0, [0]) if max_wait_ms > 0 else (1, [0]))
    broker.replicas.pass_time(1)
    assert (len(found), looks) == ((1, [0, 0]) if max_wait_ms > 0 else (1, [0]))


def test_a_request_that_names_its_topic_is_woken_as_well(broker: DataBroker) -> None:
    request = broker.fetch_request(("t", [wanted()]), version=12, max_wait_ms=1000)
    found = broker.send(request, 12)
    assert found == []
    broker.produce("t", batch(b"a"))
    assert len(found) == 1


@SIZES
def test_a_follower_has_what_it_asks_for_in_its_newest_request(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_PARTITIONS", few)
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    for value in (b"a", b"b"):
        broker.produce("t", batch(value))
    for offset in (1, 2):
        broker.replicate("t", offset)
        assert broker.replicas.partition("t", 0).high_watermark == offset


def test_an_error_ends_the_wait_for_the_partitions_behind_it(broker: DataBroker) -> None:
    broker.topic("two", [ME], [ME])
    request = broker.fetch_request(("two", [wanted(0, 7), wanted(1)]), max_wait_ms=1000)
    (response,) = broker.send(request, 18)
    assert [each.error_code for each in response.responses[0].partitions] == [
        ErrorCode.OFFSET_OUT_OF_RANGE,
        0,
    ]


@pytest.mark.parametrize(
    ("batches", "limit", "min_bytes", "has_enough"),
    [
        ((1, 1), 1 << 20, 2 * SIZE, True),
        ((1, 0), 1 << 20, SIZE + 1, False),
        ((3, 0), SIZE, 2 * SIZE, False),
        ((1, 0), 0, 1, True),
        ((1, 0), 0, 2, False),
    ],
    ids=["both logs", "no more than there is", "no more than the limit", "something", "but a byte"],
)
def test_what_a_thread_is_to_read_counts_as_far_as_its_size_is_known(
    broker: DataBroker,
    monkeypatch: pytest.MonkeyPatch,
    *,
    batches: tuple[int, int],
    limit: int,
    min_bytes: int,
    has_enough: bool,
) -> None:
    broker.topic("two", [ME], [ME])
    for index, count in enumerate(batches):
        for _ in range(count):
            assert broker.produce("two", batch(b"a"), index).error_code == 0
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    partitions = [wanted(index, partition_max_bytes=limit) for index in range(2)]
    found = broker.send(broker.fetch_request(("two", partitions), max_wait_ms=1000, min_bytes=min_bytes), 18)
    assert bool(found) == has_enough


def test_a_request_that_waits_takes_a_place_for_each_partition_and_at_least_one(broker: DataBroker) -> None:
    broker.topic("three", [ME], [ME], [ME])
    parked = broker.replicas.manager.fetches.parked
    for count in (1, 3):
        request = broker.fetch_request(("three", [wanted(index) for index in range(count)]), max_wait_ms=1000)
        assert broker.send(request, 18) == []
        assert parked.partitions == count
        broker.replicas.pass_time(1000)
    full = broker.fetch_request(("three", [wanted(index) for index in range(3)]), session_epoch=0)
    session: dict[str, Any] = {"session_id": broker.ask(full, 18).session_id}
    broker.ask(broker.fetch_request(**session, session_epoch=1), 18)
    # Nothing is new in any of its partitions.
    assert broker.send(broker.fetch_request(**session, session_epoch=2, max_wait_ms=1000), 18) == []
    assert parked.partitions == 1


@SIZES
def test_what_was_read_for_a_request_is_not_kept_while_it_waits_or_when_it_is_given_up(
    broker: DataBroker, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_PARTITIONS", few)
    broker.replicas.follow()
    request = broker.fetch_request(("t", [wanted()]), max_wait_ms=1000)
    fetch = broker.replicas.manager.fetches.fetch
    give_up: Any = fetch(fetch_values(request, 18), 18, lambda _: True, lambda result: None)
    broker.replicas.call_due()
    # What a small request has read is not read again before its response.
    assert len(give_up.__self__._results) == (0 if few == 0 else 1)
    give_up()
    assert give_up.__self__._results == []


@pytest.mark.parametrize("is_cold", [False, True], ids=["at once", "in a thread"])
def test_records_that_did_not_fit_come_with_the_next_request_of_the_session(
    broker: DataBroker, is_cold: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.topic("two", [ME], [ME])
    full = broker.fetch_request(("two", [wanted(0), wanted(1)]), session_epoch=0)
    session_id = broker.ask(full, 18).session_id
    for index in range(2):
        broker.produce("two", batch(b"a"), index)
    if is_cold:
        monkeypatch.setattr(MemoryFile, "read_now", cold)
    for epoch in (1, 2):
        # The second request says that the first partition's records have come.
        named = [("two", [wanted(0, 1)])] if epoch == 2 else []
        request = broker.fetch_request(*named, session_id=session_id, session_epoch=epoch, max_bytes=SIZE)
        (topic,) = broker.ask(request, 18).responses
        found = [each.partition_index for each in topic.partitions if each.records]
        assert found == [epoch - 1]


# --- large requests ---


def test_what_there_was_when_a_large_request_came_counts_once(broker: DataBroker) -> None:
    size = len(batch(b"a"))
    broker.topic("four", *[[ME]] * 4)
    broker.produce("four", batch(b"a"), 0)
    request = broker.fetch_request(
        ("four", [*map(wanted, range(1004))]), max_wait_ms=1000, min_bytes=3 * size
    )
    found = broker.send(request, 18)
    broker.produce("four", batch(b"b"), 0)
    broker.replicas.call_due()
    assert found == []
    broker.produce("four", batch(b"c"), 1)
    broker.replicas.call_due()
    assert len(found) == 1


def test_what_changes_while_one_request_is_looked_at_is_nothing_to_others(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.shell.replicas.requests.parked_fetches.STEPS_A_TURN", 1)
    broker.topic("other")
    find = ReadableReplicas.find
    written: list[bytes] = []

    def late(
        replicas: ReadableReplicas, fetch: PartitionFetch, may_read: MayRead, context: FetchContext
    ) -> Hosted:
        if fetch.index == 900 and not written:
            written.append(batch(b"a"))
            broker.produce("four", written[0], 0)
        return find(replicas, fetch, may_read, context)

    monkeypatch.setattr(ReadableReplicas, "find", late)
    assert len(large(broker)) == 1
    request = broker.fetch_request(("other", [*map(wanted, range(1000))]), max_wait_ms=1000)
    assert broker.send(request, 18) == []


def test_what_a_thread_reads_for_a_large_request_is_read_for_no_other(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    found = large(broker)
    broker.produce("four", batch(b"a"), 0)
    broker.replicas.call_due()
    assert len(found) == 1
    refused = broker.ask(broker.fetch_request(session_id=77, session_epoch=1), 18)
    assert refused.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_a_large_request_is_looked_at_some_partitions_at_a_time(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.shell.replicas.requests.parked_fetches.STEPS_A_TURN", 1)
    looks = looked_at(monkeypatch)
    broker.replicas.follow()
    fetches, timers = broker.replicas.manager.fetches, broker.replicas.manager._timers
    request = broker.fetch_request(("t", [*map(wanted, range(300))]), max_wait_ms=1000)
    fetches.fetch(fetch_values(request, 18), 18, lambda _: True, lambda result: None)

    def in_turns() -> list[int]:
        """How many partitions are looked at in each turn."""
        found: list[int] = []
        while fetches.in_turns._works:
            before = len(looks)
            heapq.heappop(timers._heap)[2]()
            found.append(len(looks) - before)
        return [each for each in found if each]

    assert in_turns() == [64, 64, 64, 64, 44]
    # Its time is over.
    heapq.heappop(timers._heap)[2]()
    assert in_turns() == [64, 64, 64, 64, 44]


def test_a_batch_that_is_larger_than_the_limit_ends_the_wait_of_a_large_request(broker: DataBroker) -> None:
    found = large(broker, max_bytes=1)
    broker.produce("four", batch(b"a"), 0)
    broker.replicas.call_due()
    (response,) = found
    assert len(response.responses[0].partitions[0].records) == len(batch(b"a"))


def test_a_batch_that_does_not_fit_any_more_does_not_end_the_wait_of_a_large_request(
    broker: DataBroker,
) -> None:
    found = large(broker, min_bytes=1 << 20, max_bytes=SIZE + 10)
    for index in range(2):
        broker.produce("four", batch(b"a"), index)
        broker.replicas.call_due()
    assert found == []


def test_a_small_request_waits_on_for_the_others_when_a_topic_is_deleted(broker: DataBroker) -> None:
    broker.topic("other")
    request = broker.fetch_request(("t", [wanted()]), ("other", [wanted()]), max_wait_ms=1000)
    found = broker.send(request, 18)
    broker.delete_topic("other")
    assert found == []
    broker.produce("t", batch(b"a"))
    assert len(found) == 1


def test_a_topic_that_is_deleted_ends_the_wait_of_a_large_request(broker: DataBroker) -> None:
    found = large(broker)
    broker.delete_topic("four")
    (response,) = found
    gone = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert {each.error_code for each in response.responses[0].partitions} == {gone}


@SIZES
def test_a_replica_that_is_nearer_ends_the_wait_once_it_has_the_offset(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_PARTITIONS", few)
    broker = DataBroker(replica_selector_class=RACK_AWARE)
    broker.topic("t", [ME, OTHER])
    for value in (b"a", b"b"):
        broker.produce("t", batch(value))
    broker.replicate("t", 1)
    found = broker.send(broker.fetch_request(("t", [wanted(0, 2)]), rack_id="r0", max_wait_ms=1000), 18)
    assert found == []
    broker.replicate("t", 2)
    assert [each.responses[0].partitions[0].preferred_read_replica for each in found] == [OTHER]
