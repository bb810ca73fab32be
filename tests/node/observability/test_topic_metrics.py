"""Metrics of topics and of requests that wait: a broker's, after what clients and followers have asked of it.

What counts in which case was seen at a node of Apache Kafka 4.4.0; `tests/compat/test_same_topic_metrics.py` asks both.
"""

from __future__ import annotations

import dataclasses
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    DeleteRecordsRequest,
    DeleteTopicsRequest,
)
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.crc32c import crc32c
from kafkaproto_server.base.metrics import topics as module
from kafkaproto_server.base.metrics.topics import TopicCounts, TopicMetrics
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC
from kafkaproto_server.node.observability.topic_metrics import PURGATORY, TOPICS, topic_moment, topic_work
from kafkaproto_server.requests.context import Throttle
from kafkaproto_server.requests.data import FetchResult, MarkerItem, ProduceResult
from kafkaproto_server.requests.fetch_requests import fetch_values
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from tests.apis.groups.test_offsets import commit
from tests.apis.support.data_broker import ME, OTHER, THIRD, DataBroker, batch, wanted
from tests.apis.support.replicas import cold
from tests.apis.support.sharing import Sharing
from tests.apis.support.transactional_broker import TransactionalBroker
from tests.node.observability.test_coordinator_metrics import exported
from tests.node.observability.test_families import samples
from tests.sim.disk import MemoryFile

GOLDEN = Path(__file__).parent / "golden" / "topic_mbeans.txt"
EXPIRES = {
    ("kafka_server_delayedproducemetrics_expires_total",),
    ("kafka_server_delayedfetchmetrics_expires_total", "consumer"),
    ("kafka_server_delayedfetchmetrics_expires_total", "follower"),
}
"""Of `replica_mbeans.txt`."""
LEFT_OUT = {"AlterAcls", "RemoteFetch", "RemoteListOffsets"}
"""Operations that never wait here: docs/running.md says so."""


def page(metrics: TopicMetrics) -> dict[tuple[str, ...], float]:
    """What is told at this moment."""
    found: dict[tuple[str, ...], float] = {}
    for family in topic_work(topic_moment(metrics)):
        found.update(samples(family))
    return found


class Counting:
    """A broker, and what its metrics of topics tell since the last look."""

    def __init__(self, broker: DataBroker) -> None:
        self.broker = broker
        self.metrics = broker.replicas.manager.topic_metrics
        self._before = page(self.metrics)

    def changes(self) -> dict[tuple[str, ...], float]:
        """By name without prefix and suffix, and topic."""
        before, self._before = self._before, page(self.metrics)
        return {
            (key[0].removeprefix(f"{TOPICS}_").removesuffix("_total"), *key[1:]): value - before.get(key, 0)
            for key, value in self._before.items()
            if value != before.get(key, 0)
        }


def both(topic: str, **numbers: float) -> dict[tuple[str, ...], float]:
    """Numbers that count for all topics and for one."""
    return {(name, *rest): number for name, number in numbers.items() for rest in ((), (topic,))}


def waits(operation: str, operations: int, watched: int) -> dict[tuple[str, ...], float]:
    """Requests that wait, and partitions that they wait for."""
    return {
        (f"{PURGATORY}_numdelayedoperations", operation): operations,
        (f"{PURGATORY}_purgatorysize", operation): watched,
    }


def with_header(sent: bytes, position: int, form: str, value: int) -> bytes:
    """A batch with another field in its header, and the right checksum."""
    changed = bytearray(sent)
    struct.pack_into(form, changed, position, value)
    struct.pack_into(">I", changed, 17, crc32c(bytes(changed[21:])))
    return bytes(changed)


@pytest.fixture
def broker() -> DataBroker:
    """It has topics of several kinds."""
    broker = DataBroker()
    broker.topic("t", [ME], [ME], **{"max.message.bytes": "2000"})
    broker.topic("compacted", **{"cleanup.policy": "compact"})
    broker.topic("packed", **{"compression.type": "gzip"})
    broker.topic("segments", **{"segment.bytes": "1048576", "max.message.bytes": "5000000"})
    broker.topic("followed", [OTHER, ME])
    broker.topic("elsewhere", [OTHER])
    broker.replicas.follow()
    return broker


