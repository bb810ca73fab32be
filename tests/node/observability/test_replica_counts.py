"""What is told of all replicas together, and what a look at them does to the metrics of topics."""

from __future__ import annotations

import pytest
import trio

from kafkaproto_server.node.observability import replica_counts as module
from kafkaproto_server.node.observability.replica_counts import LATE_AFTER_MS, ReplicaCounts, count_replicas
from kafkaproto_server.requests.data import ProduceItem
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, wanted
from tests.apis.support.transactional_broker import TransactionalBroker

MAX_TIMEOUT_MS = 70_000


def counts(broker: DataBroker, at_ms: int | None = None) -> ReplicaCounts:
    """What a look finds, at a time of the wall clock."""
    return trio.run(
        count_replicas, broker.replicas.manager, broker.replicas.clock.wall_ms() if at_ms is None else at_ms
    )


@pytest.mark.trio
@pytest.mark.parametrize("at_once", [1, 1_000])
async def test_producers_are_counted_some_replicas_at_a_time(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = TransactionalBroker()
    producer = broker.begin()
    broker.write(producer)
    broker.write(producer, index=1)
    passes = 0

    async def checkpoint() -> None:
        nonlocal passes
        passes += 1

    monkeypatch.setattr(module, "REPLICAS_AT_ONCE", at_once)
    monkeypatch.setattr(trio.lowlevel, "checkpoint", checkpoint)
    assert (await count_replicas(broker.replicas.manager, 0)).producers == 2
    replicas = len(tuple(broker.replicas.manager.replicas))
    assert replicas > 3
    assert passes == (replicas if at_once == 1 else 0) + 1


@pytest.mark.trio
@pytest.mark.parametrize("at_once", [1, 1_000])
async def test_topics_of_sessions_are_counted_some_at_a_time(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = DataBroker()
    broker.topic("t")
    for _ in range(3):
        broker.ask(broker.fetch_request(("t", [wanted(0)]), session_epoch=0), 18)
    passes = 0

    async def checkpoint() -> None:
        nonlocal passes
        passes += 1

    monkeypatch.setattr(module, "TOPICS_AT_ONCE", at_once)
    monkeypatch.setattr(trio.lowlevel, "checkpoint", checkpoint)
    await count_replicas(broker.replicas.manager, 0)
    assert passes == (3 if at_once == 1 else 0) + 1


def test_a_transaction_is_late_five_minutes_after_the_longest_timeout_by_its_newest_record() -> None:
    broker = TransactionalBroker(transaction_max_timeout_ms=str(MAX_TIMEOUT_MS))
    producer = broker.begin()
    assert broker.write(producer, timestamp_ms=1_000).error_code == 0
    assert broker.write(producer, index=1, timestamp_ms=500).error_code == 0
    latest_ms = 1_000 + MAX_TIMEOUT_MS + LATE_AFTER_MS
    assert counts(broker, latest_ms - 500).late_transactions == 0
    assert counts(broker, latest_ms).late_transactions == 1
    assert counts(broker, latest_ms + 1).late_transactions == 2
    # What counts is the newest batch, even if its timestamp is an earlier one.
    assert broker.write(producer, sequence=1, timestamp_ms=9_000).error_code == 0
    assert counts(broker, latest_ms + 1).late_transactions == 1
    broker.end(producer)
    broker.replicas.call_due()
    assert counts(broker, latest_ms + 60_000).late_transactions == 0


def test_only_the_leader_tells_of_a_late_transaction() -> None:
    broker = DataBroker()
    broker.trust_producers()
    broker.topic("t", [ME, OTHER])
    records = batch(
        b"v", timestamp_ms=1_000, transactional=True, producer_id=7, producer_epoch=0, base_sequence=0
    )
    broker.replicas.follow()
    item = ProduceItem(topic_id=broker.topic_id("t"), index=0, records=records, allows_zstd=True)
    broker.services.replicas.produce([item], 1, 1_000, lambda results: None)
    assert counts(broker).late_transactions == 1
    broker.harness.heartbeat(ME, want_fence=True)
    broker.harness.heartbeat(ME)
    broker.replicas.follow()
    assert broker.harness.partition("t").leader == OTHER
    assert counts(broker).late_transactions == 0


def test_a_topic_without_a_replica_here_has_no_numbers_after_a_look() -> None:
    broker = DataBroker()
    broker.topic("t")
    broker.produce("t", batch())
    metrics = broker.replicas.manager.topic_metrics
    metrics.of("elsewhere").fetch_requests += 1
    counts(broker)
    assert list(metrics.topics) == ["t"]


def test_requests_of_a_session_count_for_each_of_its_partitions_at_the_next_look() -> None:
    broker = DataBroker()
    broker.topic("t", [ME], [ME])
    broker.topic("u")
    metrics = broker.replicas.manager.topic_metrics

    def fetch(session_id: int, epoch: int, *names: str) -> int:
        topics = [(name, [wanted(0), wanted(1)] if name == "t" else [wanted(0)]) for name in names]
        request = broker.fetch_request(*topics, session_id=session_id, session_epoch=epoch)
        response = broker.ask(request, 18)
        assert response.error_code == 0
        session: int = response.session_id
        return session

    session_id = fetch(0, 0, "t", "u")
    assert (metrics.all.fetch_requests, metrics.of("t").fetch_requests) == (3, 2)
    for epoch in (1, 2):
        fetch(session_id, epoch)
    assert metrics.all.fetch_requests == 9
    counts(broker)
    assert {name: each.fetch_requests for name, each in metrics.topics.items()} == {"t": 6, "u": 3}


def test_a_topic_of_a_session_that_does_not_exist_gets_no_place() -> None:
    broker = DataBroker()
    for version, code in ((12, 3), (18, 100)):
        request = broker.fetch_request(("nobody", [wanted(0)]), version=version, session_epoch=0)
        session = broker.ask(request, version)
        assert session.responses[0].partitions[0].error_code == code
        more = broker.fetch_request(session_id=session.session_id, session_epoch=1, version=version)
        broker.ask(more, version)
    counts(broker)
    for each in broker.replicas.manager.fetches.sessions.cache:
        each.close()
    assert not broker.replicas.manager.topic_metrics.topics
