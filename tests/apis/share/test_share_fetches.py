"""ShareFetch and ShareAcknowledge at a broker: how much is read, what is waited for, what becomes of what cannot be
read, which requests do not fit their session, and what is left behind in the end.

Tests: `apis.share.share_acknowledge`, `shell.share_partitions.fetches`, `shell.share_partitions.served_topics`,
`shell.share_partitions.share_reads`.
"""

from __future__ import annotations

import errno
import gc
import gzip
from collections.abc import Callable
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ShareAcknowledgeRequest, ShareFetchRequest, WriteTxnMarkersRequest
from kafkaproto.records.legacy import iterate_stored_batches
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.replicas.incoming_batches import IncomingBatch
from kafkaproto_server.core.share_partitions.acquiring import acquire
from kafkaproto_server.requests.data import ProduceItem
from kafkaproto_server.requests.share_requests import BATCH_OPTIMIZED, RECORD_LIMIT, ShareError, ShareKey
from kafkaproto_server.requests.share_state import ShareState, StateBatch
from kafkaproto_server.shell.replicas.requests.log_read import LogRead
from kafkaproto_server.shell.share_partitions import fetches
from kafkaproto_server.shell.storage.errors import CorruptFileError, OffsetOutOfRangeError
from tests.apis.support.data_broker import ME, OTHER, batch
from tests.apis.support.replicas import cold
from tests.apis.support.sharing import (
    GROUP,
    LOCK_MS,
    Sharing,
    acquired,
    partition_of,
)
from tests.core.controller.support.harness import TIMESTAMP_MS
from tests.core.replicas.support.produce_cases import raw_record, with_body
from tests.sim.disk import MemoryFile
from tests.support.old_messages import message

PLENTY = 1 << 20
"""More bytes than there are."""
VALUE = bytes(500)
SIZE = len(batch(VALUE))
"""Of a batch with such a value."""
SMALL = len(batch(b"v"))


@pytest.fixture
def sharing() -> Sharing:
    return Sharing()


def load(sharing: Sharing) -> None:
    """Ada's session begins. It loads the share partition, and acquires nothing yet."""
    sharing.send_fetch(0, max_records=0)
    sharing.persister.loaded()


def loaded_fetch(sharing: Sharing, **fields: Any) -> Any:
    """The first fetch of a session, once the share partition is loaded."""
    found = sharing.send_fetch(0, max_wait_ms=1_000, **{"max_records": 1_000, **fields})
    sharing.persister.loaded()
    return partition_of(found[0])


def load_two(sharing: Sharing) -> None:
    """Ada's session begins, with two partitions of another topic. They have nothing yet."""
    sharing.topic_id = sharing.broker.topic("u", [ME], [ME])
    request = ShareFetchRequest
    places = [request.FetchPartition(partition_index=each) for each in (0, 1)]
    topic = request.FetchTopic(topic_id=sharing.topic_id, partitions=places)
    sharing.send_fetch(0, topics=[topic])
    while sharing.persister.reads:
        sharing.persister.loaded()


def write_both(sharing: Sharing) -> None:
    """Append a batch to each of these partitions."""
    for index in (0, 1):
        assert sharing.broker.produce("u", batch(VALUE), index).error_code == 0


def of_response(response: Any) -> dict[int, list[tuple[int, int, int]]]:
    """The acquired records of each partition that has some."""
    found = [each for topic in response.responses for each in topic.partitions]
    assert {each.error_code for each in found} <= {0}
    return {each.partition_index: acquired(each) for each in found if acquired(each)}


class Quota:
    """A client that may have so many bytes at once."""

    def __init__(self, most: int, throttle_ms: int = 0) -> None:
        """``throttle_ms``: how long the client waits once it has a response."""
        self.most = most
        self.throttle_ms = throttle_ms
        self.counted: list[int] = []

    def most_bytes(self) -> int:
        return self.most

    def fetched(self, record_bytes: int) -> int:
        self.counted.append(record_bytes)
        return self.throttle_ms


# --- batches that claim more than they have ---