def test_what_apache_kafka_has_is_there_or_known_to_be_missing() -> None:
    lines = [each for each in GOLDEN.read_text().splitlines() if not each.startswith("#")]
    kafkas = {exported(*each.rsplit(" ", 1)) for each in lines}
    kafkas.remove(("kafka_server_replicamanager_partitionswithlatetransactionscount",))
    metrics = TopicMetrics()
    metrics.topics["t"] = TopicCounts(**{each.name: 1 for each in dataclasses.fields(TopicCounts)})
    ours = set(page(metrics))
    missing = kafkas - ours
    assert {key[0].startswith(PURGATORY) for key in missing} == {True}
    assert {key[1] for key in missing} == LEFT_OUT
    # The node of Apache Kafka had no damaged log.
    assert ours - kafkas - EXPIRES == {(f"{TOPICS}_failedfetchrequests_total", "t")}


# --- Produce

SENT = batch(b"a", b"b", b"c")
TOO_LARGE = batch(b"v" * 3000)
PRODUCED = {"totalproducerequests": 1}
REFUSED = {**PRODUCED, "failedproducerequests": 1}
APPENDED = {**PRODUCED, "bytesin": len(SENT), "messagesin": 3}
BAD_HEADER: dict[tuple[str, ...], int] = {("invalidoffsetorsequencerecords",): 1}
IDEMPOTENT: dict[str, Any] = {"producer_id": 4000, "producer_epoch": 0}

CASES: dict[str, tuple[str, bytes, dict[str, int], dict[tuple[str, ...], int]]] = {
    "appended": ("t", SENT, APPENDED, {}),
    "with a part of another batch": ("t", SENT + SENT[:20], {**APPENDED, "bytesin": len(SENT) + 20}, {}),
    "compressed anew": ("packed", SENT, {**APPENDED, "producemessageconversions": 3}, {}),
    "in a topic with keys": ("compacted", SENT, APPENDED, {}),
    "too large": ("t", TOO_LARGE, {**PRODUCED, "bytesrejected": len(TOO_LARGE)}, {}),
    "too large for a segment": ("segments", batch(b"v" * 1_100_000), PRODUCED, {}),
    "wrong checksum": ("t", SENT[:-1] + b"!", PRODUCED, {("invalidmessagecrcrecords",): 1}),
    "old magic": ("t", SENT[:16] + b"\1" + SENT[17:], {}, {}),
    "unknown magic": ("t", SENT[:16] + b"\5" + SENT[17:], {}, {}),
    "two batches": ("t", SENT + SENT, {}, {}),
    "nothing": ("t", b"", {}, {}),
    "base offset": ("t", b"\0" * 7 + b"\5" + SENT[8:], REFUSED, {}),
    "last offset delta": ("t", with_header(SENT, 23, ">i", 9), REFUSED, BAD_HEADER),
    "count": ("t", with_header(SENT, 57, ">i", 2), REFUSED, BAD_HEADER),
    "control batch": ("t", with_header(SENT, 21, ">h", 0x20), REFUSED, BAD_HEADER),
    "no sequence": ("t", batch(base_sequence=-1, **IDEMPOTENT), REFUSED, BAD_HEADER),
    "compression": ("t", with_header(SENT, 21, ">h", 5), REFUSED, {}),
    "no keys": ("compacted", batch(b"a", b"b", key=None), REFUSED, {("nokeycompactedtopicrecords",): 2}),
}


@pytest.mark.parametrize("case", CASES)
def test_records_count_as_they_do_in_apache_kafka(case: str, broker: DataBroker) -> None:
    topic, records, numbers, more = CASES[case]
    counting = Counting(broker)
    refused = broker.produce(topic, records).error_code != 0
    assert counting.changes() == {**both(topic, **numbers), **more}
    assert refused == ("bytesin" not in numbers)


def test_one_record_without_key_of_two_counts_once(broker: DataBroker) -> None:
    counting = Counting(broker)
    records = [NewRecord(b"k", b"v"), NewRecord(None, b"v")]
    broker.produce("compacted", build_batch(records, base_offset=0, timestamp_ms=1))
    assert counting.metrics.records_without_key == 1


