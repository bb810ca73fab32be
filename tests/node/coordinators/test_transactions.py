"""The coordinator of transactions in the partitions that a broker leads."""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import InitProducerIdRequest
from kafkaproto_server.metrics.histogram import Histogram
from kafkaproto_server.topic_names import TRANSACTIONS_TOPIC
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


def test_a_coordinator_hears_of_a_commit_after_the_fetch_that_made_it() -> None:
    """What it appends because of it, that fetch would miss."""
    broker = DataBroker()
    broker.topic("log", [ME, OTHER])
    broker.replicas.follow()
    manager = broker.replicas.manager
    hosted = manager.replicas.get(broker.topic_id("log"), 0)
    assert hosted is not None
    log = manager.coordinator_log(hosted, lambda: 1000, Histogram())
    broker.produce("log", batch())
    told: list[ErrorCode] = []
    log.when_committed(1, told.append)
    partition = hosted.partition
    epoch = broker.harness.image.brokers[OTHER].epoch
    partition.follower_fetched(OTHER, 1, 0, epoch, now_ms=broker.replicas.clock.now)
    assert (partition.high_watermark, told) == (1, [])
    broker.replicas.call_due()
    assert told == [ErrorCode.NONE]
