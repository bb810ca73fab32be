"""Fetch of topics: what is read, when the response comes, and to whom. What the errors look like in each case was
compared with the responses of a node of Apache Kafka 4.4.0 to the same requests.

Tests: `base.file_part`, `requests.data`, `shell.replicas.requests.fetch_counts`,
`shell.replicas.requests.fetch_reads`, `shell.replicas.requests.fetches`, `shell.replicas.requests.named_topics`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import CreatePartitionsRequest, FetchRequest, WriteTxnMarkersRequest
from kafkaproto.transaction_index import AbortedTransaction
from kafkaproto_server.base.file_part import Descriptor, FilePart
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.security.acls import CLUSTER_NAME, Operation, ResourceType
from kafkaproto_server.requests.data import ProduceItem
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
from tests.apis.support.replicas import cold
from tests.sim.disk import MemoryFile

VERSIONS = range(4, 19)
READ_COMMITTED = 1
READ_T = (Operation.READ, ResourceType.TOPIC, "t")
CLUSTER_ACTION = (Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME)


def write(broker: DataBroker, *values: bytes, name: str = "t", index: int = 0) -> list[bytes]:
    """Write a batch for each value; returns them as they are stored in a new log."""
    sent = [batch(value) for value in values]
    for each in sent:
        assert broker.produce(name, each, index).error_code == 0
    return [stored(each, offset) for offset, each in enumerate(sent)]


# --- what is read ---


@pytest.mark.parametrize("version", VERSIONS)
def test_records_are_read_as_they_lie_in_the_log(broker: DataBroker, version: int) -> None:
    written = write(broker, b"a", b"b", b"c")
    found = broker.fetch("t", version=version)
    assert bytes(found.records) == b"".join(written)
    assert (found.error_code, found.high_watermark, found.last_stable_offset) == (0, 3, 3)
    assert found.log_start_offset == (0 if version >= 5 else -1)
    assert bytes(broker.fetch("t", wanted(0, 2), version=version).records) == written[2]


def test_an_offset_in_a_batch_is_read_with_the_whole_batch(broker: DataBroker) -> None:
    broker.produce("t", batch(b"a", b"b", b"c"))
    assert batches(broker.fetch("t", wanted(0, 1)).records) == [(0, 0, [b"a", b"b", b"c"])]


def test_at_the_end_there_are_no_records(broker: DataBroker) -> None:
    write(broker, b"a")
    found = broker.fetch("t", wanted(0, 1))
    assert (found.error_code, bytes(found.records)) == (0, b"")


def test_a_partition_gets_as_many_whole_batches_as_its_limit_allows(broker: DataBroker) -> None:
    written = write(broker, b"a", b"b", b"c")
    for limit, count in ((len(written[0]) * 2, 2), (len(written[0]) * 2 - 1, 1)):
        found = broker.fetch("t", wanted(partition_max_bytes=limit))
        # A part of a batch may follow; clients leave it out.
        assert bytes(found.records)[: count * len(written[0])] == b"".join(written[:count])
        assert len(found.records) <= limit


@pytest.mark.parametrize("limits", [(1 << 20, 1), (1, 1 << 20), (0, 0), (-1, -1)])
def test_the_first_batch_comes_whole_whatever_the_limits(broker: DataBroker, limits: tuple[int, int]) -> None:
    written = write(broker, b"a" * 500, b"b")
    found = broker.fetch("t", wanted(partition_max_bytes=limits[0]), max_bytes=limits[1])
    assert bytes(found.records) == written[0]


def test_what_does_not_fit_any_more_is_left_out(broker: DataBroker) -> None:
    broker.topic("two", [ME], [ME])
    first = write(broker, b"a" * 500, name="two")
    second = write(broker, b"b", name="two", index=1)
    limits = (len(first[0]), len(first[0]) + len(second[0]))
    for limit, expected in zip(limits, ([first[0], b""], [first[0], second[0]]), strict=True):
        request = broker.fetch_request(("two", [wanted(0), wanted(1)]), max_bytes=limit)
        (topic,) = broker.ask(request, 18).responses
        assert [bytes(each.records) for each in topic.partitions] == expected


@pytest.mark.parametrize("replica_id", [-1, OTHER], ids=["consumer", "follower"])
def test_the_brokers_own_limit_holds_too(replica_id: int) -> None:
    broker = DataBroker(fetch_max_bytes="1024")
    broker.topic("t", [ME, OTHER])
    write(broker, b"a" * 800, b"b" * 800, b"c" * 2000)
    broker.replicate("t", 3)
    for offset in range(3):
        found = broker.fetch("t", wanted(0, offset), replica_id=replica_id)
        assert len(batches(found.records)) == 1


def test_a_consumer_reads_up_to_the_high_watermark_and_a_follower_all(replicated: DataBroker) -> None:
    write(replicated, b"a", b"b")
    replicated.replicate("t", 1)
    found = replicated.fetch("t")
    assert (found.high_watermark, batches(found.records)) == (1, [(0, 0, [b"a"])])
    epoch = replicated.harness.image.brokers[OTHER].epoch
    found = replicated.fetch("t", wanted(0, 1), replica_id=OTHER, replica_epoch=epoch)
    assert (found.high_watermark, batches(found.records)) == (1, [(1, 0, [b"b"])])


def parts_of_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The log hands out parts of files from now on; returns their lengths, as they come."""
    lengths: list[int] = []

    def part_now(file: MemoryFile, position: int, length: int) -> FilePart:
        lengths.append(length)
        path = folder / str(len(lengths))
        path.write_bytes(file.read_at(position, length))
        return FilePart(Descriptor(os.open(path, os.O_RDONLY)), 0, length)

    monkeypatch.setattr(MemoryFile, "part_now", part_now)
    return lengths