def write_lying(sharing: Sharing, monkeypatch: pytest.MonkeyPatch, claimed: int) -> None:
    """A batch of three records that claims many more, as older releases took it."""

    def unchecked(sent: IncomingBatch, *arguments: object) -> Steps[IncomingBatch]:
        yield from ()
        return sent

    body = batch(b"a", b"b", b"c")[61:] if claimed < 2**20 else b"".join(map(raw_record, range(3)))
    lying = with_body(batch(b"a"), body, record_count=claimed, last_offset_delta=claimed - 1)
    with monkeypatch.context() as patched:
        patched.setattr("kafkaproto_server.shell.replicas.requests.appends.check_records", unchecked)
        patched.setattr("kafkaproto_server.core.replicas.incoming_batches._MIN_RECORD_BYTES", 0)
        assert sharing.broker.produce("t", lying).error_code == 0


@pytest.mark.parametrize("mode", [BATCH_OPTIMIZED, RECORD_LIMIT])
@pytest.mark.parametrize("claimed", [200_000, 2**31 - 1])
def test_offsets_that_a_lying_batch_claims_are_not_delivered(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch, claimed: int, mode: int
) -> None:
    write_lying(sharing, monkeypatch, claimed)
    sharing.write(VALUE)
    found = loaded_fetch(sharing, share_acquire_mode=mode, max_bytes=PLENTY)
    (first, last, _), *more = acquired(found)
    assert (first, more) == (0, [])
    assert last < 20
    # Until then, all that was claimed counts as in flight.
    sharing.send_acknowledgement(1, first, last, 1)
    sharing.persister.written()
    (found,) = sharing.send_fetch(2, share_acquire_mode=mode, max_bytes=PLENTY)
    assert of_response(found) == {0: [(claimed, claimed, 1)]}


# --- how much is read ---


def test_a_response_has_no_more_than_the_member_and_the_broker_allow(sharing: Sharing) -> None:
    sharing.write(VALUE, VALUE, VALUE)
    assert acquired(loaded_fetch(sharing, max_bytes=2 * SIZE)) == [(0, 1, 1)]
    sharing = Sharing(fetch_max_bytes=str(2 * SIZE + 1))
    sharing.write(VALUE, VALUE, VALUE)
    assert acquired(sharing.begin()) == [(0, 1, 1)]


@pytest.mark.parametrize("magic", [0, 1])
def test_all_records_of_a_wrapper_are_acquired(sharing: Sharing, magic: int) -> None:
    """Where a batch of an old format begins, only its records tell."""
    sharing.write(b"v")
    hosted = sharing.broker.replicas.manager.replicas.get(sharing.topic_id, 0)
    assert hosted is not None
    assert hosted.log is not None
    for first in (1, 4):
        inner = b"".join(message(first + each, b"v", magic=magic) for each in range(3))
        hosted.log.append([message(first + 2, gzip.compress(inner), magic=magic, attributes=1)])
    hosted.partition.next_offset = 7
    hosted.partition.appended(7, now_ms=0)
    found = loaded_fetch(sharing, batch_size=1)
    assert acquired(found) == [(0, 0, 1), (1, 3, 1), (4, 6, 1)]
    assert [view.last_offset for view in iterate_stored_batches(bytes(found.records))] == [0, 3, 6]


