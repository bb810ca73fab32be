"""Produce in transactions at a leader: which records it takes, and when it asks the coordinator about them first.

Tests: `shell.coordinators.transactions.transaction_services`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import trio
import trio.testing

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import OffsetFetchRequest
from kafkaproto_server.base.types import BATCH_HEADER_BYTES
from kafkaproto_server.core.coordinators.transactions.values import TransactionMarker
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC, TRANSACTIONS_TOPIC
from kafkaproto_server.requests.data import ProduceItem
from kafkaproto_server.requests.transaction_requests import (
    AsksCoordinator,
    PartitionCodes,
    Producer,
    TopicPartition,
)
from kafkaproto_server.shell.coordinators.transactions.transactional_appends import TransactionalAppends
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch
from tests.apis.support.transactional_broker import GROUP, ID, TransactionalBroker
from tests.node.support.other_brokers import other_brokers
from tests.node.support.tasks import running

VERIFIES = AsksCoordinator(adds=False, knows_abortable=True)
ADDS = AsksCoordinator(adds=True, knows_abortable=True)
PRODUCER = (7, 0)
"""Id and epoch."""
RETRY_MS = 20


class Coordinator:
    """In place of the way to coordinators: what they are asked, and say."""

    def __init__(self, *answers: ErrorCode) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[TopicPartition, ...]] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def ask(
        self, producer: Producer, partitions: Sequence[TopicPartition], asks: AsksCoordinator, done: Any
    ) -> None:
        self.asked.append(tuple(partitions))
        self.meanwhile()
        code = self.answers.pop(0)
        refused: PartitionCodes = {} if code is ErrorCode.NONE else {partitions[0]: code}
        done(refused)


class Leader:
    """A broker that leads t, and asks that coordinator."""

    def __init__(self, *answers: ErrorCode, **config: str) -> None:
        self.broker = TransactionalBroker(**config)
        self.broker.topic("elsewhere", [OTHER])
        self.broker.replicas.follow()
        self.coordinator = Coordinator(*answers)
        self.appends: TransactionalAppends = self.broker.replicas.transactions._appends
        self.appends._added = self.coordinator  # type: ignore[assignment]

    def item(
        self, name: str = "t", index: int = 0, producer: tuple[int, int] = PRODUCER, **fields: Any
    ) -> ProduceItem:
        """A batch of a transaction."""
        given = {"producer_id": producer[0], "producer_epoch": producer[1], "base_sequence": 0}
        records = batch(**{**given, "transactional": True, **fields})
        return ProduceItem(
            topic_id=self.broker.topic_id(name), index=index, records=records, allows_zstd=True
        )

    def produce(self, *items: ProduceItem, asks: AsksCoordinator = VERIFIES) -> list[list[ErrorCode]]:
        """The codes of a Produce request, now or later."""
        found: list[list[ErrorCode]] = []
        self.appends.produce(
            items, ID, asks, 1, 1_000, lambda results: found.append([each.code for each in results])
        )
        return found


def test_the_coordinator_is_asked_once_for_all_partitions_that_begin() -> None:
    leader = Leader(ErrorCode.NONE)
    found = leader.produce(leader.item(), leader.item(index=1))
    assert found == [[ErrorCode.NONE] * 2]
    assert leader.coordinator.asked == [(TopicPartition("t", 0), TopicPartition("t", 1))]
    # The transaction is open here now.
    assert leader.produce(leader.item(base_sequence=1)) == [[ErrorCode.NONE]]
    assert len(leader.coordinator.asked) == 1


def test_a_request_has_one_producer() -> None:
    leader = Leader()
    found = leader.produce(leader.item(), leader.item(index=1, producer=(8, 0)))
    assert found == [[ErrorCode.INVALID_PRODUCER_ID_MAPPING] * 2]
    found = leader.produce(leader.item(), leader.item(index=1, producer=(7, 1)))
    assert found == [[ErrorCode.INVALID_PRODUCER_ID_MAPPING] * 2]
    assert leader.coordinator.asked == []
    assert leader.broker.replicas.partition("t", 0).log_end_offset == 0


def test_records_outside_of_transactions_need_no_coordinator() -> None:
    leader = Leader()
    plain = leader.item(producer=(-1, -1), base_sequence=-1, transactional=False)
    assert leader.produce(plain) == [[ErrorCode.NONE]]
    idempotent = leader.item(index=1, transactional=False)
    assert leader.produce(idempotent) == [[ErrorCode.NONE]]
    assert leader.coordinator.asked == []


def test_partitions_that_are_led_elsewhere_are_refused_and_the_others_written() -> None:
    leader = Leader(ErrorCode.NONE)
    found = leader.produce(leader.item("elsewhere"), leader.item())
    assert found == [[ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NONE]]
    assert leader.coordinator.asked == [(TopicPartition("t", 0),)]
    leader = Leader()
    assert leader.produce(leader.item("elsewhere")) == [[ErrorCode.NOT_LEADER_OR_FOLLOWER]]
    assert leader.coordinator.asked == []


@pytest.mark.parametrize(
    ("code", "asks", "told"),
    [
        (ErrorCode.INVALID_TXN_STATE, VERIFIES, ErrorCode.INVALID_TXN_STATE),
        (ErrorCode.TRANSACTION_ABORTABLE, VERIFIES, ErrorCode.TRANSACTION_ABORTABLE),
        (ErrorCode.NETWORK_EXCEPTION, VERIFIES, ErrorCode.NOT_ENOUGH_REPLICAS),
        (ErrorCode.NOT_COORDINATOR, ADDS, ErrorCode.NOT_ENOUGH_REPLICAS),
        (ErrorCode.COORDINATOR_NOT_AVAILABLE, ADDS, ErrorCode.NOT_ENOUGH_REPLICAS),
        (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ADDS, ErrorCode.NOT_ENOUGH_REPLICAS),
        (ErrorCode.INVALID_PRODUCER_ID_MAPPING, ADDS, ErrorCode.INVALID_PRODUCER_ID_MAPPING),
    ],
)
def test_what_the_coordinator_refuses_is_not_written(
    code: ErrorCode, asks: AsksCoordinator, told: ErrorCode
) -> None:
    leader = Leader(code)
    assert leader.produce(leader.item(), leader.item(index=1), asks=asks) == [[told, ErrorCode.NONE]]
    ends = [leader.broker.replicas.partition("t", index).log_end_offset for index in (0, 1)]
    assert ends == [0, 1]


@pytest.mark.parametrize(
    ("asks", "told"),
    [(VERIFIES, ErrorCode.NOT_ENOUGH_REPLICAS), (ADDS, ErrorCode.CONCURRENT_TRANSACTIONS)],
)
def test_while_the_former_transaction_ends_the_coordinator_is_asked_again_for_a_while(
    asks: AsksCoordinator, told: ErrorCode
) -> None:
    again = ErrorCode.CONCURRENT_TRANSACTIONS
    leader = Leader(again, again, ErrorCode.NONE)
    replicas = leader.broker.replicas
    found = leader.produce(leader.item(), asks=asks)
    for count in (1, 2):
        assert (found, len(leader.coordinator.asked)) == ([], count)
        replicas.pass_time(RETRY_MS - 1)
        assert len(leader.coordinator.asked) == count
        replicas.pass_time(1)
    assert found == [[ErrorCode.NONE]]
    for key in ("add_partitions_to_txn_retry_backoff_max_ms", "request_timeout_ms"):
        leader = Leader(*[again] * 4, **{key: str(3 * RETRY_MS)})
        found = leader.produce(leader.item(), asks=asks)
        for _ in range(3):
            assert found == []
            leader.broker.replicas.pass_time(RETRY_MS)
        assert (found, leader.coordinator.answers) == ([[told]], [])


def test_without_verification_old_clients_are_trusted_and_partitions_are_added_for_new_ones() -> None:
    config = {"transaction_partition_verification_enable": "false"}
    leader = Leader(**config)
    leader.broker.trust_producers()
    assert leader.produce(leader.item()) == [[ErrorCode.NONE]]
    assert leader.coordinator.asked == []
    leader = Leader(ErrorCode.NONE, **config)
    leader.broker.trust_producers()
    assert leader.produce(leader.item(), asks=ADDS) == [[ErrorCode.NONE]]
    assert len(leader.coordinator.asked) == 1


# --- offsets ---


def verified(leader: Leader, asks: AsksCoordinator, topic: str = GROUPS_TOPIC) -> list[ErrorCode]:
    """The code for offsets that a producer commits in a transaction, which go to a partition."""
    told: list[ErrorCode] = []
    producer = Producer(ID, *PRODUCER)
    leader.appends.verify_offsets(leader.broker.topic_id(topic), 0, producer, asks, told.append)
    return told


def test_offsets_are_verified_as_records_are() -> None:
    leader = Leader(ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.INVALID_TXN_STATE)
    assert verified(leader, VERIFIES) == [ErrorCode.NONE]
    assert leader.coordinator.asked == [(TopicPartition(GROUPS_TOPIC, 0),)]
    # Clients of coordinators know other codes.
    assert verified(leader, VERIFIES) == [ErrorCode.NOT_COORDINATOR]
    assert verified(leader, ADDS) == [ErrorCode.INVALID_TXN_STATE]
    assert verified(leader, ADDS, topic="elsewhere") == [ErrorCode.NOT_COORDINATOR]
    assert len(leader.coordinator.asked) == 3


def test_in_a_transaction_that_has_offsets_more_of_them_are_taken() -> None:
    broker = TransactionalBroker()
    producer = broker.begin()
    assert broker.add_offsets(producer) == 0
    assert [broker.commit_offset(producer, each) for each in (5, 6)] == [0, 0]


def test_the_leadership_may_change_while_offsets_are_verified() -> None:
    leader = Leader(ErrorCode.NONE)
    partition = leader.broker.replicas.partition(GROUPS_TOPIC, 0)
    leader.coordinator.meanwhile = lambda: partition.failed(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert verified(leader, VERIFIES) == [ErrorCode.NOT_COORDINATOR]


def test_without_verification_offsets_of_old_clients_are_trusted() -> None:
    leader = Leader(ErrorCode.NONE, transaction_partition_verification_enable="false")
    assert verified(leader, VERIFIES) == [ErrorCode.NONE]
    assert leader.coordinator.asked == []
    assert verified(leader, ADDS) == [ErrorCode.NONE]
    assert len(leader.coordinator.asked) == 1


# --- tasks, and what other parts see ---


@pytest.mark.parametrize("committed", [True, False])
def test_a_coordinator_of_groups_that_reads_its_log_sees_the_ends_of_transactions(committed: bool) -> None:
    broker = TransactionalBroker()
    producer = broker.begin()
    assert broker.add_offsets(producer) == 0
    assert broker.commit_offset(producer, 5) == 0
    assert broker.end(producer, committed=committed)[0] == 0
    hosted = broker.replicas.manager.replicas.get(broker.topic_id(GROUPS_TOPIC), 0)
    assert hosted is not None
    led = broker.replicas.groups.led
    led._unload(0)
    led.role_changed(hosted)
    broker.replicas.call_due()
    topic = OffsetFetchRequest.Topics(name="t", partition_indexes=[0])
    group = OffsetFetchRequest.Group(group_id=GROUP, topics=[topic])
    for require_stable in (False, True):
        request = OffsetFetchRequest(groups=[group], require_stable=require_stable)
        (found,) = broker.ask(request, 9).groups
        (place,) = found.topics[0].partitions
        assert (place.error_code, place.committed_offset) == (0, 5 if committed else -1)


@pytest.mark.trio
async def test_markers_and_questions_look_for_other_brokers_once_it_runs() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.topic(TRANSACTIONS_TOPIC, [OTHER])
    services = broker.replicas.transactions
    services.markers._requests.others = services.added._requests.others = other_brokers(ME)
    partition = TopicPartition("t", 0)
    marker = TransactionMarker(
        producer_id=PRODUCER[0],
        producer_epoch=PRODUCER[1],
        is_commit=True,
        coordinator_epoch=0,
        transaction_version=2,
        partitions=(partition,),
    )
    results: list[Any] = []
    answers: list[PartitionCodes] = []
    async with running(services.run):
        services.markers.send_markers(OTHER, [marker], results.append)
        services.added.ask(Producer(ID, *PRODUCER), [partition], VERIFIES, answers.append)
        await trio.testing.wait_all_tasks_blocked()
    # The other broker has no address.
    assert results == [{PRODUCER[0]: {}}]
    assert answers == [{partition: ErrorCode.NETWORK_EXCEPTION}]


@pytest.mark.parametrize(
    ("code", "is_forgotten"),
    [(ErrorCode.INVALID_PRODUCER_ID_MAPPING, True), (ErrorCode.NETWORK_EXCEPTION, False)],
)
def test_a_producer_that_the_coordinator_does_not_know_is_forgotten(
    code: ErrorCode, is_forgotten: bool
) -> None:
    leader = Leader(code)
    leader.produce(leader.item(), leader.item(index=1, base_sequence=1))
    verifications = leader.broker.replicas.partition("t", 0).verifications
    assert (PRODUCER[0] not in (verifications._guards or {})) is is_forgotten


def test_the_coordinator_is_not_asked_for_records_that_are_no_batch() -> None:
    leader = Leader()
    for records, code in (
        (b"", ErrorCode.INVALID_RECORD),
        (b"short", ErrorCode.INVALID_RECORD),
        (bytes(BATCH_HEADER_BYTES - 1), ErrorCode.CORRUPT_MESSAGE),
    ):
        item = ProduceItem(topic_id=leader.broker.topic_id("t"), index=0, records=records, allows_zstd=True)
        assert leader.produce(item) == [[code]]
    assert leader.coordinator.asked == []
