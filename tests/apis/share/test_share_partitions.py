"""ShareFetch and ShareAcknowledge at a broker: who gets which records when, and what the persister is told. Responses
in each case were compared with those of a node of Apache Kafka 4.4.0 (`tests/compat/test_same_share_fetches.py`).

Tests: `apis.share.share_fetch`, `shell.share_partitions.acknowledgements`, `shell.share_partitions.led`,
`shell.share_partitions.service`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    DeleteRecordsRequest,
    ShareAcknowledgeRequest,
    ShareFetchRequest,
    WriteTxnMarkersRequest,
)
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.data import OffsetResult, ProduceItem
from kafkaproto_server.requests.share_state import ShareState, StateBatch
from tests.apis.support.data_broker import ME, OTHER, batch, batches
from tests.apis.support.replicas import cold
from tests.apis.support.services import with_changes
from tests.apis.support.sharing import GROUP, LOCK_MS, Sharing, acquired, partition_of
from tests.sim.disk import MemoryFile

READ_G = (Operation.READ, ResourceType.GROUP, GROUP)
READ_T = (Operation.READ, ResourceType.TOPIC, "t")


@pytest.fixture
def sharing() -> Sharing:
    return Sharing()


# --- fetching ---


def test_a_fetch_waits_until_the_share_partition_is_loaded(sharing: Sharing) -> None:
    sharing.write(b"a", b"b")
    found = sharing.send_fetch(0, max_wait_ms=1_000)
    assert found == []
    sharing.persister.loaded()
    partition = partition_of(found[0])
    assert acquired(partition) == [(0, 1, 1)]
    assert [values for _, _, values in batches(partition.records)] == [[b"a"], [b"b"]]
    assert found[0].acquisition_lock_timeout_ms == LOCK_MS


def test_a_fetch_waits_for_records(sharing: Sharing) -> None:
    assert sharing.send_fetch(0, max_wait_ms=1_000) == []
    sharing.persister.loaded()
    found = sharing.send_fetch(0, "bob", max_wait_ms=1_000)
    sharing.write(b"a")
    # The first who waits gets them.
    assert found == []
    sharing.broker.replicas.pass_time(1_000)
    assert acquired(partition_of(found[0])) == []


def test_a_fetch_waits_for_records_that_another_member_gives_up(sharing: Sharing) -> None:
    sharing.write(b"a")
    assert acquired(sharing.begin()) == [(0, 0, 1)]
    found = sharing.send_fetch(0, "bob", max_wait_ms=1_000)
    sharing.send_acknowledgement(1, 0, 0, 2)
    assert found == []
    assert sharing.persister.written().batches == (StateBatch(0, 0, 0, 1),)
    assert acquired(partition_of(found[0])) == [(0, 0, 2)]


def test_what_is_not_in_memory_is_read_by_a_thread(sharing: Sharing, monkeypatch: pytest.MonkeyPatch) -> None:
    sharing.write(b"a", b"b")
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    assert acquired(sharing.begin()) == [(0, 1, 1)]


def test_only_the_batches_with_acquired_records_are_sent(sharing: Sharing) -> None:
    sharing.write(b"a", b"b", b"c")
    found = sharing.send_fetch(0, max_wait_ms=1_000, max_records=1)
    sharing.persister.loaded()
    partition = partition_of(found[0])
    assert [values for _, _, values in batches(partition.records)] == [[b"a"]]
    partition = sharing.fetch(1, max_records=1)
    assert [values for _, _, values in batches(partition.records)] == [[b"b"]]


def test_a_member_that_may_not_read_gets_nothing(sharing: Sharing) -> None:
    sharing.write(b"a")
    sharing.broker.allow(READ_T)
    (response,) = sharing.send_fetch(0)
    assert response.error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
    sharing.broker.allow(READ_G)
    assert sharing.fetch(0).error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    found = sharing.send_acknowledgement(1, 0, 0, 1)
    assert partition_of(found[0]).error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_without_the_feature_nobody_is_served(sharing: Sharing) -> None:
    sharing.broker.services = with_changes(sharing.broker.services, serves_share_groups=lambda: False)
    assert sharing.send_fetch(0)[0].error_code == ErrorCode.UNSUPPORTED_VERSION
    assert sharing.send_acknowledgement(1, 0, 0, 1)[0].error_code == ErrorCode.UNSUPPORTED_VERSION


class Quota:
    """The quota of a client: so many bytes in all, and how long one over it waits."""

    def __init__(self, left: int) -> None:
        self.left = left

    def most_bytes(self) -> int | None:
        return None

    def fetched(self, record_bytes: int) -> int:
        if record_bytes > self.left:
            return 700
        self.left -= record_bytes
        return 0


def test_over_the_quota_nothing_is_acquired(sharing: Sharing) -> None:
    sharing.send_fetch(0)
    sharing.persister.loaded()
    sharing.write(b"a")
    request = ShareFetchRequest(
        group_id=GROUP,
        member_id="ada",
        share_session_epoch=1,
        max_bytes=1 << 20,
        max_records=10,
        batch_size=9,
    )
    (response,) = sharing.broker.send(request, 2, throttle=Quota(0), connection=1)
    assert (response.throttle_time_ms, response.responses) == (700, [])
    request.share_session_epoch = 2
    (response,) = sharing.broker.send(request, 2, throttle=Quota(10**6), connection=1)
    assert acquired(partition_of(response)) == [(0, 0, 1)]


# --- isolation, and what the log loses ---


@pytest.mark.parametrize("level", ["read_committed", "read_uncommitted"])
def test_records_of_aborted_transactions(sharing: Sharing, level: str) -> None:
    broker = sharing.broker
    sharing.configure("share.isolation.level", level)
    sharing.write(b"before")
    broker.trust_producers()
    sent = batch(b"in", producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)
    item = ProduceItem(topic_id=sharing.topic_id, index=0, records=sent, allows_zstd=True)
    broker.services.replicas.produce([item], 1, 1000, lambda results: None)
    sharing.write(b"after")
    is_committed_only = level == "read_committed"
    assert acquired(sharing.begin()) == ([(0, 0, 1)] if is_committed_only else [(0, 2, 1)])
    request = WriteTxnMarkersRequest
    topic = request.WritableTxnMarkerTopic(name="t", partition_indexes=[0])
    marker = request.WritableTxnMarker(
        producer_id=7, producer_epoch=1, transaction_result=False, topics=[topic], transaction_version=2
    )
    broker.ask(request(markers=[marker]), 2)
    assert acquired(sharing.fetch(1)) == ([(2, 3, 1)] if is_committed_only else [(3, 3, 1)])


def test_records_that_are_deleted_are_passed_over(sharing: Sharing) -> None:
    sharing.write(b"a", b"b", b"c")
    request = DeleteRecordsRequest
    place = request.DeleteRecordsPartition(partition_index=0, offset=2)
    topic = request.DeleteRecordsTopic(name="t", partitions=[place])
    sharing.broker.ask(request(topics=[topic], timeout_ms=1_000), 2)
    # The first fetch finds out.
    assert acquired(sharing.begin()) == []
    assert acquired(sharing.fetch(1)) == [(2, 2, 1)]


@pytest.mark.parametrize(("reset", "expected"), [("earliest", [(0, 0, 1)]), ("latest", [])])
def test_a_group_without_a_start_begins_where_it_wants(
    sharing: Sharing, reset: str, expected: list[tuple[int, int, int]]
) -> None:
    sharing.configure("share.auto.offset.reset", reset)
    sharing.persister.state = ShareState(state_epoch=1)
    sharing.write(b"a")
    found = sharing.send_fetch(0, max_wait_ms=1_000)
    sharing.persister.loaded()
    sharing.broker.replicas.pass_time(1_000)
    assert acquired(partition_of(found[0])) == expected


# --- the persister ---


def test_the_response_waits_for_the_persister(sharing: Sharing) -> None:
    sharing.write(b"a", b"b")
    sharing.begin()
    found = sharing.send_acknowledgement(1, 0, 0, 1)
    assert found == []
    assert sharing.persister.written() == ShareState(1, 0, 1, (StateBatch(0, 0, 2, 1),))
    assert partition_of(found[0]).error_code == 0
    sharing.send_acknowledgement(2, 1, 1, 3)
    assert sharing.persister.written() == ShareState(1, 1, 1, (StateBatch(1, 1, 4, 1),))


@pytest.mark.parametrize(
    ("told", "expected", "is_forgotten"),
    [
        (ErrorCode.FENCED_STATE_EPOCH, ErrorCode.NOT_LEADER_OR_FOLLOWER, True),
        (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.NOT_LEADER_OR_FOLLOWER, True),
        (ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.GROUP_ID_NOT_FOUND, True),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, True),
        (ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE, False),
        (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_NOT_AVAILABLE, False),
        (ErrorCode.INVALID_REQUEST, ErrorCode.UNKNOWN_SERVER_ERROR, False),
    ],
)
def test_a_change_that_is_not_persisted_is_taken_back(
    sharing: Sharing, told: ErrorCode, expected: ErrorCode, is_forgotten: bool
) -> None:
    sharing.write(b"a")
    sharing.begin()
    found = sharing.send_acknowledgement(1, 0, 0, 1)
    sharing.persister.written(told)
    assert partition_of(found[0]).error_code == expected
    found = sharing.send_acknowledgement(2, 0, 0, 1)
    if is_forgotten:
        assert partition_of(found[0]).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    else:
        sharing.persister.written()
        assert partition_of(found[0]).error_code == 0


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.INVALID_REQUEST, ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_a_state_that_cannot_be_read_is_read_again_by_the_next_fetch(
    sharing: Sharing, told: ErrorCode, expected: ErrorCode
) -> None:
    found = sharing.send_fetch(0, max_wait_ms=1_000)
    sharing.persister.loaded(told)
    assert partition_of(found[0]).error_code == expected
    sharing.write(b"a")
    found = sharing.send_fetch(1, max_wait_ms=1_000)
    sharing.persister.loaded()
    assert acquired(partition_of(found[0])) == [(0, 0, 1)]


def test_expired_locks_are_persisted(sharing: Sharing) -> None:
    sharing.write(b"a")
    sharing.begin()
    found = sharing.send_fetch(0, "bob", max_wait_ms=60_000)
    sharing.broker.replicas.pass_time(LOCK_MS - 1)
    assert found == []
    sharing.broker.replicas.pass_time(1)
    # Nobody waits for that.
    assert acquired(partition_of(found[0])) == [(0, 0, 2)]
    assert sharing.persister.written().batches == (StateBatch(0, 0, 0, 1),)


def test_a_lock_that_was_taken_later_may_expire_first(sharing: Sharing) -> None:
    sharing.write(b"a", b"b")
    found = sharing.send_fetch(0, max_wait_ms=1_000, max_records=1)
    sharing.persister.loaded()
    assert acquired(partition_of(found[0])) == [(0, 0, 1)]
    sharing.configure("share.record.lock.duration.ms", "15000")
    assert acquired(sharing.fetch(0, "bob")) == [(1, 1, 1)]
    sharing.broker.replicas.pass_time(15_000)
    assert sharing.persister.written().batches == (StateBatch(1, 1, 0, 1),)
    sharing.broker.replicas.pass_time(LOCK_MS - 15_000)
    assert sharing.persister.written().batches == (StateBatch(0, 0, 0, 1),)


def test_what_is_forgotten_while_its_start_is_looked_for_stays_so(sharing: Sharing) -> None:
    service = sharing.broker.replicas.share_partitions
    load_times = sharing.broker.replicas.metrics.share_partitions.load_times
    wait: list[Callable[[OffsetResult], None]] = []
    service._led._find_offset = lambda query, done: wait.append(done)
    sharing.persister.state = ShareState(state_epoch=1)
    sharing.send_fetch(0)
    sharing.persister.loaded()
    (led,) = service.partitions()
    ended: Callable[[object], None] = sharing.broker.services.shares.connection_ended
    ended(1)
    sharing.broker.replicas.call_due()
    for each in wait:
        each(OffsetResult(offset=0))
    assert len(wait) == 1
    assert (len(service._led), led.core, load_times.count) == (0, None, 0)


# --- leadership, sessions and connections ---


def test_a_share_partition_goes_with_the_leadership(sharing: Sharing) -> None:
    broker = sharing.broker
    sharing.topic_id = broker.topic("u", [ME, OTHER])
    found = sharing.send_fetch(0, max_wait_ms=60_000)
    sharing.persister.loaded()
    broker.harness.heartbeat(ME, want_fence=True)
    broker.replicas.follow()
    partition = partition_of(found[0])
    assert partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert partition.current_leader.leader_id == OTHER
    assert [each.node_id for each in found[0].node_endpoints] == [OTHER]
    assert len(broker.replicas.share_partitions._led) == 0


def test_a_leader_loads_anew_what_another_one_has_led_meanwhile(sharing: Sharing) -> None:
    broker, harness = sharing.broker, sharing.broker.harness
    sharing.topic_id = broker.topic("u", [ME, OTHER])
    assert broker.produce("u", batch(b"a")).error_code == 0
    broker.replicate("u", 1)
    sharing.begin()
    # The broker hears of both elections at once.
    harness.heartbeat(ME, want_fence=True)
    harness.heartbeat(ME)
    epochs = harness.image.brokers
    harness.alter_partition("u", isr=[(each, epochs[each].epoch) for each in (OTHER, ME)])
    harness.heartbeat(OTHER, want_fence=True)
    harness.heartbeat(OTHER)
    assert harness.partition("u").leader == ME
    sharing.send_fetch(1, max_wait_ms=1_000)
    assert len(sharing.persister.reads) == 1


def test_what_comes_of_a_change_after_the_leadership_changes_nothing(sharing: Sharing) -> None:
    broker = sharing.broker
    sharing.topic_id = broker.topic("u", [ME, OTHER])
    assert broker.produce("u", batch(b"a")).error_code == 0
    broker.replicate("u", 1)
    sharing.begin()
    found = sharing.send_acknowledgement(1, 0, 0, 1)
    broker.harness.heartbeat(ME, want_fence=True)
    broker.replicas.follow()
    sharing.persister.written(ErrorCode.FENCED_LEADER_EPOCH)
    assert partition_of(found[0]).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_the_end_of_a_session_gives_its_records_up(sharing: Sharing) -> None:
    sharing.write(b"a")
    sharing.begin()
    sharing.send_fetch(0, "bob")
    (response,) = sharing.send_fetch(-1)
    assert (response.error_code, response.responses) == (0, [])
    sharing.persister.written()
    assert acquired(sharing.fetch(1, "bob")) == [(0, 0, 2)]
    assert sharing.send_fetch(1)[0].error_code == ErrorCode.SHARE_SESSION_NOT_FOUND


def test_the_end_of_a_connection_ends_the_sessions_that_began_on_it(sharing: Sharing) -> None:
    sharing.write(b"a")
    sharing.begin(connection=5)
    sharing.send_fetch(0, "bob", connection=6)
    ended: Callable[[object], None] = sharing.broker.services.shares.connection_ended
    ended(7)
    ended(5)
    sharing.broker.replicas.call_due()
    sharing.persister.written()
    assert acquired(sharing.fetch(1, "bob", 6)) == [(0, 0, 2)]
    assert len(sharing.broker.replicas.share_partitions._led) == 1
    ended(6)
    sharing.broker.replicas.call_due()
    assert len(sharing.broker.replicas.share_partitions._led) == 1
    sharing.persister.written()
    # The group is empty, and its records are given up.
    assert len(sharing.broker.replicas.share_partitions._led) == 0


def test_a_session_that_has_begun_anew_on_another_connection_does_not_end_with_the_first(
    sharing: Sharing,
) -> None:
    sharing.write(b"a")
    sharing.begin(connection=5)
    sharing.broker.services.shares.connection_ended(5)
    # Ada is back before the broker has come to the end of her session.
    sharing.send_fetch(0, connection=6)
    sharing.broker.replicas.call_due()
    assert sharing.persister.writes == []
    assert sharing.fetch(1, connection=6) is None


def test_the_last_request_of_a_session_acquires_nothing(sharing: Sharing) -> None:
    sharing.send_fetch(0)
    sharing.persister.loaded()
    sharing.write(b"a")
    (response,) = sharing.send_fetch(-1)
    assert (response.error_code, response.responses) == (0, [])
    assert acquired(sharing.fetch(0, "bob")) == [(0, 0, 1)]


def test_a_fetch_that_another_request_has_overtaken_is_refused(sharing: Sharing) -> None:
    sharing.send_fetch(0)
    sharing.persister.loaded()
    found = sharing.send_fetch(1, max_wait_ms=1_000)
    sharing.send_fetch(2)
    sharing.write(b"a")
    (response,) = found
    assert (response.error_code, response.responses) == (ErrorCode.INVALID_SHARE_SESSION_EPOCH, [])


def test_a_partition_that_does_not_exist_is_unknown(sharing: Sharing) -> None:
    request = ShareFetchRequest
    place = request.FetchPartition(partition_index=1)
    topic = request.FetchTopic(topic_id=sharing.topic_id, partitions=[place])
    partition = sharing.fetch(0, topics=[topic])
    assert partition.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_connection_leaves_only_so_many_groups_behind(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.shell.share_partitions.service.MAX_LEFT_GROUPS", 2)
    for number in range(5):
        for epoch in (0, -1):
            request = ShareFetchRequest(
                group_id=f"group-{number}",
                member_id="ada",
                share_session_epoch=epoch,
                topics=[
                    ShareFetchRequest.FetchTopic(
                        topic_id=sharing.topic_id,
                        partitions=[ShareFetchRequest.FetchPartition(partition_index=0)],
                    )
                ],
            )
            sharing.broker.send(request, 2, connection=1)
    assert len(sharing.broker.replicas.share_partitions._led) == 2
    sharing.broker.services.shares.connection_ended(1)
    sharing.broker.replicas.call_due()
    assert len(sharing.broker.replicas.share_partitions._led) == 0


def test_a_member_without_a_place_hears_of_it_after_its_wait() -> None:
    sharing = Sharing(group_share_max_share_sessions="1", group_share_max_size="1")
    sharing.send_fetch(0)
    found = sharing.send_fetch(0, "bob", max_wait_ms=500)
    assert found == []
    sharing.broker.replicas.pass_time(500)
    assert found[0].error_code == ErrorCode.SHARE_SESSION_LIMIT_REACHED


def test_a_long_acknowledgement_takes_several_turns(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafkaproto_server.core.share_partitions.acknowledging.PIECE_WEIGHT", 1)
    sharing.write(b"a", b"b")
    sharing.begin()
    request = ShareAcknowledgeRequest
    said = request.AcknowledgementBatch(first_offset=0, last_offset=1, acknowledge_types=[1, 3])
    place = request.AcknowledgePartition(partition_index=0, acknowledgement_batches=[said])
    topic = request.AcknowledgeTopic(topic_id=sharing.topic_id, partitions=[place])
    message = request(group_id=GROUP, member_id="ada", share_session_epoch=1, topics=[topic])
    found = sharing.broker.send(message, 2, connection=1)
    sharing.broker.replicas.call_due()
    assert sharing.persister.written().batches == (StateBatch(0, 0, 2, 1), StateBatch(1, 1, 4, 1))
    assert partition_of(found[0]).error_code == 0