def test_the_first_batch_comes_however_large_it_is(sharing: Sharing) -> None:
    sharing.write(VALUE, VALUE)
    assert acquired(loaded_fetch(sharing, max_bytes=SIZE // 2)) == [(0, 0, 1)]


def test_only_the_first_partition_of_a_response_may_exceed_its_limit(sharing: Sharing) -> None:
    load_two(sharing)
    write_both(sharing)
    (found,) = sharing.send_fetch(1, max_bytes=SIZE // 2)
    # Responses begin with each partition in turn: this one has the second, the next one the first.
    assert of_response(found) == {1: [(0, 0, 1)]}
    (found,) = sharing.send_fetch(2, max_bytes=2 * SIZE)
    assert of_response(found) == {0: [(0, 0, 1)]}


def test_a_read_that_is_too_small_for_a_batch_brings_nothing(sharing: Sharing) -> None:
    load_two(sharing)
    broker = sharing.broker
    sharing.configure("share.isolation.level", "read_committed")
    broker.trust_producers()
    sent = batch(VALUE, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)
    for index in (0, 1):
        item = ProduceItem(topic_id=sharing.topic_id, index=index, records=sent, allows_zstd=True)
        broker.services.replicas.produce([item], 1, 1000, lambda results: None)
    request = WriteTxnMarkersRequest
    topic = request.WritableTxnMarkerTopic(name="u", partition_indexes=[0, 1])
    marker = request.WritableTxnMarker(
        producer_id=7, producer_epoch=1, transaction_result=False, topics=[topic], transaction_version=2
    )
    broker.ask(request(markers=[marker]), 2)
    write_both(sharing)
    # The whole first batch of a partition is read, but its transaction was aborted. What is left of the limit is half a
    # batch of the other partition.
    (found,) = sharing.send_fetch(1, max_bytes=3 * SIZE // 2)
    assert of_response(found) == {}
    (found,) = sharing.send_fetch(2, max_bytes=PLENTY)
    assert of_response(found) == {0: [(1, 2, 1)], 1: [(1, 2, 1)]}


def test_the_partitions_of_a_request_share_its_limit(sharing: Sharing) -> None:
    load_two(sharing)
    for _ in range(4):
        write_both(sharing)
    (found,) = sharing.send_fetch(1, max_bytes=4 * SIZE)
    assert of_response(found) == {0: [(0, 1, 1)], 1: [(0, 1, 1)]}


def test_only_so_many_partitions_are_read_for_a_request(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetches, "MAX_PARTITIONS", 1)
    load_two(sharing)
    write_both(sharing)
    (found,) = sharing.send_fetch(1)
    assert of_response(found) == {1: [(0, 0, 1)]}
    # Partitions without records do not count.
    (found,) = sharing.send_fetch(2)
    assert of_response(found) == {0: [(0, 0, 1)]}


@pytest.fixture
def read_sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes were to be read each time; 200 at first."""
    monkeypatch.setattr(fetches, "FIRST_READ_BYTES", 200)
    sizes: list[int] = []
    read_now = LogRead.read_now

    def noted(read: LogRead, *, copied: bool) -> Any:
        assert copied, "a response may be sent after the log has changed"
        sizes.append(read.max_bytes)
        return read_now(read, copied=copied)

    monkeypatch.setattr(LogRead, "read_now", noted)
    return sizes


@pytest.mark.parametrize(
    ("count", "sizes", "last"),
    [
        (5, [200, 1_600], 4),
        # If less than half of a read is filled, there is no more. Otherwise the next one may have more.
        (799 // SMALL, [200, 1_600], 799 // SMALL - 1),
        (800 // SMALL + 1, [200, 1_600, 12_800], 800 // SMALL),
        (150, [200, 1_600, 12_800], 99),
    ],
)
def test_more_is_read_only_if_there_may_be_more_that_counts(
    sharing: Sharing, read_sizes: list[int], count: int, sizes: list[int], last: int
) -> None:
    sharing.configure("share.partition.max.record.locks", "100")
    sharing.write(*[b"v"] * count)
    assert acquired(loaded_fetch(sharing, max_bytes=PLENTY))[-1][1] == last
    assert read_sizes == sizes


def test_no_more_is_read_than_the_member_allows(sharing: Sharing, read_sizes: list[int]) -> None:
    sharing.write(*[b"v"] * 5)
    loaded_fetch(sharing, max_bytes=250)
    assert read_sizes == [200, 250]


def test_no_more_batches_are_looked_at_than_may_be_in_flight(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []

    def noted(core: Any, wanted: Any, fetch_offset: int, found: Any, *more: Any) -> Any:
        looked_at.append(len(found))
        return acquire(core, wanted, fetch_offset, found, *more)

    monkeypatch.setattr(fetches, "acquire", noted)
    sharing.configure("share.partition.max.record.locks", "100")
    sharing.write(*[b"v"] * 150)
    loaded_fetch(sharing, max_bytes=PLENTY)
    assert looked_at == [100]


# --- what is waited for ---


def test_a_fetch_waits_while_too_many_records_are_in_flight(sharing: Sharing) -> None:
    sharing.configure("share.partition.max.record.locks", "100")
    sharing.write(*[b"v"] * 101)
    assert acquired(loaded_fetch(sharing)) == [(0, 99, 1)]
    found = sharing.send_fetch(0, "bob", max_wait_ms=1_000)
    assert found == []
    sharing.send_acknowledgement(1, 0, 0, 1)
    sharing.persister.written()
    assert acquired(partition_of(found[0])) == [(100, 100, 1)]


def test_a_fetch_behind_the_end_of_the_log_does_not_wait(sharing: Sharing) -> None:
    # The log was cut since the state was persisted.
    sharing.persister.state = ShareState(1, 5)
    sharing.write(VALUE)
    load(sharing)
    assert len(sharing.send_fetch(1, max_wait_ms=1_000)) == 1


def test_a_fetch_that_gets_what_another_one_gives_back_is_answered_once(sharing: Sharing) -> None:
    load(sharing)
    sharing.send_fetch(0, "bob", max_records=0)
    quota = Quota(PLENTY, throttle_ms=700)
    of_ada = fetch_with(sharing, quota, 1, min_bytes=1, max_bytes=PLENTY)
    found = sharing.send_fetch(1, "bob", max_wait_ms=1_000, max_records=1, share_acquire_mode=1)
    assert (of_ada, found) == ([], [])
    # Bob hears of them twice: they are there, and ada gives them back.
    assert sharing.broker.produce("t", batch(VALUE, VALUE)).error_code == 0
    assert [each.throttle_time_ms for each in of_ada] == [700]
    assert [acquired(partition_of(each)) for each in found] == [[(0, 0, 1)]]
    assert acquired(sharing.fetch(2, "bob")) == [(1, 1, 1)]


def test_a_fetch_has_enough_with_as_many_bytes_as_it_wants(sharing: Sharing) -> None:
    load(sharing)
    for epoch, min_bytes, count in ((1, SIZE, 1), (2, SIZE + 1, 2)):
        found = sharing.send_fetch(epoch, max_wait_ms=1_000, min_bytes=min_bytes)
        for _ in range(count):
            assert found == []
            sharing.write(VALUE)
        assert len(found) == 1


def test_a_fetch_does_not_wait_for_more_than_it_may_have() -> None:
    sharing = Sharing(fetch_max_bytes=str(2 * SIZE))
    load(sharing)
    found = sharing.send_fetch(1, max_wait_ms=1_000, min_bytes=PLENTY, max_bytes=PLENTY)
    sharing.write(VALUE)
    assert found == []
    sharing.write(VALUE)
    assert acquired(partition_of(found[0])) == [(0, 1, 1)]


def test_a_fetch_that_does_not_wait_has_what_there_is(sharing: Sharing) -> None:
    sharing.write(VALUE)
    load(sharing)
    found = sharing.send_fetch(1, min_bytes=PLENTY)
    assert acquired(partition_of(found[0])) == [(0, 0, 1)]


def fetch_with(sharing: Sharing, quota: Quota, epoch: int, *, min_bytes: int, max_bytes: int) -> list[Any]:
    """A ShareFetch of a client with a quota; its response is in the list, now or later."""
    request = ShareFetchRequest(
        group_id=GROUP,
        member_id="ada",
        share_session_epoch=epoch,
        max_wait_ms=1_000,
        max_records=10,
        batch_size=10,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
    )
    return sharing.broker.send(request, 2, throttle=quota, connection=1)


def test_a_quota_limits_what_is_read_and_what_is_waited_for(sharing: Sharing) -> None:
    quota = Quota(2 * SIZE)
    load(sharing)
    found = fetch_with(sharing, quota, 1, min_bytes=PLENTY, max_bytes=PLENTY)
    sharing.write(VALUE)
    assert found == []
    sharing.write(VALUE)
    assert acquired(partition_of(found[0])) == [(0, 1, 1)]
    assert quota.counted == [2 * SIZE]
    sharing.write(VALUE, VALUE, VALUE)
    (response,) = fetch_with(sharing, quota, 2, min_bytes=1, max_bytes=PLENTY)
    assert acquired(partition_of(response)) == [(2, 3, 1)]


def test_a_quota_that_allows_more_than_the_member_does_changes_nothing(sharing: Sharing) -> None:
    load(sharing)
    sharing.write(VALUE, VALUE)
    (response,) = fetch_with(sharing, Quota(PLENTY), 1, min_bytes=1, max_bytes=SIZE)
    assert acquired(partition_of(response)) == [(0, 0, 1)]


def test_a_fetch_that_waits_is_counted_until_it_ends(sharing: Sharing) -> None:
    waits = sharing.broker.replicas.manager.fetches.metrics.share_fetches
    load(sharing)
    expired = sharing.broker.replicas.metrics.share_partitions.expired_fetches
    found = sharing.send_fetch(1, max_wait_ms=1_000)
    (led,) = sharing.broker.replicas.share_partitions.partitions()
    assert (len(led.waiters), waits.operations, waits.watched) == (1, 1, 1)
    sharing.broker.replicas.pass_time(999)
    assert found == []
    sharing.broker.replicas.pass_time(1)
    assert len(found) == 1
    assert (len(led.waiters), waits.operations, waits.watched) == (0, 0, 0)
    assert sharing.broker.replicas.metrics.share_partitions.expired_fetches == expired + 1
    sharing.send_fetch(2)
    assert (len(led.waiters), waits.operations, waits.watched) == (0, 0, 0)


# --- what cannot be read ---


@pytest.mark.parametrize("is_cold", [False, True])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CorruptFileError("a file", "it is broken"), ErrorCode.CORRUPT_MESSAGE),
        # Then nobody leads the partition here any more.
        (OSError("it fails"), ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (OSError(errno.EMFILE, "there are too few descriptors"), ErrorCode.KAFKA_STORAGE_ERROR),
        (OffsetOutOfRangeError("a log", 0, 1, 1), ErrorCode.NONE),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_log_that_cannot_be_read_gives_an_error_or_nothing(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch, error: Exception, code: ErrorCode, is_cold: bool
) -> None:
    sharing.write(VALUE)

    def fail(read: LogRead, **options: Any) -> Any:
        raise error

    if is_cold:
        monkeypatch.setattr(MemoryFile, "read_now", cold)
    monkeypatch.setattr(LogRead, "read" if is_cold else "read_now", fail)
    partition = sharing.begin()
    assert (partition.error_code, acquired(partition)) == (code, [])
    failures = sharing.broker.replicas.manager.directory_failures.waiting
    assert bool(failures) is (code is ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_without_a_log_there_is_no_leader(sharing: Sharing) -> None:
    load(sharing)
    (led,) = sharing.broker.replicas.share_partitions.partitions()
    led.hosted.log = None
    assert sharing.fetch(1).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_what_another_broker_leads_leaves_no_cycles(sharing: Sharing) -> None:
    request = ShareFetchRequest
    places = [request.FetchPartition(partition_index=index) for index in range(200)]
    led_elsewhere = sharing.broker.topic("u", *([[OTHER]] * len(places)))
    gc.collect()
    gc.disable()
    try:
        sharing.send_fetch(0, topics=[request.FetchTopic(topic_id=led_elsewhere, partitions=places)])
        assert gc.collect() < len(places)
    finally:
        gc.enable()


def test_that_another_broker_leads_is_told_at_once(sharing: Sharing) -> None:
    sharing.topic_id = sharing.broker.topic("u", [OTHER])
    (response,) = sharing.send_fetch(0, max_wait_ms=60_000)
    assert partition_of(response).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert sharing.persister.reads == []


def test_a_session_is_told_that_its_topic_is_gone_or_is_another_one(sharing: Sharing) -> None:
    # Compared with a node of Apache Kafka 4.4.0, but for the topic that was made anew: -1 there, after a wait.
    load(sharing)
    gone, other = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INCONSISTENT_TOPIC_ID
    sharing.broker.delete_topic("t")
    assert sharing.fetch(1).error_code == gone
    sharing.broker.topic("t", [ME])
    assert [sharing.fetch(epoch).error_code for epoch in (2, 3)] == [other, other]
    # A session that begins with the old id cannot have known its name.
    assert sharing.fetch(0).error_code == ErrorCode.UNKNOWN_TOPIC_ID
    assert sharing.fetch(1).error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_the_leadership_may_change_while_a_thread_reads(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = sharing.broker
    sharing.topic_id = broker.topic("u", [ME, OTHER])
    assert broker.produce("u", batch(VALUE)).error_code == 0
    broker.replicate("u", 1)
    load(sharing)
    (led,) = broker.replicas.share_partitions.partitions()
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    broker.replicas.workers.hold()
    found = sharing.send_fetch(1, max_wait_ms=1_000)
    broker.replicas.pass_time(1_000)
    assert found == []
    broker.harness.heartbeat(ME, want_fence=True)
    broker.replicas.follow()
    broker.replicas.workers.release()
    broker.replicas.call_due()
    assert partition_of(found[0]).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    # What was read is not acquired.
    assert led.core is not None
    assert len(led.core.in_flight) == 0


def test_a_fetch_whose_time_is_over_while_a_thread_reads_gets_what_that_brings(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    sharing.write(VALUE)
    sharing.begin("bob")
    found = sharing.send_fetch(0, max_wait_ms=1_000)
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    workers = sharing.broker.replicas.workers
    workers.hold()
    sharing.send_acknowledgement(1, 0, 0, 2, "bob")
    sharing.persister.written()
    sharing.broker.replicas.pass_time(1_000)
    assert found == []
    workers.release()
    sharing.broker.replicas.call_due()
    assert [acquired(partition_of(each)) for each in found] == [[(0, 0, 2)]]


def test_others_read_what_is_left_once_the_thread_has_read(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_from: list[int] = []
    read_by_thread = LogRead.read

    def read(log_read: LogRead) -> Any:
        read_from.append(log_read.offset)
        return read_by_thread(log_read)

    monkeypatch.setattr(LogRead, "read", read)
    sharing.write(VALUE, VALUE)
    load(sharing)
    sharing.send_fetch(0, "bob", max_records=0)
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    broker = sharing.broker
    broker.replicas.workers.hold()
    found = [sharing.send_fetch(1, name, max_wait_ms=5_000, max_records=1) for name in ("ada", "bob")]
    assert found == [[], []]
    broker.replicas.workers.release()
    broker.replicas.call_due()
    assert [acquired(partition_of(each[0])) for each in found] == [[(0, 0, 1)], [(1, 1, 1)]]
    assert read_from == [0, 1]


def test_a_negative_limit_is_an_error(sharing: Sharing) -> None:
    sharing.write(VALUE)
    load(sharing)
    assert sharing.fetch(1, max_bytes=-1).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert acquired(sharing.fetch(2)) == [(0, 0, 1)]


# --- loading ---


def test_a_group_without_a_name_has_no_share_partition(sharing: Sharing) -> None:
    sharing.broker.replicas.follow()
    with pytest.raises(ShareError) as error:
        sharing.broker.replicas.share_partitions._led.get_or_load(ShareKey("", sharing.topic_id, 0))
    assert error.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_state_that_no_leader_can_have_written_is_read_again_by_the_next_fetch(sharing: Sharing) -> None:
    good = sharing.persister.state
    sharing.persister.state = ShareState(1, 5, batches=(StateBatch(2, 3, 0, 1),))
    found = sharing.send_fetch(0, max_wait_ms=1_000)
    sharing.persister.loaded()
    assert partition_of(found[0]).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    sharing.write(VALUE)
    sharing.persister.state = good
    found = sharing.send_fetch(1, max_wait_ms=1_000)
    sharing.persister.loaded()
    assert acquired(partition_of(found[0])) == [(0, 0, 1)]


def test_a_group_may_begin_with_the_records_of_the_last_hour(sharing: Sharing) -> None:
    sharing.configure("share.auto.offset.reset", "by_duration:PT1H")
    sharing.persister.state = ShareState(state_epoch=1)
    hour_ms = 3_600_000
    for age_ms in (2 * hour_ms, hour_ms // 2):
        records = batch(VALUE, timestamp_ms=TIMESTAMP_MS - age_ms)
        assert sharing.broker.produce("t", records).error_code == 0
    assert acquired(loaded_fetch(sharing)) == [(1, 1, 1)]


def test_without_a_record_that_is_new_enough_the_next_fetch_looks_again(sharing: Sharing) -> None:
    sharing.configure("share.auto.offset.reset", "by_duration:PT1H")
    sharing.persister.state = ShareState(state_epoch=1)
    assert sharing.broker.produce("t", batch(VALUE, timestamp_ms=TIMESTAMP_MS - 7_200_000)).error_code == 0
    assert loaded_fetch(sharing).error_code == ErrorCode.OFFSET_NOT_AVAILABLE
    assert sharing.broker.produce("t", batch(VALUE)).error_code == 0
    found = sharing.send_fetch(1, max_wait_ms=1_000)
    sharing.persister.loaded()
    assert acquired(partition_of(found[0])) == [(1, 1, 1)]


# --- requests that do not fit their session ---


def test_the_request_that_begins_a_session_acknowledges_nothing(sharing: Sharing) -> None:
    said = ShareFetchRequest.AcknowledgementBatch(first_offset=0, last_offset=0, acknowledge_types=[1])
    place = ShareFetchRequest.FetchPartition(partition_index=0, acknowledgement_batches=[said])
    topic = ShareFetchRequest.FetchTopic(topic_id=sharing.topic_id, partitions=[place])
    (response,) = sharing.send_fetch(0, topics=[topic])
    assert response.error_code == ErrorCode.INVALID_REQUEST
    assert len(sharing.broker.replicas.share_partitions.sessions) == 0


@pytest.mark.parametrize(
    ("epoch", "code"),
    [
        (0, ErrorCode.INVALID_SHARE_SESSION_EPOCH),
        (-1, ErrorCode.SHARE_SESSION_NOT_FOUND),
        (1, ErrorCode.SHARE_SESSION_NOT_FOUND),
    ],
)
def test_acknowledgements_belong_to_a_session(sharing: Sharing, epoch: int, code: ErrorCode) -> None:
    (response,) = sharing.send_acknowledgement(epoch, 0, 0, 1)
    assert response.error_code == code


def test_the_last_acknowledgements_end_the_session(sharing: Sharing) -> None:
    sharing.write(VALUE, VALUE)
    sharing.begin()
    found = sharing.send_acknowledgement(-1, 0, 0, 1)
    assert sharing.persister.written().batches == (StateBatch(0, 0, 2, 1),)
    assert sharing.persister.written().batches == (StateBatch(1, 1, 0, 1),)
    assert partition_of(found[0]).error_code == 0
    assert sharing.send_fetch(1)[0].error_code == ErrorCode.SHARE_SESSION_NOT_FOUND


def test_what_is_not_loaded_cannot_be_acknowledged(sharing: Sharing) -> None:
    sharing.send_fetch(0, max_wait_ms=1_000)
    (response,) = sharing.send_acknowledgement(1, 0, 0, 1)
    assert partition_of(response).error_code == ErrorCode.INVALID_RECORD_STATE


def test_a_fetch_that_wants_to_acquire_records_in_an_unknown_way_is_refused(sharing: Sharing) -> None:
    sharing.write(VALUE)
    sharing.begin()
    (response,) = sharing.send_fetch(1, share_acquire_mode=7)
    assert response.error_code == ErrorCode.UNKNOWN_SERVER_ERROR


# --- what is left behind ---


def test_nothing_is_left_of_groups_whose_members_are_gone(sharing: Sharing) -> None:
    sharing.write(VALUE, VALUE)
    sharing.begin()
    sharing.send_acknowledgement(1, 0, 0, 1)
    sharing.persister.written()
    service = sharing.broker.replicas.share_partitions
    ended: Callable[[object], None] = sharing.broker.services.shares.connection_ended
    ended(1)
    sharing.broker.replicas.call_due()
    sharing.persister.written()
    hosted = sharing.broker.replicas.manager.replicas.get(sharing.topic_id, 0)
    assert hosted is not None
    assert (service._led._led, service._led._by_group, service._left) == ({}, {}, {})
    assert not hosted.partition.watchers
    sharing.broker.replicas.pass_time(LOCK_MS)
    assert sharing.persister.writes == []


def test_acknowledgements_of_two_topics_are_counted_by_topic(sharing: Sharing) -> None:
    metrics = sharing.broker.replicas.manager.fetches.metrics
    sharing.write(VALUE)
    sharing.begin()
    request = ShareAcknowledgeRequest
    said = request.AcknowledgementBatch(first_offset=0, last_offset=0, acknowledge_types=[1])
    other = sharing.broker.topic("u")
    topics = [
        request.AcknowledgeTopic(
            topic_id=topic_id,
            partitions=[request.AcknowledgePartition(partition_index=0, acknowledgement_batches=[said])],
        )
        for topic_id in (sharing.topic_id, other)
    ]
    message = request(group_id=GROUP, member_id="ada", share_session_epoch=1, topics=topics)
    found = sharing.broker.send(message, 2, connection=1)
    sharing.persister.written()
    codes = [each.error_code for topic in found[0].responses for each in topic.partitions]
    assert sorted(codes) == [0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    of = {name: metrics.of(name) for name in ("t", "u")}
    assert {name: each.share_acknowledgements for name, each in of.items()} == {"t": 1, "u": 1}
    assert {name: each.failed_share_acknowledgements for name, each in of.items()} == {"t": 0, "u": 1}
    assert (metrics.all.share_acknowledgements, metrics.all.failed_share_acknowledgements) == (2, 1)
