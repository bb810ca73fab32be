"""Which replica a consumer is sent to by a leader that knows racks (KIP-392), and what it reads there."""

from __future__ import annotations

import pytest
from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import UnregisterBrokerRequest
from tests.apis.data.test_fetch import VERSIONS, write
from tests.apis.support.data_broker import (
    ME,
    OTHER,
    THIRD,
    DataBroker,
    batch,
    batches,
    only_partition,
    stored,
    wanted,
)

RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


def rack_aware(*assignment: int) -> DataBroker:
    """A broker that knows racks, r0 to r2 for brokers 0 to 2, and leads t with two records that all replicas have."""
    broker = DataBroker(replica_selector_class=RACK_AWARE)
    broker.topic("t", [ME, *assignment])
    write(broker, b"1", b"2")
    for follower in assignment:
        broker.replicate("t", 2, follower)
    return broker


@pytest.mark.parametrize("version", VERSIONS)
def test_a_consumer_is_sent_to_the_replica_in_its_rack(version: int) -> None:
    broker = rack_aware(OTHER, THIRD)
    found = broker.fetch("t", wanted(0, 1), version=version, rack_id="r2" if version >= 11 else "")
    if version < 11:
        assert len(batches(found.records)) == 1
        return
    assert (found.error_code, found.preferred_read_replica, bytes(found.records)) == (0, THIRD, b"")
    assert (found.high_watermark, found.last_stable_offset, found.log_start_offset) == (2, 2, 0)
    assert found.aborted_transactions is None


@pytest.mark.parametrize("rack_id", ["", "r1", "r9"])
def test_consumers_elsewhere_stay_with_the_leader(rack_id: str) -> None:
    found = rack_aware(OTHER, THIRD).fetch("t", wanted(0, 1), rack_id=rack_id)
    assert (found.preferred_read_replica, len(batches(found.records))) == (-1, 1)


def test_without_a_selector_racks_mean_nothing(replicated: DataBroker) -> None:
    write(replicated, b"1")
    replicated.replicate("t", 1)
    assert replicated.fetch("t", rack_id="r0").preferred_read_replica == -1


def test_a_replica_that_lacks_the_offset_is_not_preferred() -> None:
    broker = rack_aware(OTHER)
    write(broker, b"3")
    assert broker.fetch("t", wanted(0, 2), rack_id="r0").preferred_read_replica == OTHER
    assert broker.fetch("t", wanted(0, 3), rack_id="r0").preferred_read_replica == -1


def test_a_replica_that_clients_cannot_reach_is_not_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = rack_aware(OTHER)
    request = broker.fetch_request(("t", [wanted()]), rack_id="r0")
    found = only_partition(broker.ask(request, 18, listener_name="ELSEWHERE").responses)
    assert found.preferred_read_replica == -1
    assert only_partition(broker.ask(request, 18).responses).preferred_read_replica == OTHER
    # Even if the partition has not heard of it yet, and has the fenced broker in its ISR.
    broker.harness.heartbeat(OTHER, want_fence=True)
    monkeypatch.setattr(broker.replicas, "follow", lambda: None)
    assert OTHER in broker.replicas.partition("t", 0).isr
    assert only_partition(broker.ask(request, 18).responses).preferred_read_replica == -1


def test_a_broker_that_was_unregistered_is_not_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """The partition, which still has it in its ISR, hears of that a moment later."""
    broker = rack_aware(OTHER)
    request = broker.fetch_request(("t", [wanted()]), rack_id="r0")
    assert only_partition(broker.ask(request, 18).responses).preferred_read_replica == OTHER
    monkeypatch.setattr(broker.replicas, "follow", lambda: None)
    epoch = broker.harness.image.brokers[OTHER].epoch
    broker.harness.call(UnregisterBrokerRequest(broker_id=OTHER))
    assert OTHER in broker.replicas.partition("t", 0).isr
    assert only_partition(broker.ask(request, 18).responses).preferred_read_replica == -1
    # Nor is anything known of its runs.
    found = broker.fetch("t", wanted(0, 1), replica_id=OTHER, replica_epoch=epoch)
    assert (found.error_code, len(batches(found.records))) == (0, 1)


def test_a_rack_without_a_name_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = rack_aware(OTHER)
    fetches, brokers = broker.replicas.manager.fetches, broker.harness.image.brokers
    image = structs.replace(
        broker.harness.image, brokers=brokers.set(OTHER, structs.replace(brokers[OTHER], rack=""))
    )
    monkeypatch.setattr(fetches, "_image", lambda: image)
    assert broker.fetch("t").preferred_read_replica == -1


def test_where_to_read_ends_the_wait_and_followers_are_not_sent_away() -> None:
    broker = rack_aware(OTHER)
    request = broker.fetch_request(("t", [wanted(0, 2)]), rack_id="r0", max_wait_ms=500)
    assert len(broker.send(request, 18)) == 1
    epoch = broker.harness.image.brokers[OTHER].epoch
    found = broker.fetch("t", wanted(0, 0), rack_id="r0", replica_id=OTHER, replica_epoch=epoch)
    assert (found.preferred_read_replica, len(batches(found.records))) == (-1, 2)


def test_a_session_repeats_where_to_read() -> None:
    broker = rack_aware(OTHER)
    request = broker.fetch_request(("t", [wanted(0, 2)]), rack_id="r0", session_epoch=0)
    session_id = broker.ask(request, 18).session_id
    for epoch in (1, 2):
        again = broker.fetch_request(rack_id="r0", session_id=session_id, session_epoch=epoch)
        assert only_partition(broker.ask(again, 18).responses).preferred_read_replica == OTHER


@pytest.mark.parametrize(("epoch", "code"), [(5, ErrorCode.UNKNOWN_LEADER_EPOCH), (0, ErrorCode.NONE)])
def test_the_epoch_is_checked_before_a_consumer_is_sent_away(epoch: int, code: ErrorCode) -> None:
    found = rack_aware(OTHER).fetch("t", wanted(0, 1, current_leader_epoch=epoch), rack_id="r0")
    assert (found.error_code, found.preferred_read_replica) == (code, -1 if code else OTHER)


def test_a_follower_serves_consumers_up_to_its_high_watermark(broker: DataBroker) -> None:
    broker.topic("followed", [OTHER, ME])
    broker.replicas.follow()
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("followed"), 0)
    assert hosted is not None
    assert hosted.log is not None
    hosted.log.append([stored(batch(b"1"), 0)])
    hosted.log.append([stored(batch(b"2"), 1)])
    hosted.partition.appended(2, now_ms=0)
    hosted.partition.leader_said(1)
    assert len(batches(broker.fetch("followed", rack_id="r1").records)) == 1
    for offset, code in ((1, 0), (2, 0), (3, ErrorCode.OFFSET_OUT_OF_RANGE)):
        found = broker.fetch("followed", wanted(0, offset), rack_id="r1")
        assert (found.error_code, bytes(found.records)) == (code, b"")