def test_consumers_get_parts_of_files_and_followers_do_not(
    replicated: DataBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a follower reads may be cut off before it is sent."""
    lengths = parts_of_files(tmp_path, monkeypatch)
    (written,) = write(replicated, bytes(5_000))
    epoch = replicated.harness.image.brokers[OTHER].epoch
    follower = replicated.fetch("t", wanted(), replica_id=OTHER, replica_epoch=epoch)
    assert (bytes(follower.records), lengths) == (written, [])
    replicated.replicate("t", 1)
    assert (bytes(replicated.fetch("t").records), lengths) == (written, [len(written)])
    found = replicated.fetch("t", isolation_level=READ_COMMITTED)
    assert (bytes(found.records), found.aborted_transactions) == (written, [])
    assert lengths == [len(written), len(written)]
    # The batches of a partition with aborted transactions are looked at for who skips these, and for nobody else.
    replicated.replicas.partition("t", 0).aborted = [AbortedTransaction(9, 1, 2, 3)]
    assert bytes(replicated.fetch("t", isolation_level=READ_COMMITTED).records) == written
    assert len(lengths) == 2
    assert (bytes(replicated.fetch("t").records), len(lengths)) == (written, 3)


# --- the wait ---


def waiting(broker: DataBroker, *names: str, **fields: Any) -> list[Any]:
    """What comes of a request for the first partition of topics that may wait for a second."""
    given = {"max_wait_ms": 1000, **fields}
    return broker.send(broker.fetch_request(*((name, [wanted()]) for name in names), **given), 18)


def test_a_request_waits_until_there_is_something(broker: DataBroker) -> None:
    found = waiting(broker, "t")
    broker.replicas.pass_time(999)
    assert found == []
    broker.produce("t", batch(b"a"))
    assert batches(only_partition(found[0].responses).records) == [(0, 0, [b"a"])]


def test_a_request_waits_until_there_is_enough(broker: DataBroker) -> None:
    size = len(batch(b"a"))
    found = waiting(broker, "t", min_bytes=2 * size)
    broker.produce("t", batch(b"a"))
    assert found == []
    broker.produce("t", batch(b"b"))
    assert len(only_partition(found[0].responses).records) == 2 * size


def test_when_the_wait_is_over_what_there_is_has_to_do(broker: DataBroker) -> None:
    broker.produce("t", batch(b"a"))
    found = waiting(broker, "t", min_bytes=1 << 20)
    broker.replicas.pass_time(999)
    assert found == []
    broker.replicas.pass_time(1)
    assert batches(only_partition(found[0].responses).records) == [(0, 0, [b"a"])]


@pytest.mark.parametrize(
    "fields", [{"max_wait_ms": 0}, {"max_wait_ms": -1}, {"min_bytes": 0}, {"min_bytes": -1}]
)
def test_without_time_or_need_there_is_no_wait(broker: DataBroker, fields: dict[str, int]) -> None:
    assert len(waiting(broker, "t", **fields)) == 1


def test_nobody_waits_for_more_than_the_response_may_have(broker: DataBroker) -> None:
    broker.produce("t", batch(b"a"))
    assert len(waiting(broker, "t", min_bytes=1 << 20, max_bytes=10)) == 1


def test_a_consumer_waits_for_the_high_watermark_and_not_for_the_write(replicated: DataBroker) -> None:
    found = waiting(replicated, "t")
    replicated.produce("t", batch(b"a"))
    assert found == []
    replicated.replicate("t", 1)
    assert batches(only_partition(found[0].responses).records) == [(0, 0, [b"a"])]


def test_a_request_for_nothing_does_not_wait(broker: DataBroker) -> None:
    assert waiting(broker)[0].responses == []


def test_an_error_ends_the_wait(broker: DataBroker) -> None:
    broker.topic("other")
    request = broker.fetch_request(("t", [wanted()]), ("other", [wanted(0, 5)]), max_wait_ms=1000)
    assert len(broker.send(request, 18)) == 1


@pytest.mark.parametrize("session_epoch", [-1, 0])
def test_a_read_that_fails_ends_the_wait_once(broker: DataBroker, session_epoch: int) -> None:
    """It takes the partition offline, and whoever waits for that is told of it."""
    found = waiting(broker, "t", session_epoch=session_epoch)
    broker.replicas.disk.fail("read", ".log")
    assert broker.produce("t", batch(b"a")).error_code == 0
    assert [only_partition(each.responses).error_code for each in found] == [ErrorCode.KAFKA_STORAGE_ERROR]


def test_what_is_not_there_does_not_end_the_wait_for_what_is(broker: DataBroker) -> None:
    found = waiting(broker, "unknown", "t")
    broker.replicas.pass_time(999)
    assert found == []
    broker.produce("t", batch(b"a"))
    assert [only_partition([each]).error_code for each in found[0].responses] == [
        ErrorCode.UNKNOWN_TOPIC_ID,
        0,
    ]
    # If nothing is, there is nothing to wait for.
    assert len(waiting(broker, "unknown", "strange")) == 1


def test_the_wait_ends_with_the_leadership(replicated: DataBroker) -> None:
    epoch = replicated.harness.image.brokers[OTHER].epoch
    found = waiting(replicated, "t", replica_id=OTHER, replica_epoch=epoch)
    replicated.harness.heartbeat(ME, want_fence=True)
    replicated.replicas.follow()
    assert only_partition(found[0].responses).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


# --- isolation ---


def write_in_transaction(broker: DataBroker, value: bytes) -> None:
    """A transactional batch gets into the log without a coordinator."""
    broker.trust_producers()
    sent = batch(value, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)
    item = ProduceItem(topic_id=broker.topic_id("t"), index=0, records=sent, allows_zstd=True)
    broker.services.replicas.produce([item], 1, 1000, lambda results: None)


def end_transaction(broker: DataBroker, *, commit: bool) -> None:
    request = WriteTxnMarkersRequest
    topic = request.WritableTxnMarkerTopic(name="t", partition_indexes=[0])
    marker = request.WritableTxnMarker(
        producer_id=7, producer_epoch=1, transaction_result=commit, topics=[topic], transaction_version=2
    )
    broker.ask(request(markers=[marker]), 2)


@pytest.mark.parametrize("commit", [True, False], ids=["committed", "aborted"])
def test_with_read_committed_an_open_transaction_is_the_end(broker: DataBroker, commit: bool) -> None:
    write(broker, b"before")
    write_in_transaction(broker, b"in")
    write(broker, b"after")
    found = broker.fetch("t", isolation_level=READ_COMMITTED)
    assert (found.high_watermark, found.last_stable_offset) == (3, 1)
    assert batches(found.records) == [(0, 0, [b"before"])]
    assert len(batches(broker.fetch("t").records)) == 3
    end_transaction(broker, commit=commit)
    found = broker.fetch("t", isolation_level=READ_COMMITTED)
    assert (found.last_stable_offset, len(batches(found.records))) == (4, 4)
    aborted = [(each.producer_id, each.first_offset) for each in found.aborted_transactions]
    assert aborted == ([] if commit else [(7, 1)])


def test_records_among_which_transactions_were_aborted_are_looked_at(
    broker: DataBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = parts_of_files(tmp_path, monkeypatch)
    write(broker, b"before")
    write_in_transaction(broker, bytes(5_000))
    end_transaction(broker, commit=False)
    found = broker.fetch("t", isolation_level=READ_COMMITTED)
    assert [each.first_offset for each in found.aborted_transactions] == [1]
    assert lengths == []


def aborted_in(found: Any) -> list[int]:
    """The first offsets of the aborted transactions in a response."""
    return [each.first_offset for each in found.aborted_transactions]


def test_a_limit_that_cuts_a_batch_short_does_not_matter_to_the_list_of_aborted_transactions(
    broker: DataBroker,
) -> None:
    written = write(broker, b"before")
    write_in_transaction(broker, bytes(500))
    end_transaction(broker, commit=False)
    first = len(written[0])
    for limit, aborted in ((first, []), (first + 100, []), (first + 500, []), (1 << 20, [1])):
        found = broker.fetch("t", wanted(partition_max_bytes=limit), isolation_level=READ_COMMITTED)
        assert len(found.records) >= first
        assert aborted_in(found) == aborted


def test_what_a_thread_has_read_comes_with_its_aborted_transactions(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(broker, b"before")
    write_in_transaction(broker, b"in")
    end_transaction(broker, commit=False)
    request = broker.fetch_request(("t", [wanted()]), isolation_level=READ_COMMITTED)
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    broker.replicas.workers.hold()
    found = broker.send(request, 18)
    # Compaction may remove the transaction, and its entry, while the thread reads what was there before.
    broker.replicas.partition("t", 0).aborted = []
    broker.replicas.workers.release()
    response = only_partition(found[0].responses)
    assert (len(batches(response.records)), aborted_in(response)) == (3, [1])


def test_without_read_committed_there_is_no_list_of_aborted_transactions(broker: DataBroker) -> None:
    assert broker.fetch("t").aborted_transactions is None
    assert broker.fetch("t", isolation_level=READ_COMMITTED).aborted_transactions == []


@pytest.mark.parametrize("level", [-1, 2, 127])
def test_another_isolation_level_is_refused(broker: DataBroker, level: int) -> None:
    response = broker.ask(broker.fetch_request(("t", [wanted()]), isolation_level=level), 18)
    assert (response.error_code, response.responses) == (ErrorCode.INVALID_REQUEST, [])


def test_aborted_transactions_are_for_consumers_with_records_to_skip(replicated: DataBroker) -> None:
    write(replicated, b"a", b"b")
    replicated.replicate("t", 2)
    replicated.replicas.partition("t", 0).aborted = [AbortedTransaction(9, 0, 5, 6)]
    found = replicated.fetch("t", isolation_level=READ_COMMITTED)
    assert [(each.producer_id, each.first_offset) for each in found.aborted_transactions] == [(9, 0)]
    assert replicated.fetch("t", wanted(0, 2), isolation_level=READ_COMMITTED).aborted_transactions == []
    found = replicated.fetch("t", isolation_level=READ_COMMITTED, replica_id=OTHER)
    assert (len(batches(found.records)), found.aborted_transactions) == (2, None)


# --- offsets and epochs ---


@pytest.mark.parametrize("offset", [-1, 2, 1 << 62])
def test_an_offset_that_the_log_does_not_have_is_refused(broker: DataBroker, offset: int) -> None:
    write(broker, b"a")
    response = broker.ask(broker.fetch_request(("t", [wanted(0, offset)])), 18)
    found = only_partition(response.responses)
    assert found.error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert (found.high_watermark, found.last_stable_offset, found.log_start_offset) == (-1, -1, -1)
    assert (bytes(found.records), found.aborted_transactions, response.node_endpoints) == (b"", None, [])


@pytest.mark.parametrize(
    ("epoch", "code"),
    [
        (-5, ErrorCode.NONE),
        (-1, ErrorCode.NONE),
        (0, ErrorCode.FENCED_LEADER_EPOCH),
        (1, ErrorCode.FENCED_LEADER_EPOCH),
        (2, ErrorCode.NONE),
        (3, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_the_leader_epoch_has_to_be_the_present_one(
    replicated: DataBroker, epoch: int, code: ErrorCode
) -> None:
    replicated.lead_anew("t")
    response = replicated.ask(replicated.fetch_request(("t", [wanted(current_leader_epoch=epoch)])), 18)
    found = only_partition(response.responses)
    assert found.error_code == code
    is_fenced = code is ErrorCode.FENCED_LEADER_EPOCH
    assert found.current_leader.leader_epoch == (2 if is_fenced else -1)
    assert [each.node_id for each in response.node_endpoints] == ([ME] if is_fenced else [])


@pytest.mark.parametrize(
    ("offset", "epoch", "diverging"),
    [
        (2, 0, None),
        (3, 0, (0, 2)),
        (5, 0, (0, 2)),
        (3, 2, None),
        (4, 2, (2, 3)),
        (3, 1, (0, 2)),
        (2, 1, (0, 2)),
    ],
    ids=[
        "agrees",
        "longer by one",
        "longer",
        "agrees newly",
        "longer newly",
        "an epoch of others",
        "no longer",
    ],
)
def test_a_follower_that_diverges_is_told_where(
    replicated: DataBroker, offset: int, epoch: int, diverging: tuple[int, int] | None
) -> None:
    """The log has epoch 0 up to offset 2, and epoch 2 up to offset 3."""
    write(replicated, b"a", b"b")
    replicated.lead_anew("t")
    write(replicated, b"c")
    found = replicated.fetch("t", wanted(0, offset, last_fetched_epoch=epoch), replica_id=OTHER)
    assert found.error_code == 0
    told = (found.diverging_epoch.epoch, found.diverging_epoch.end_offset)
    assert told == ((-1, -1) if diverging is None else diverging)
    if diverging is not None:
        assert bytes(found.records) == b""
        assert replicated.replicas.partition("t", 0).high_watermark == 0


def test_an_epoch_that_this_leader_does_not_know_is_out_of_range(replicated: DataBroker) -> None:
    write(replicated, b"a")
    found = replicated.fetch("t", wanted(0, 1, last_fetched_epoch=3), replica_id=OTHER)
    assert found.error_code == ErrorCode.OFFSET_OUT_OF_RANGE


# --- who is asked ---


@pytest.mark.parametrize(
    ("name", "index", "version", "code"),
    [
        ("unknown", 0, 12, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("unknown", 0, 13, ErrorCode.UNKNOWN_TOPIC_ID),
        ("t", 1, 12, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("t", 1, 13, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_what_is_not_known_is_refused(
    broker: DataBroker, name: str, index: int, version: int, code: ErrorCode
) -> None:
    found = broker.fetch(name, wanted(index), version=version)
    assert (found.error_code, found.high_watermark, found.log_start_offset) == (code, -1, -1)
    assert (found.aborted_transactions, bytes(found.records)) == ([], b"")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_hears_from_version_16_on_whom_it_should_have_asked(
    broker: DataBroker, version: int
) -> None:
    broker.topic("theirs", [OTHER, THIRD])
    response = broker.ask(broker.fetch_request(("theirs", [wanted()]), version=version), version)
    found = only_partition(response.responses)
    assert found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    leader = (found.current_leader.leader_id, found.current_leader.leader_epoch)
    endpoints = [(each.node_id, each.host, each.port, each.rack) for each in response.node_endpoints]
    if version >= 16:
        assert leader == (OTHER, 0)
        assert endpoints == [(OTHER, "127.0.0.1", 9000, "r0")]
    else:
        assert leader == (-1, -1)
        assert endpoints == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_follower_serves_consumers_from_version_11_on(broker: DataBroker, version: int) -> None:
    broker.topic("theirs", [OTHER, ME])
    found = broker.fetch("theirs", version=version)
    assert found.error_code == (0 if version >= 11 else ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_a_follower_serves_no_followers(broker: DataBroker) -> None:
    broker.topic("theirs", [OTHER, ME, THIRD])
    request = broker.fetch_request(("theirs", [wanted()]), replica_id=THIRD)
    response = broker.ask(request, 18)
    found = only_partition(response.responses)
    assert (found.error_code, found.current_leader.leader_id) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, OTHER)
    # Brokers know where the others are.
    assert response.node_endpoints == []


@pytest.mark.parametrize("version", [5, 6])
def test_old_clients_do_not_hear_of_disks(broker: DataBroker, version: int) -> None:
    broker.replicas.follow()
    broker.replicas.disk.fail("write", ".log")
    broker.produce("t", batch())
    code = broker.fetch("t", version=version).error_code
    assert code == (ErrorCode.KAFKA_STORAGE_ERROR if version >= 6 else ErrorCode.NOT_LEADER_OR_FOLLOWER)


# --- rights, and who moves the high watermark ---


@pytest.mark.parametrize("version", [12, 13])
def test_a_consumer_needs_read_on_the_topic(broker: DataBroker, version: int) -> None:
    broker.topic("other")
    write(broker, b"a")
    broker.allow(READ_T)
    request = broker.fetch_request(
        *((name, [wanted()]) for name in ("t", "other", "unknown")), version=version
    )
    found = [only_partition([each]) for each in broker.ask(request, version).responses]
    assert [each.error_code for each in found] == [
        0,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        # By a name, it must not come out whether a topic exists. An id says nothing.
        ErrorCode.TOPIC_AUTHORIZATION_FAILED if version == 12 else ErrorCode.UNKNOWN_TOPIC_ID,
    ]
    assert [len(batches(each.records)) for each in found] == [1, 0, 0]


@pytest.mark.parametrize("version", [12, 13, 18])
def test_who_claims_to_be_a_follower_needs_cluster_action(replicated: DataBroker, version: int) -> None:
    write(replicated, b"a")
    replicated.allow(READ_T)
    found = replicated.fetch("t", wanted(0, 1), version=version, replica_id=OTHER)
    assert found.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert replicated.replicas.partition("t", 0).high_watermark == 0
    replicated.allow(CLUSTER_ACTION)
    found = replicated.fetch("t", wanted(0, 1), version=version, replica_id=OTHER)
    assert found.error_code == 0
    assert replicated.replicas.partition("t", 0).high_watermark == 1


@pytest.mark.parametrize("replica_id", [ME, THIRD, 77])
def test_who_is_no_replica_reads_and_moves_nothing(replicated: DataBroker, replica_id: int) -> None:
    write(replicated, b"a")
    found = replicated.fetch("t", wanted(0, 1), replica_id=replica_id)
    assert found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert replicated.fetch("t", replica_id=replica_id).records == b""
    assert replicated.replicas.partition("t", 0).high_watermark == 0


def test_a_request_of_a_followers_earlier_run_moves_nothing(replicated: DataBroker) -> None:
    write(replicated, b"a")
    epoch = replicated.harness.image.brokers[OTHER].epoch
    found = replicated.fetch("t", wanted(0, 1), replica_id=OTHER, replica_epoch=epoch - 1)
    assert found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert replicated.replicas.partition("t", 0).high_watermark == 0
    replicated.replicate("t", 1)
    assert replicated.replicas.partition("t", 0).high_watermark == 1


def test_a_follower_is_known_even_if_its_partition_comes_while_it_waits(replicated: DataBroker) -> None:
    fields = {"replica_id": OTHER, "replica_epoch": replicated.harness.image.brokers[OTHER].epoch}
    full = replicated.fetch_request(("t", [wanted()]), session_epoch=0, **fields)
    session_id = replicated.ask(full, 18).session_id
    # The metadata of a follower may be newer than its leader's.
    fields.update(session_id=session_id, session_epoch=1, max_wait_ms=500)
    found = replicated.send(replicated.fetch_request(("t", [wanted(1)]), **fields), 18)
    new = CreatePartitionsRequest.CreatePartitionsTopic(
        name="t",
        count=2,
        assignments=[CreatePartitionsRequest.CreatePartitionsAssignment(broker_ids=[ME, OTHER])],
    )
    replicated.harness.call(CreatePartitionsRequest(topics=[new]))
    replicated.replicas.follow()
    replicated.replicas.pass_time(500)
    assert len(found) == 1
    assert replicated.replicas.partition("t", 1).followers[OTHER].log_end_offset == 0


def test_consumers_move_nothing(replicated: DataBroker) -> None:
    write(replicated, b"a")
    assert replicated.fetch("t", wanted(0, 1)).error_code == 0
    assert replicated.replicas.partition("t", 0).high_watermark == 0


# --- sessions ---


def test_a_session_is_told_what_changed_and_nothing_else(broker: DataBroker) -> None:
    broker.topic("other")
    write(broker, b"a")
    full = broker.fetch_request(("t", [wanted()]), ("other", [wanted()]), session_epoch=0)
    response = broker.ask(full, 18)
    assert (response.session_id > 0, len(response.responses)) == (True, 2)
    session = {"session_id": response.session_id, "max_wait_ms": 0, "max_bytes": 1 << 20}
    at_end = FetchRequest.FetchTopic(topic_id=broker.topic_id("t"), partitions=[wanted(0, 1)])
    response = broker.ask(FetchRequest(session_epoch=1, topics=[at_end], **session), 18)
    assert (response.error_code, response.responses) == (0, [])
    write(broker, b"b", name="other")
    response = broker.ask(FetchRequest(session_epoch=2, **session), 18)
    assert [topic.topic_id for topic in response.responses] == [broker.topic_id("other")]
    assert broker.ask(FetchRequest(session_epoch=2, **session), 18).error_code == (
        ErrorCode.INVALID_FETCH_SESSION_EPOCH
    )


def test_a_session_that_is_not_there_is_refused(broker: DataBroker) -> None:
    request = broker.fetch_request(("t", [wanted()]), session_id=77, session_epoch=1)
    response = broker.ask(request, 18)
    assert (response.error_code, response.responses) == (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, [])


def test_a_partition_that_is_named_twice_is_read_as_it_was_named_last(broker: DataBroker) -> None:
    write(broker, b"a", b"b")
    request = broker.fetch_request(("t", [wanted(0, 0), wanted(0, 1)]))
    assert batches(only_partition(broker.ask(request, 18).responses).records) == [(1, 0, [b"b"])]


def test_what_is_being_deleted_is_out_of_range(broker: DataBroker) -> None:
    write(broker, b"1", b"2")
    (hosted,) = broker.replicas.manager.replicas
    assert hosted.log is not None
    # The partition hears of it once the log has done it.
    hosted.log.move_start_to(1)
    assert broker.fetch("t").error_code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_what_is_in_memory_waits_for_no_thread(broker: DataBroker) -> None:
    write(broker, b"1")
    broker.replicas.workers.hold()
    assert len(batches(broker.fetch("t").records)) == 1


def test_a_broker_that_has_closed_its_logs_serves_nobody(broker: DataBroker) -> None:
    write(broker, b"1")
    broker.replicas.stop()
    assert broker.fetch("t").error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_log_that_diverges_ends_the_wait(replicated: DataBroker) -> None:
    write(replicated, b"a")
    diverging = wanted(0, 2, last_fetched_epoch=0)
    request = replicated.fetch_request(("t", [diverging, wanted(1)]), replica_id=OTHER, max_wait_ms=1000)
    assert len(replicated.send(request, 18)) == 1


def test_below_the_log_start_a_diverging_consumer_is_out_of_range(broker: DataBroker) -> None:
    write(broker, b"1", b"2")
    broker.replicas.partition("t", 0).log_start_moved(1, now_ms=0)
    asked = wanted(0, 0, last_fetched_epoch=-1), wanted(0, 0, last_fetched_epoch=0)
    for each in asked:
        assert broker.fetch("t", each).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    # At this leader epoch 0 ends where the log does, and something beyond it diverges.
    assert broker.fetch("t", wanted(0, 9, last_fetched_epoch=0)).diverging_epoch.end_offset == 2


def test_a_log_that_is_closed_before_a_thread_read_it_is_looked_for_elsewhere(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert broker.produce("t", batch()).error_code == 0

    monkeypatch.setattr(MemoryFile, "read_now", cold)
    broker.replicas.workers.hold()
    found = broker.send(broker.fetch_request(("t", [wanted()]), version=12), 12)
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert hosted is not None
    assert hosted.log is not None
    hosted.log.log.abandon()
    broker.replicas.workers.release()
    assert found[0].responses[0].partitions[0].error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    # The replica itself has no fault.
    assert hosted.partition.role is Role.LEADER
