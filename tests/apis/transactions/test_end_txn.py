"""EndTxn, AddOffsetsToTxn and TxnOffsetCommit: a transaction and what comes of it.

Tests: `apis.transactions.txn_offset_commit`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetFetchRequest, TxnOffsetCommitRequest
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from tests.apis.support.data_broker import wanted
from tests.apis.support.transactional_broker import GROUP, ID, TransactionalBroker

READ_COMMITTED = 1
WRITE_ID = (Operation.WRITE, ResourceType.TRANSACTIONAL_ID, ID)


def stable(broker: TransactionalBroker) -> tuple[int, int, list[tuple[int, int]]]:
    """High watermark and last stable offset of t, and its aborted transactions."""
    found = broker.fetch("t", wanted(0, 0), isolation_level=READ_COMMITTED)
    aborted = [(each.producer_id, each.first_offset) for each in found.aborted_transactions or ()]
    return found.high_watermark, found.last_stable_offset, aborted


def committed_offset(broker: TransactionalBroker) -> int:
    """The offset of the group for t."""
    request = OffsetFetchRequest
    topic = request.Topics(name="t", partition_indexes=[0])
    (group,) = broker.ask(request(groups=[request.Group(group_id=GROUP, topics=[topic])]), 9).groups
    return group.topics[0].partitions[0].committed_offset  # type: ignore[no-any-return]


@pytest.mark.parametrize("version", range(5))
@pytest.mark.parametrize("committed", [True, False])
def test_the_partitions_get_markers(broker: TransactionalBroker, version: int, committed: bool) -> None:
    producer = broker.begin()
    broker.add(producer, ("t", 0), ("t", 1))
    assert broker.write(producer, version=11).error_code == 0
    assert stable(broker) == (1, 0, [])
    assert broker.end(producer, committed=committed, version=version) == (0, -1, -1)
    assert stable(broker) == (2, 2, [] if committed else [(producer[0], 0)])
    assert broker.state() == ("CompleteCommit" if committed else "CompleteAbort")
    # A repetition has the same response, and the same producer goes on.
    assert broker.end(producer, committed=committed, version=version) == (0, -1, -1)
    assert broker.add(producer, ("t", 0)) == {("t", 0): 0}


@pytest.mark.parametrize("committed", [True, False])
def test_from_version_5_on_the_producer_gets_its_next_epoch(
    broker: TransactionalBroker, committed: bool
) -> None:
    producer = broker.begin()
    assert broker.write(producer).error_code == 0
    assert broker.end(producer, committed=committed, version=5) == (0, producer[0], producer[1] + 1)
    assert stable(broker) == (2, 2, [] if committed else [(producer[0], 0)])
    assert broker.write((producer[0], producer[1] + 1)).error_code == 0


def test_who_is_not_the_producer_cannot_end_it(broker: TransactionalBroker) -> None:
    producer = broker.begin()
    broker.add(producer, ("t", 0))
    assert broker.end((77, 0)) == (ErrorCode.INVALID_PRODUCER_ID_MAPPING, -1, -1)
    assert broker.end((producer[0], 5)) == (ErrorCode.PRODUCER_FENCED, -1, -1)
    assert broker.end((producer[0], 5), version=1) == (ErrorCode.INVALID_PRODUCER_EPOCH, -1, -1)
    broker.allow((Operation.WRITE, ResourceType.TOPIC, "*"))
    assert broker.end(producer) == (ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, -1, -1)


def test_the_next_producer_fences_the_former_one_and_aborts_what_it_left(
    broker: TransactionalBroker,
) -> None:
    former = broker.begin()
    broker.write(former)
    assert broker.init().error_code == ErrorCode.CONCURRENT_TRANSACTIONS
    broker.replicas.call_due()
    assert stable(broker) == (2, 2, [(former[0], 0)])
    assert broker.begin() == (former[0], former[1] + 2)
    assert broker.write(former, sequence=1).error_code == ErrorCode.INVALID_PRODUCER_EPOCH
    assert broker.end(former)[0] == ErrorCode.PRODUCER_FENCED


# --- offsets ---


@pytest.mark.parametrize("version", range(7))
@pytest.mark.parametrize("committed", [True, False])
def test_offsets_are_committed_with_the_transaction(
    broker: TransactionalBroker, version: int, committed: bool
) -> None:
    producer = broker.begin()
    if version < 5:
        assert broker.add_offsets(producer, version=min(version, 4)) == 0
    assert broker.commit_offset(producer, 7, version=version) == 0
    assert committed_offset(broker) == -1
    assert broker.end(producer, committed=committed)[0] == 0
    assert committed_offset(broker) == (7 if committed else -1)


@pytest.mark.parametrize(
    ("version", "code"),
    [(3, ErrorCode.INVALID_TXN_STATE), (4, ErrorCode.TRANSACTION_ABORTABLE), (5, ErrorCode.NONE)],
)
def test_up_to_version_4_the_group_has_to_be_added_before(
    broker: TransactionalBroker, version: int, code: ErrorCode
) -> None:
    producer = broker.begin()
    assert broker.commit_offset(producer, 7, version=version) == code


def test_offsets_of_another_producers_transaction_are_refused(broker: TransactionalBroker) -> None:
    former = broker.begin()
    broker.begin()
    assert broker.commit_offset(former, 7) == ErrorCode.INVALID_PRODUCER_EPOCH
    assert broker.commit_offset((77, 0), 7) == ErrorCode.INVALID_PRODUCER_ID_MAPPING


def test_without_verification_offsets_need_no_transaction() -> None:
    broker = TransactionalBroker(transaction_partition_verification_enable="false")
    assert broker.commit_offset(broker.begin(), 7, version=4) == 0


def test_members_are_checked(broker: TransactionalBroker) -> None:
    producer = broker.begin()
    code = broker.commit_offset(producer, 7, generation_id_or_member_epoch=3, member_id="m")
    assert code == ErrorCode.ILLEGAL_GENERATION
    assert broker.commit_offset(producer, 7, group_id="") == ErrorCode.INVALID_GROUP_ID


@pytest.mark.parametrize("version", [5, 6])
def test_topics_that_are_not_there_are_refused_and_the_others_committed(
    broker: TransactionalBroker, version: int
) -> None:
    producer = broker.begin()
    request = TxnOffsetCommitRequest
    has_ids = version >= 6
    partitions = [request.Partition(partition_index=index, committed_offset=5) for index in (0, 7)]
    topics = [
        request.Topic(
            name="" if has_ids else name,
            topic_id=broker.topic_id(name) if has_ids else bytes(16),
            partitions=partitions,
        )
        for name in ("t", "nowhere")
    ]
    asked = request(
        transactional_id=ID,
        group_id=GROUP,
        producer_id=producer[0],
        producer_epoch=producer[1],
        topics=topics,
    )
    found = [[each.error_code for each in topic.partitions] for topic in broker.ask(asked, version).topics]
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    nowhere = ErrorCode.UNKNOWN_TOPIC_ID if has_ids else unknown
    assert found == [[0, unknown], [nowhere, nowhere]]


@pytest.mark.parametrize(
    ("needs", "code"),
    [
        ([], ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
        ([WRITE_ID], ErrorCode.GROUP_AUTHORIZATION_FAILED),
        ([WRITE_ID, (Operation.READ, ResourceType.GROUP, GROUP)], ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        (
            [
                WRITE_ID,
                (Operation.READ, ResourceType.GROUP, GROUP),
                (Operation.READ, ResourceType.TOPIC, "t"),
            ],
            ErrorCode.NONE,
        ),
    ],
)
def test_what_the_sender_needs(broker: TransactionalBroker, needs: list[Any], code: ErrorCode) -> None:
    producer = broker.begin()
    broker.allow(*needs)
    assert broker.commit_offset(producer, 7) == code
    if code is not ErrorCode.TOPIC_AUTHORIZATION_FAILED:
        assert broker.add_offsets(producer) == code


def test_after_a_marker_an_earlier_answer_of_the_coordinator_holds_no_more(
    broker: TransactionalBroker,
) -> None:
    producer = broker.begin()
    broker.add_offsets(producer)
    answers = []
    broker.replicas.transactions.added.ask = (  # type: ignore[method-assign]
        lambda *arguments: answers.append(arguments)
    )
    request = TxnOffsetCommitRequest
    partition = request.Partition(partition_index=0, committed_offset=7)
    asked = request(
        transactional_id=ID,
        group_id=GROUP,
        producer_id=producer[0],
        producer_epoch=producer[1],
        topics=[request.Topic(name="t", partitions=[partition])],
    )
    found = broker.send(asked, 4)
    broker.end(producer)
    assert not found
    answers[0][-1]({})
    (topic,) = found[0].topics
    assert topic.partitions[0].error_code == ErrorCode.INVALID_TXN_STATE
