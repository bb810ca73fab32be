"""Throttled replication (KIP-73): what a leader sends to followers, and what a follower asks for."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkaproto.messages import IncrementalAlterConfigsRequest
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE
from kafkaproto_server.shell.replicas.followers.fetchers import THROTTLE_PAUSE_MS
from kafkaproto_server.shell.replicas.followers.throttles import ReplicationThrottle
from tests.apis.support.data_broker import ME, OTHER, THIRD, DataBroker, batch, wanted
from tests.shell.replicas.followers.test_fetchers import Following
from tests.sim.disk import MemoryFile

RATE = 100_000
RECORD = b"v" * 9_900


class ThrottledLeader(DataBroker):
    """Broker 1 leads t; broker 0 is in the ISR and broker 2 is a new replica."""

    def __init__(self, throttled: str = f"0:{ME}", rate: int | None = RATE) -> None:
        static: dict[str, Any] = {} if rate is None else {"leader_replication_throttled_rate": str(rate)}
        super().__init__(**static)
        self.topic("t", [ME, OTHER, THIRD], **{"leader.replication.throttled.replicas": throttled})
        self.harness.heartbeat(THIRD, want_fence=True)
        self.harness.heartbeat(THIRD)
        self.replicas.follow()
        assert self.harness.partition("t").isr == (ME, OTHER)
        for _ in range(60):
            assert self.produce("t", batch(RECORD)).error_code == 0
        # The new replica lags for too long to hold up the high watermark.
        self.replicas.pass_time(60_000)
        self.replicate("t", 60)

    def copied(self, follower: int, offset: int, max_bytes: int = 20_000, **fields: Any) -> bytes:
        """The records that a follower gets."""
        epoch = self.harness.image.brokers[follower].epoch
        partition = wanted(0, offset, partition_max_bytes=max_bytes)
        found = self.fetch("t", partition, replica_id=follower, replica_epoch=epoch, **fields)
        assert (found.error_code, found.high_watermark >= 0) == (0, True)
        return bytes(found.records or b"")


def copy(broker: ThrottledLeader, follower: int, duration_ms: int, every_ms: int = 100) -> float:
    """The bytes a second that a follower gets; it always asks from the beginning."""
    copied = 0
    for _ in range(0, duration_ms, every_ms):
        broker.replicas.pass_time(every_ms)
        copied += len(broker.copied(follower, 0))
    return copied / (duration_ms / 1000)


def test_a_follower_outside_of_the_isr_gets_as_much_as_the_rate_allows() -> None:
    assert copy(ThrottledLeader(), THIRD, 20_000) == pytest.approx(RATE, rel=0.2)


def test_a_member_of_the_isr_is_never_throttled() -> None:
    broker = ThrottledLeader()
    assert copy(broker, OTHER, 5_000) > 1.5 * RATE
    # What it copied counts all the same, as in Kafka.
    assert broker.copied(THIRD, 0) == b""
    assert broker.copied(OTHER, 0) != b""


@pytest.mark.parametrize("throttled", ["", f"0:{OTHER}", f"1:{ME}"])
def test_a_replica_that_is_not_named_is_not_throttled(throttled: str) -> None:
    assert copy(ThrottledLeader(throttled), THIRD, 5_000) > 1.5 * RATE


def test_without_a_rate_nothing_is_throttled() -> None:
    assert copy(ThrottledLeader("*", rate=None), THIRD, 5_000) > 1.5 * RATE


def test_all_replicas_may_be_throttled() -> None:
    assert copy(ThrottledLeader("*"), THIRD, 20_000) == pytest.approx(RATE, rel=0.2)


def test_consumers_are_not_throttled() -> None:
    broker = ThrottledLeader(rate=1)
    copy(broker, THIRD, 1_000)
    assert broker.copied(THIRD, 0) == b""
    assert broker.fetch("t", wanted(0, 0)).records


def test_what_consumers_read_does_not_prolong_the_throttle() -> None:
    broker = ThrottledLeader()
    throttle = broker.replicas.manager.fetches.throttle
    assert broker.copied(OTHER, 0)
    broker.replicas.pass_time(900)
    assert broker.fetch("t", wanted(0, 0)).records
    # So long after the follower has got something, its window counts no more.
    broker.replicas.pass_time(10_100)
    assert throttle.per_second == 0


def test_what_a_follower_waited_for_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = ThrottledLeader()
    recorded: list[int] = []
    monkeypatch.setattr(ReplicationThrottle, "record", lambda throttle, size: recorded.append(size))
    epoch = broker.harness.image.brokers[OTHER].epoch
    waits = broker.fetch_request(
        ("t", [wanted(0, 60)]), replica_id=OTHER, replica_epoch=epoch, max_wait_ms=1000
    )
    assert broker.send(waits, 18) == []
    broker.produce("t", batch(RECORD))
    assert recorded == [len(batch(RECORD))]


def test_the_throttle_of_a_topic_may_be_set_and_taken_away_at_any_time() -> None:
    broker = ThrottledLeader("", rate=1)
    assert broker.copied(THIRD, 0)

    def configure(value: str | None) -> None:
        config = IncrementalAlterConfigsRequest.AlterableConfig(
            name="leader.replication.throttled.replicas", config_operation=value is None, value=value
        )
        resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
            resource_type=TOPIC_RESOURCE, resource_name="t", configs=[config]
        )
        broker.harness.call(IncrementalAlterConfigsRequest(resources=[resource]))

    configure("0:1")
    broker.copied(OTHER, 0)
    assert broker.copied(THIRD, 0) == b""
    configure(None)
    assert broker.copied(THIRD, 0)


def test_a_throttled_partition_stays_in_the_session_and_comes_when_the_rate_allows() -> None:
    broker = ThrottledLeader()
    epoch = broker.harness.image.brokers[THIRD].epoch

    def ask(session_id: int, session_epoch: int, *partitions: Any) -> Any:
        request = broker.fetch_request(
            ("t", list(partitions)),
            session_id=session_id,
            session_epoch=session_epoch,
            replica_id=THIRD,
            replica_epoch=epoch,
        )
        if not partitions:
            request.topics = []
        return broker.ask(request, 18)

    first = ask(0, 0, wanted(0, 0, partition_max_bytes=400_000))
    assert len(first.responses[0].partitions[0].records) > 2 * RATE
    second = ask(first.session_id, 1, wanted(0, 40))
    assert not any(each.records for topic in second.responses for each in topic.partitions)
    broker.replicas.pass_time(15_000)
    third = ask(first.session_id, 2)
    assert third.responses[0].partitions[0].records


def test_what_a_thread_reads_counts_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = ThrottledLeader()

    def cold(file: MemoryFile, position: int, length: int) -> bytes:
        raise BlockingIOError(errno.EAGAIN, "not in memory")

    monkeypatch.setattr(MemoryFile, "read_now", cold)
    assert copy(broker, THIRD, 20_000) == pytest.approx(RATE, rel=0.2)


# -- the follower ----------------------------------------------------------------------------------------------------


class Throttle:
    """In place of the follower's throttle."""

    def __init__(self) -> None:
        self.over = False
        self.recorded = 0

    def holds_for(self, hosted: object) -> bool:
        return True

    def is_exceeded(self) -> bool:
        return self.over

    def record(self, size: int) -> None:
        self.recorded += size