def test_what_a_thread_looks_through_counts_too(broker: DataBroker) -> None:
    counting = Counting(broker)
    values = [b"v" * 10_000] * 2
    sent = batch(*values)
    broker.replicas.workers.hold()
    broker.send(broker.produce_request(("compacted", 0, sent), acks=1), 13)
    broker.send(broker.produce_request(("compacted", 0, batch(*values, key=None)), acks=1), 13)
    broker.replicas.workers.release()
    numbers = {"totalproducerequests": 2, "failedproducerequests": 1, "bytesin": len(sent), "messagesin": 2}
    assert counting.changes() == {**both("compacted", **numbers), ("nokeycompactedtopicrecords",): 2}


def test_a_repeated_batch_counts_again_and_one_out_of_order_failed(broker: DataBroker) -> None:
    counting = Counting(broker)
    sent = batch(b"a", b"b", base_sequence=0, **IDEMPOTENT)
    for _ in range(2):
        assert broker.produce("t", sent).error_code == 0
    assert counting.changes() == both("t", totalproducerequests=2, bytesin=2 * len(sent), messagesin=4)
    late = broker.produce("t", batch(base_sequence=7, **IDEMPOTENT))
    assert late.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert counting.changes() == both("t", **REFUSED)


def test_partitions_that_do_not_exist_do_not_count_and_those_of_other_leaders_do(broker: DataBroker) -> None:
    counting = Counting(broker)
    assert broker.produce("nobody", SENT, version=11).error_code != 0
    assert broker.produce("nobody", SENT).error_code != 0
    assert broker.produce("t", SENT, 7).error_code != 0
    assert counting.changes() == {}
    assert broker.produce("followed", SENT).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert counting.changes() == both("followed", **PRODUCED)
    # There is no series for a topic that has no replica here.
    assert broker.produce("elsewhere", SENT).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert counting.changes() == {("totalproducerequests",): 1}


def test_too_few_replicas_in_sync_count_as_failed() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER], **{"min.insync.replicas": "2"})
    broker.harness.heartbeat(OTHER, want_fence=True)
    broker.replicas.follow()
    counting = Counting(broker)
    assert broker.produce("t", SENT, acks=-1).error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert counting.changes() == both("t", **REFUSED)


def test_each_partition_of_a_request_counts(broker: DataBroker) -> None:
    counting = Counting(broker)
    broker.ask(broker.produce_request(("t", 0, SENT), ("t", 1, SENT), ("compacted", 0, SENT)), 13)
    assert counting.changes() == {
        **both("t", totalproducerequests=2, bytesin=2 * len(SENT), messagesin=6),
        **both("compacted", **APPENDED),
        ("totalproducerequests",): 3,
        ("bytesin",): 3 * len(SENT),
        ("messagesin",): 9,
    }


def test_records_of_coordinators_and_markers_count_for_their_topics() -> None:
    broker = TransactionalBroker()
    counting = Counting(broker)
    producer = broker.begin()
    broker.write(producer)
    counting.changes()
    broker.end(producer)
    found = counting.changes()
    assert not [key for key in found if key[0].startswith(PURGATORY)]
    assert (found["messagesin", "t"], found["totalproducerequests", "t"]) == (1, 1)
    assert found["bytesin", "t"] == 78
    broker.replicas.follow()
    commit(broker, ("t", 0, 5))
    found = counting.changes()
    assert (found["messagesin", GROUPS_TOPIC], found["totalproducerequests", GROUPS_TOPIC]) == (1, 1)


# --- Fetch


def test_fetched_records_count_and_so_do_requests_without_any(broker: DataBroker) -> None:
    broker.produce("t", SENT)
    counting = Counting(broker)
    assert broker.fetch("t").error_code == 0
    assert counting.changes() == both("t", totalfetchrequests=1, bytesout=len(SENT))
    assert broker.fetch("t", wanted(0, 3)).error_code == 0
    assert broker.fetch("t", wanted(0, 99)).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert counting.changes() == both("t", totalfetchrequests=2)
    for name, index in (("nobody", 0), ("t", 9)):
        assert broker.fetch(name, wanted(index)).error_code != 0
    assert counting.changes() == {}
    assert broker.fetch("elsewhere").error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert counting.changes() == {("totalfetchrequests",): 1}


