"""What a leader knows of a producer's batches after its log failed, was read again, or was led by another broker.

A leader that does not recognize a batch makes its producer write it twice, or give up. As Apache Kafka's, it knows five
batches of each producer, and one of those that it has read from a snapshot.
"""

from __future__ import annotations

import errno

import pytest

from kafkaproto.error_codes import ErrorCode
from tests.apis.data.test_produce import idempotent
from tests.apis.support.data_broker import ME, DataBroker, batch

OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def told(broker: DataBroker, *sequences: int) -> list[int]:
    """The offset that each batch gets, or the negative error code."""
    found = [broker.produce("t", idempotent(each)) for each in sequences]
    return [-each.error_code or each.base_offset for each in found]


def test_the_newest_five_batches_are_recognized(broker: DataBroker) -> None:
    assert told(broker, *range(6)) == [*range(6)]
    assert told(broker, *range(6)) == [-OUT_OF_ORDER, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("producer_id", [0, 1])
def test_batches_of_the_first_producer_are_recognized_as_well(broker: DataBroker, producer_id: int) -> None:
    sent = batch(producer_id=producer_id, producer_epoch=0, base_sequence=0)
    assert [broker.produce("t", sent).base_offset for _ in range(2)] == [0, 0]


def test_a_batch_whose_append_failed_is_not_known_once_the_log_is_open_again(broker: DataBroker) -> None:
    assert told(broker, 0, 1) == [0, 1]
    broker.replicas.disk.fail("write", ".log", errno.EMFILE)
    assert told(broker, 2, 3) == [-ErrorCode.KAFKA_STORAGE_ERROR] * 2
    broker.replicas.pass_time(1000)
    assert told(broker, 3) == [-OUT_OF_ORDER]
    assert told(broker, 0, 1, 2, 3, 3) == [0, 1, 2, 3, 3]


@pytest.mark.parametrize("is_clean", [False, True])
def test_after_a_start_batches_behind_the_snapshot_are_recognized(broker: DataBroker, is_clean: bool) -> None:
    assert told(broker, 0, 1) == [0, 1]
    broker.start_again(is_clean=is_clean)
    broker.report()
    # Of what was in the log at a clean stop, the snapshot has the last batch.
    assert told(broker, 0, 1, 2) == [-OUT_OF_ORDER if is_clean else 0, 1, 2]
    assert told(broker, 1, 2) == [1, 2]


def test_a_leader_that_leads_again_recognizes_what_it_wrote_before(broker: DataBroker) -> None:
    assert told(broker, 0, 1) == [0, 1]
    broker.harness.heartbeat(ME, want_fence=True)
    broker.replicas.follow()
    assert told(broker, 0, 2) == [-ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2
    broker.harness.heartbeat(ME)
    broker.replicas.follow()
    assert told(broker, 0, 1, 2) == [0, 1, 2]