BATCH = build_batch([NewRecord(None, b"value")], base_offset=0, partition_leader_epoch=2, timestamp_ms=1)


def following() -> tuple[Following, Throttle, list[Any]]:
    found = Following()
    throttle, calls = Throttle(), []
    owner = cast(Any, found.fetcher._owner)
    owner.throttle = owner.logs._throttle = throttle
    owner.call_at = lambda at_ms, call: calls.append((at_ms, call))
    owner.logs._replicas = SimpleNamespace(has_rolled=lambda hosted: None)
    return found, throttle, calls


def test_a_follower_over_its_rate_leaves_the_partition_out_of_its_requests() -> None:
    found, throttle, calls = following()
    assert found.ask() == [(2, 0)]
    throttle.over = True
    found.respond(error_code=0, records=BATCH, high_watermark=5)
    assert throttle.recorded == len(BATCH)
    (job,) = found.jobs
    job.done(False)
    assert found.ask() == []
    found.respond_to_nothing()
    ((at_ms, again),) = calls
    assert at_ms == THROTTLE_PAUSE_MS
    again()
    assert found.ask() == []
    found.respond_to_nothing()
    throttle.over = False
    calls[-1][1]()
    assert found.ask() == [(2, 1)]


def test_a_follower_that_has_all_is_not_throttled() -> None:
    found, throttle, calls = following()
    found.ask()
    throttle.over = True
    found.respond(error_code=0, records=BATCH, high_watermark=1)
    found.jobs[0].done(False)
    assert found.ask() == [(2, 1)]
    assert not calls