def test_requests_of_a_session_that_names_topics_count_for_them(broker: DataBroker) -> None:
    counting = Counting(broker)
    full = broker.fetch_request(("t", [wanted()]), version=12, session_epoch=0)
    session_id = broker.ask(full, 12).session_id
    broker.ask(broker.fetch_request(version=12, session_id=session_id, session_epoch=1), 12)
    # As each scrape does.
    for session in broker.replicas.manager.fetches.sessions.cache:
        session.settle()
    assert counting.changes() == both("t", totalfetchrequests=2)


def test_replicas_elsewhere_change_nothing_for_the_other_partitions_of_a_request(broker: DataBroker) -> None:
    broker.produce("t", SENT)
    counting = Counting(broker)
    request = broker.fetch_request(("elsewhere", [wanted()]), ("t", [wanted()]), session_epoch=0)
    session_id = broker.ask(request, 18).session_id
    counted = both("t", totalfetchrequests=1, bytesout=len(SENT))
    assert counting.changes() == {**counted, ("totalfetchrequests",): 2}
    # What continues the session is about its two partitions again.
    session_fetch(broker, session_id, 1)
    assert counting.changes()["totalfetchrequests",] == 2


def test_a_request_that_waits_counts_once(broker: DataBroker) -> None:
    counting = Counting(broker)
    request = broker.fetch_request(("t", [wanted(0), wanted(1)]), max_wait_ms=1_000)
    found = broker.send(request, 18)
    assert counting.changes() == waits("Fetch", 1, 2)
    broker.produce("t", SENT)
    assert len(found) == 1
    numbers = {**APPENDED, "bytesout": len(SENT), "totalfetchrequests": 2}
    assert counting.changes() == {**both("t", **numbers), **waits("Fetch", -1, -2)}
    found = broker.send(broker.fetch_request(("t", [wanted(1)]), max_wait_ms=1_000), 18)
    broker.replicas.pass_time(1_000)
    assert len(found) == 1
    expired: dict[tuple[str, ...], float] = {("kafka_server_delayedfetchmetrics_expires", "consumer"): 1}
    assert counting.changes() == {**both("t", totalfetchrequests=1), **expired}


def test_a_refused_session_counts_nothing(broker: DataBroker) -> None:
    counting = Counting(broker)
    request = broker.fetch_request(("t", [wanted(0)]), session_id=77, session_epoch=1)
    assert broker.ask(request, 18).error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert counting.changes() == {}


def session_fetch(broker: DataBroker, session_id: int, epoch: int, **fields: Any) -> list[Any]:
    """A request about the first partition of t, or of its session; its response is in the list, now or later."""
    topics = [] if epoch else [("t", [wanted(0)])]
    request = broker.fetch_request(*topics, session_id=session_id, session_epoch=epoch, **fields)
    return broker.send(request, 18)


def test_records_that_a_session_gets_count_once_for_their_topic(broker: DataBroker) -> None:
    (begun,) = session_fetch(broker, 0, 0)
    broker.produce("t", SENT)
    counting = Counting(broker)
    session_fetch(broker, begun.session_id, 1)
    # The request itself counts for the topic at the next scrape.
    assert counting.changes() == {**both("t", bytesout=len(SENT)), ("totalfetchrequests",): 1}


