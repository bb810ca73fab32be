"""Produce in transactions: what the leader asks the coordinator, and what producers are told (KIP-890)."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import WriteTxnMarkersRequest
from kafkaproto_server.requests.transaction_requests import TopicPartition
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, only_partition
from tests.apis.support.transactional_broker import ID, Producer, TransactionalBroker

WITHOUT_ADDING = (3, 10, 11)
WITH_ADDING = (12, 13)
CODES = {10: ErrorCode.INVALID_TXN_STATE, 11: ErrorCode.TRANSACTION_ABORTABLE}


@pytest.fixture
def broker() -> TransactionalBroker:
    return TransactionalBroker()


def records(producer: Producer, sequence: int = 0) -> bytes:
    return batch(
        producer_id=producer[0], producer_epoch=producer[1], base_sequence=sequence, transactional=True
    )


def mark(broker: DataBroker, producer: Producer) -> int:
    """A marker comes that no coordinator here has sent. Returns the error code."""
    request = WriteTxnMarkersRequest
    marker = request.WritableTxnMarker(
        producer_id=producer[0],
        producer_epoch=producer[1],
        topics=[request.WritableTxnMarkerTopic(name="t", partition_indexes=[0])],
    )
    (response,) = broker.ask(request(markers=[marker]), 1).markers
    code: int = only_partition(response.topics).error_code
    return code


@pytest.mark.parametrize(
    ("producer", "code"),
    [
        ((0, 0), ErrorCode.NONE),
        ((-1, 0), ErrorCode.INVALID_REQUEST),
        ((0, -1), ErrorCode.INVALID_REQUEST),
    ],
)
def test_ids_and_epochs_of_producers_begin_with_0(producer: Producer, code: ErrorCode) -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    assert mark(broker, producer) == code


def test_no_transaction_is_ended_once_others_may_lead(broker: TransactionalBroker) -> None:
    broker.replicas.is_session_over = True
    assert mark(broker, (0, 0)) == ErrorCode.NOT_LEADER_OR_FOLLOWER
    broker.replicas.is_session_over = False
    assert broker.fetch("t").high_watermark == 0
    assert mark(broker, (0, 0)) == ErrorCode.NONE


@pytest.mark.parametrize("version", WITHOUT_ADDING)
def test_what_the_producer_has_added_is_taken(broker: TransactionalBroker, version: int) -> None:
    producer = broker.begin()
    broker.add(producer, ("t", 0))
    assert broker.write(producer, version=version).error_code == 0
    assert broker.write(producer, version=version, sequence=1).error_code == 0


@pytest.mark.parametrize(("version", "code"), CODES.items())
def test_what_it_has_not_added_is_refused(broker: TransactionalBroker, version: int, code: ErrorCode) -> None:
    producer = broker.begin()
    broker.add(producer, ("t", 1))
    found = broker.write(producer, version=version)
    assert found.error_code == code
    if version < 11:
        assert found.error_message == "Partition was not added to the transaction"
    assert broker.fetch("t").high_watermark == 0


@pytest.mark.parametrize("version", WITH_ADDING)
def test_later_versions_need_not_add(broker: TransactionalBroker, version: int) -> None:
    producer = broker.begin()
    assert broker.write(producer, version=version).error_code == 0
    assert broker.write(producer, version=version, index=1).error_code == 0
    found = broker.add(producer, ("t", 0), ("t", 1), ("other", 0), version=5, verify_only=True)
    assert found == {("t", 0): 0, ("t", 1): 0, ("other", 0): ErrorCode.TRANSACTION_ABORTABLE}


@pytest.mark.parametrize("version", [11, 12])
def test_a_fenced_producer_is_told_so(broker: TransactionalBroker, version: int) -> None:
    former = broker.begin()
    broker.begin()
    assert broker.write(former, version=version).error_code == ErrorCode.INVALID_PRODUCER_EPOCH
    assert broker.write((77, 0), version=version).error_code == ErrorCode.INVALID_PRODUCER_ID_MAPPING
    # Anybody may name producers that do not exist: nothing is kept of them.
    guards = broker.replicas.partition("t", 0).verifications._guards
    assert guards is not None
    assert list(guards) == [former[0]]


@pytest.mark.parametrize("version", [11, 12])
def test_without_a_coordinator_producers_send_again(version: int) -> None:
    broker = DataBroker()
    broker.topic("t")
    request = broker.produce_request(("t", 0, records((5000, 0))), version=version)
    request.transactional_id = ID
    found = only_partition(broker.ask(request, version).responses)
    assert found.error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert found.error_message == (
        "Unable to verify the partition has been added to the transaction."
        " Underlying error: COORDINATOR_NOT_AVAILABLE"
    )


def test_while_the_end_is_under_way_the_coordinator_is_asked_again() -> None:
    broker = TransactionalBroker()
    broker.topic("replicated", [ME, OTHER])
    producer = broker.begin()
    broker.add(producer, ("t", 0), ("replicated", 0), version=5)
    # The marker of one partition waits for its follower.
    _, _, epoch = broker.end(producer, version=5)
    request = broker.produce_request(("t", 0, records((producer[0], epoch))), version=12)
    request.transactional_id = ID
    found = broker.send(request, 12)
    broker.replicas.pass_time(20)
    assert not found
    broker.replicate("replicated", 1)
    broker.replicas.call_due()
    broker.replicas.pass_time(20)
    assert only_partition(found[0].responses).error_code == 0


@pytest.mark.parametrize(
    ("version", "code"), [(11, ErrorCode.NOT_ENOUGH_REPLICAS), (12, ErrorCode.CONCURRENT_TRANSACTIONS)]
)
def test_it_is_not_asked_for_long(version: int, code: ErrorCode) -> None:
    broker = TransactionalBroker()
    broker.topic("replicated", [ME, OTHER])
    producer = broker.begin()
    broker.add(producer, ("replicated", 0), version=5)
    _, _, epoch = broker.end(producer, version=5)
    request = broker.produce_request(("t", 0, records((producer[0], epoch))), version=version)
    request.transactional_id = ID
    found = broker.send(request, version)
    for _ in range(5):
        assert not found
        broker.replicas.pass_time(20)
    assert only_partition(found[0].responses).error_code == code


def test_records_of_two_producers_are_refused(broker: TransactionalBroker) -> None:
    one, another = broker.begin(), broker.begin("another")
    request = broker.produce_request(("t", 0, records(one)), ("t", 1, records(another)))
    request.transactional_id = ID
    (topic,) = broker.ask(request, 13).responses
    assert {each.error_code for each in topic.partition_responses} == {ErrorCode.INVALID_PRODUCER_ID_MAPPING}


def test_other_records_of_the_same_request_are_taken(broker: TransactionalBroker) -> None:
    producer = broker.begin()
    request = broker.produce_request(("t", 0, records(producer)), ("other", 0, batch()), version=11)
    request.transactional_id = ID
    codes = [only_partition([each]).error_code for each in broker.ask(request, 11).responses]
    assert codes == [ErrorCode.TRANSACTION_ABORTABLE, 0]


def test_a_partition_that_another_broker_leads_is_not_asked_for(broker: TransactionalBroker) -> None:
    broker.topic("elsewhere", [OTHER])
    producer = broker.begin()
    request = broker.produce_request(("elsewhere", 0, records(producer)), ("t", 0, records(producer)))
    request.transactional_id = ID
    codes = [only_partition([each]).error_code for each in broker.ask(request, 13).responses]
    assert codes == [ErrorCode.NOT_LEADER_OR_FOLLOWER, 0]
    found = broker.add(producer, ("elsewhere", 0), version=5, verify_only=True)
    assert found == {("elsewhere", 0): ErrorCode.TRANSACTION_ABORTABLE}


@pytest.mark.parametrize("version", [11, 12])
def test_a_batch_that_is_sent_again_gets_its_response(broker: TransactionalBroker, version: int) -> None:
    producer = broker.begin()
    broker.add(producer, ("t", 0))
    first = broker.write(producer, version=version)
    assert broker.write(producer, version=version).base_offset == first.base_offset
    broker.end(producer)
    # Kafka asks before it looks for a repetition.
    again = broker.write(producer, version=11)
    assert again.error_code == ErrorCode.TRANSACTION_ABORTABLE
    assert broker.fetch("t", isolation_level=1).last_stable_offset == 2


def code_if_a_marker_comes_first(broker: TransactionalBroker, version: int) -> int:
    """What a first batch gets if a marker of its epoch comes while the coordinator is asked."""
    producer = broker.begin()
    broker.add(producer, ("t", 0))
    answers = []
    ask = broker.replicas.transactions.added.ask
    broker.replicas.transactions.added.ask = (  # type: ignore[method-assign]
        lambda *arguments: answers.append(arguments)
    )
    request = broker.produce_request(("t", 0, records(producer)), version=version)
    request.transactional_id = ID
    found = broker.send(request, version)
    mark(broker, producer)
    ask(*answers[0])
    broker.replicas.call_due()
    assert answers[0][1] == (TopicPartition("t", 0),)
    code: int = only_partition(found[0].responses).error_code
    return code


def test_after_a_marker_an_earlier_answer_of_the_coordinator_holds_no_more(
    broker: TransactionalBroker,
) -> None:
    assert code_if_a_marker_comes_first(broker, 11) == ErrorCode.INVALID_TXN_STATE


def test_the_marker_of_the_transaction_before_leaves_the_answer_as_it_is(broker: TransactionalBroker) -> None:
    # It has the epoch of the next transaction, whose first records may overtake it.
    assert code_if_a_marker_comes_first(broker, 12) == ErrorCode.NONE


def test_without_verification_nobody_is_asked() -> None:
    broker = TransactionalBroker(transaction_partition_verification_enable="false")
    producer = broker.begin()
    assert broker.write(producer, version=11).error_code == 0
    assert broker.state() == "Empty"
    # From version 12 on the partition is added all the same.
    assert broker.write(producer, version=12, index=1).error_code == 0
    assert broker.state() == "Ongoing"


def test_a_batch_must_not_overtake_an_earlier_one(broker: TransactionalBroker) -> None:
    producer = broker.begin()
    broker.add(producer, ("t", 0))
    refused = broker.write(producer, version=12, sequence=1)
    assert refused.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert broker.write(producer, version=12, sequence=0).error_code == 0
    assert broker.write(producer, version=12, sequence=1).error_code == 0


def test_the_coordinator_is_asked_for_the_first_records_only(broker: TransactionalBroker) -> None:
    producer = broker.begin()
    asked = []
    ask = broker.replicas.transactions.added.ask

    def counted(*arguments: Any) -> None:
        asked.append(arguments[1])
        ask(*arguments)

    broker.replicas.transactions.added.ask = counted  # type: ignore[method-assign, assignment]
    for sequence in range(3):
        assert broker.write(producer, sequence=sequence).error_code == 0
    assert asked == [(TopicPartition("t", 0),)]
