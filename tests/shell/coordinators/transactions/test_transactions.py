"""The coordinator of transactions in the partitions that a broker leads."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import InitProducerIdRequest, TransactionLogKey, TransactionLogValue
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.core.coordinators.values import Record
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.metadata.topic_names import TRANSACTIONS_TOPIC
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch

POLL_MS = 5


def init(broker: DataBroker) -> list[int]:
    """The error code of the response to InitProducerId, once it has come."""
    codes: list[int] = []
    found = broker.send(InitProducerIdRequest(transactional_id="mine", transaction_timeout_ms=60_000), 5)
    codes.extend(each.error_code for each in found)
    return codes


def test_nothing_is_served_before_all_that_was_read_is_committed() -> None:
    broker = DataBroker()
    broker.topic(TRANSACTIONS_TOPIC, [ME, OTHER])
    # Its record is written here, and not yet there.
    assert init(broker) == []
    broker.lead_anew(TRANSACTIONS_TOPIC)
    broker.replicas.pass_time(POLL_MS)
    assert init(broker) == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]
    broker.replicate(TRANSACTIONS_TOPIC, 1)
    broker.replicas.pass_time(POLL_MS)
    assert init(broker) == []
    broker.replicate(TRANSACTIONS_TOPIC, 2)
    assert init(broker) == []
    partition = broker.replicas.partition(TRANSACTIONS_TOPIC, 0)
    assert partition.log_end_offset == 3


def test_a_broker_that_leads_no_more_does_not_coordinate() -> None:
    broker = DataBroker()
    broker.topic(TRANSACTIONS_TOPIC, [ME, OTHER])
    waiting = broker.send(InitProducerIdRequest(transactional_id="mine", transaction_timeout_ms=60_000), 5)
    broker.harness.heartbeat(ME, want_fence=True)
    broker.replicas.follow()
    assert [each.error_code for each in waiting] == [ErrorCode.NOT_COORDINATOR]
    assert init(broker) == [ErrorCode.NOT_COORDINATOR]


def led_log(broker: DataBroker, timeout_ms: int) -> tuple[PartitionLog, Partition]:
    """A partition with two records, which the other replica does not have, as its coordinator sees it."""
    broker.topic("log", [ME, OTHER])
    broker.replicas.follow()
    manager = broker.replicas.manager
    hosted = manager.replicas.get(broker.topic_id("log"), 0)
    assert hosted is not None
    log = manager.for_coordinators.log(hosted, lambda: timeout_ms, Histogram())
    broker.produce("log", batch())
    broker.produce("log", batch())
    return log, hosted.partition


def fetched(broker: DataBroker, partition: Partition, offset: int) -> None:
    """The other replica has the records before an offset."""
    epoch = broker.harness.image.brokers[OTHER].epoch
    partition.follower_fetched(OTHER, offset, 0, epoch, now_ms=broker.replicas.clock.now)


def test_a_coordinator_hears_of_a_commit_after_the_fetch_that_made_it() -> None:
    """What it appends because of it, that fetch would miss."""
    broker = DataBroker()
    log, partition = led_log(broker, 1000)
    told: list[ErrorCode] = []
    log.when_committed(1, told.append)
    fetched(broker, partition, 1)
    assert (partition.high_watermark, told) == (1, [])
    broker.replicas.call_due()
    assert told == [ErrorCode.NONE]


def test_a_coordinator_that_asks_again_does_not_wait_for_later_records() -> None:
    broker = DataBroker()
    log, partition = led_log(broker, 1000)
    first: list[ErrorCode] = []
    second: list[ErrorCode] = []
    log.when_committed(2, second.append)
    log.when_committed(1, first.append)
    fetched(broker, partition, 1)
    broker.replicas.call_due()
    assert (first, second) == ([ErrorCode.NONE], [])
    fetched(broker, partition, 2)
    broker.replicas.call_due()
    assert second == [ErrorCode.NONE]


def test_each_wait_for_a_commit_ends_in_time_in_whatever_order_they_began() -> None:
    broker = DataBroker()
    log, partition = led_log(broker, 1000)
    first: list[ErrorCode] = []
    second: list[ErrorCode] = []
    late = [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    log.when_committed(2, second.append)
    broker.replicas.pass_time(600)
    log.when_committed(1, first.append)
    broker.replicas.pass_time(400)
    assert (first, second) == ([], late)
    broker.replicas.pass_time(599)
    assert first == []
    broker.replicas.pass_time(1)
    assert first == late
    # Nothing is left of them.
    fetched(broker, partition, 2)
    broker.replicas.call_due()
    assert (first, second) == (late, late)


def test_whoever_waits_for_a_commit_hears_that_another_broker_leads() -> None:
    broker = DataBroker()
    log, _ = led_log(broker, 1000)
    told: list[ErrorCode] = []
    log.when_committed(2, told.append)
    log.when_committed(1, told.append)
    log.close()
    broker.replicas.pass_time(2000)
    assert told == [ErrorCode.NOT_COORDINATOR] * 2


def test_a_record_that_makes_no_sense_costs_its_partition_the_coordinator(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broker = DataBroker()
    broker.topic(TRANSACTIONS_TOPIC, [ME, OTHER])
    broker.replicas.follow()
    manager = broker.replicas.manager
    hosted = manager.replicas.get(broker.topic_id(TRANSACTIONS_TOPIC), 0)
    assert hosted is not None
    key, value = TransactionLogKey(transactional_id="other"), TransactionLogValue(transaction_status=99)
    manager.for_coordinators.log(hosted, lambda: 1000, Histogram()).append([Record(key, value, 1)])
    broker.replicas.follow()
    broker.lead_anew(TRANSACTIONS_TOPIC)
    broker.replicas.pass_time(POLL_MS)
    assert init(broker) == [ErrorCode.NOT_COORDINATOR]
    assert (
        f"{TRANSACTIONS_TOPIC}-0 cannot be loaded: the record at offset 0: RecordError: 'other'"
        in caplog.text
    )