def test_records_for_a_session_that_went_on_meanwhile_do_not_count(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    (begun,) = session_fetch(broker, 0, 0)
    broker.produce("t", SENT)
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    counting = Counting(broker)
    broker.replicas.workers.hold()
    first, second = (session_fetch(broker, begun.session_id, epoch) for epoch in (1, 2))
    broker.replicas.workers.release()
    codes = [each[0].error_code for each in (first, second)]
    assert codes == [ErrorCode.INVALID_FETCH_SESSION_EPOCH, ErrorCode.NONE]
    assert counting.changes()["bytesout", "t"] == len(SENT)


def test_records_that_a_quota_holds_back_do_not_count_and_their_request_does(broker: DataBroker) -> None:
    broker.produce("t", SENT)
    counting = Counting(broker)
    request = broker.fetch_request(("t", [wanted(0)]))
    found: list[FetchResult] = []
    throttle = SimpleNamespace(fetched=lambda size: 100)
    broker.services.fetches.fetch(
        fetch_values(request, 18, "PLAINTEXT"), 18, lambda name: True, found.append, cast(Throttle, throttle)
    )
    assert [each.throttle_ms for each in found] == [100]
    assert counting.changes() == both("t", totalfetchrequests=1)


def test_a_log_that_cannot_be_read_counts_as_failed(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.produce("t", SENT)

    def damaged(*arguments: Any, **more: Any) -> bytes:
        raise CorruptFileError("a.log", "damaged")

    monkeypatch.setattr(TopicLog, "records_now", damaged)
    counting = Counting(broker)
    assert broker.fetch("t").error_code == ErrorCode.CORRUPT_MESSAGE
    assert counting.changes() == both("t", totalfetchrequests=1, failedfetchrequests=1)


def test_what_a_thread_reads_counts_too(broker: DataBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.produce("t", SENT)
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    counting = Counting(broker)
    assert broker.fetch("t").error_code == 0
    assert counting.changes() == both("t", totalfetchrequests=1, bytesout=len(SENT))


def test_followers_do_not_count_as_readers_and_new_replicas_count_as_reassigned() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    broker.produce("t", SENT)
    counting = Counting(broker)

    def copy(follower: int) -> None:
        epoch = broker.harness.image.brokers[follower].epoch
        found = broker.fetch("t", replica_id=follower, replica_epoch=epoch)
        assert len(found.records) == len(SENT)

    copy(OTHER)
    assert counting.changes() == {**both("t", totalfetchrequests=1), ("replicationbytesout",): len(SENT)}
    kind = AlterPartitionReassignmentsRequest
    partition = kind.ReassignablePartition(partition_index=0, replicas=[ME, OTHER, THIRD])
    broker.harness.call(kind(topics=[kind.ReassignableTopic(name="t", partitions=[partition])]))
    broker.replicas.follow()
    copy(OTHER)
    assert ("reassignmentbytesout",) not in counting.changes()
    copy(THIRD)
    assert counting.changes() == {
        **both("t", totalfetchrequests=1),
        ("replicationbytesout",): len(SENT),
        ("reassignmentbytesout",): len(SENT),
    }


# --- share groups


def test_share_fetches_and_acknowledgements_count_once_for_each_topic() -> None:
    sharing = Sharing()
    counting = Counting(sharing.broker)
    sharing.write(b"a", b"b")
    counting.changes()
    sharing.begin()
    found = counting.changes()
    size = len(batch(b"a")) * 2
    assert found == both("t", totalsharefetchrequests=1, bytesout=size)
    sharing.send_acknowledgement(1, 0, 0, 1)
    sharing.persister.written()
    assert counting.changes() == both("t", totalshareacknowledgementrequests=1)
    sharing.send_acknowledgement(2, 99, 99, 1)
    numbers = {"totalshareacknowledgementrequests": 1, "failedshareacknowledgementrequests": 1}
    assert counting.changes() == both("t", **numbers)
    sharing.send_acknowledgement(77, 0, 0, 1)
    assert counting.changes() == {}


def test_a_share_fetch_with_an_error_for_a_partition_has_failed() -> None:
    sharing = Sharing()
    counting = Counting(sharing.broker)
    sharing.send_fetch(0, max_wait_ms=1_000)
    assert counting.changes() == {**both("t", totalsharefetchrequests=1), **waits("ShareFetch", 1, 1)}
    sharing.persister.loaded(ErrorCode.INVALID_REQUEST)
    assert counting.changes() == {**both("t", failedsharefetchrequests=1), **waits("ShareFetch", -1, -1)}


# --- what waits


def test_produce_requests_wait_for_replicas_until_these_have_the_records_or_their_time_is_over() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER], [ME, OTHER])
    counting = Counting(broker)
    operations = (f"{PURGATORY}_numdelayedoperations", "Produce")
    watched = (f"{PURGATORY}_purgatorysize", "Produce")
    request = broker.produce_request(("t", 0, SENT), ("t", 1, SENT), acks=-1, timeout_ms=1_000)
    found = broker.send(request, 13)
    changes = counting.changes()
    assert (changes[operations], changes[watched]) == (1, 2)
    broker.replicate("t", 3)
    changes = counting.changes()
    assert (changes.get(operations), changes[watched]) == (None, -1)
    assert found == []
    broker.replicas.pass_time(1_000)
    assert len(found) == 1
    changes = counting.changes()
    assert (changes[operations], changes[watched]) == (-1, -1)
    # One that waits until the end, and one that does not wait at all.
    broker.send(broker.produce_request(("t", 0, SENT), acks=-1), 13)
    broker.replicate("t", 6)
    broker.send(broker.produce_request(("t", 0, SENT), acks=1), 13)
    assert (page(counting.metrics)[operations], page(counting.metrics)[watched]) == (0, 0)


def test_coordinators_that_wait_for_markers_are_among_those_that_produce() -> None:
    broker = DataBroker()
    broker.trust_producers()
    broker.topic("t", [ME, OTHER])
    broker.replicas.follow()
    counting = Counting(broker)
    item = MarkerItem(
        topic="t",
        index=0,
        producer_id=7,
        producer_epoch=0,
        is_abort=False,
        coordinator_epoch=0,
        transaction_version=1,
    )
    found: list[ProduceResult] = []
    broker.services.replicas.write_markers([item], found.extend)
    size = counting.metrics.all.bytes_in
    written = both("t", totalproducerequests=1, messagesin=1, bytesin=size)
    assert counting.changes() == {**written, **waits("Produce", 1, 1)}
    broker.replicate("t", 1)
    assert [each.code for each in found] == [0]
    assert waits("Produce", -1, -1).items() <= counting.changes().items()


def test_deletions_wait_for_followers() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    broker.produce("t", SENT)
    broker.replicate("t", 3)
    kind = DeleteRecordsRequest
    partition = kind.DeleteRecordsPartition(partition_index=0, offset=2)
    topic = kind.DeleteRecordsTopic(name="t", partitions=[partition])
    counting = Counting(broker)
    found = broker.send(kind(topics=[topic], timeout_ms=1_000), 2)
    assert counting.changes() == waits("DeleteRecords", 1, 1)
    broker.replicas.pass_time(1_000)
    assert len(found) == 1
    assert counting.changes() == waits("DeleteRecords", -1, -1)


def test_a_deletion_without_followers_does_not_wait() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.produce("t", SENT)
    kind = DeleteRecordsRequest
    partition = kind.DeleteRecordsPartition(partition_index=0, offset=2)
    topic = kind.DeleteRecordsTopic(name="t", partitions=[partition])
    counting = Counting(broker)
    assert len(broker.send(kind(topics=[topic], timeout_ms=1_000), 2)) == 1
    assert counting.changes() == {}


# --- the series of a topic


def test_a_deleted_topic_loses_its_series_and_the_sum_stays(broker: DataBroker) -> None:
    counting = Counting(broker)
    broker.produce("t", SENT)
    assert (f"{TOPICS}_bytesin_total", "t") in page(counting.metrics)
    topic = DeleteTopicsRequest.DeleteTopicState(name="t")
    broker.harness.call(DeleteTopicsRequest(topics=[topic], timeout_ms=1_000))
    broker.replicas.follow()
    found = page(counting.metrics)
    assert not [key for key in found if key[1:] == ("t",)]
    assert found[f"{TOPICS}_bytesin_total",] == len(SENT)


def test_a_topic_keeps_its_series_if_one_of_its_replicas_moves_away(broker: DataBroker) -> None:
    broker.produce("t", SENT)
    broker.replicas.manager.replica_removed(broker.topic_id("t"), 1)
    assert broker.replicas.manager.topic_metrics.topics["t"].messages_in == 3


def test_a_series_begins_with_the_first_thing_that_is_counted(broker: DataBroker) -> None:
    broker.produce("t", b"")
    found = page(Counting(broker).metrics)
    assert {key for key in found if key[0].startswith(TOPICS) and len(key) > 1} == set()
    broker.fetch("t")
    found = page(Counting(broker).metrics)
    assert {key for key in found if key[0].startswith(TOPICS) and len(key) > 1} == {
        (f"{TOPICS}_totalfetchrequests_total", "t")
    }


def test_only_so_many_topics_have_series(broker: DataBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TOPICS", 1)
    for name in ("t", "compacted", "t"):
        assert broker.produce(name, SENT).error_code == 0
    metrics = broker.replicas.manager.topic_metrics
    assert {name: each.messages_in for name, each in metrics.topics.items()} == {"t": 6}
    assert metrics.all.messages_in == 9
