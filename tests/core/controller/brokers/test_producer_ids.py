"""AllocateProducerIds: every block once, to registered brokers only.

Tests: `core.controller.brokers.allocate_producer_ids`.
"""

from __future__ import annotations

import pytest

from kafkaproto.messages import AllocateProducerIdsRequest, AllocateProducerIdsResponse, ProducerIdsRecord
from kafkaproto.records.metadata import encode_metadata_record
from tests.core.controller.support.harness import Batch, Harness, bootstrap_records


@pytest.fixture
def harness() -> Harness:
    harness = Harness()
    harness.start_brokers(1, 2)
    return harness


def request(harness: Harness, broker_id: int = 1, *, epoch: int | None = None) -> AllocateProducerIdsRequest:
    broker_epoch = harness.image.brokers[broker_id].epoch if epoch is None else epoch
    return AllocateProducerIdsRequest(broker_id=broker_id, broker_epoch=broker_epoch)


def block(response: AllocateProducerIdsResponse) -> tuple[int, int, int]:
    return response.error_code, response.producer_id_start, response.producer_id_len


def test_blocks_follow_on_each_other_from_0_on(harness: Harness) -> None:
    start = harness.next_offset
    assert block(harness.call(request(harness, 1))) == (0, 0, 1000)
    assert block(harness.call(request(harness, 2))) == (0, 1000, 1000)
    assert harness.records(start) == [
        ProducerIdsRecord(
            broker_id=broker_id, broker_epoch=harness.image.brokers[broker_id].epoch, next_producer_id=next_id
        )
        for broker_id, next_id in ((1, 1000), (2, 2000))
    ]


def test_a_block_is_told_when_it_is_committed_and_not_before(harness: Harness) -> None:
    first = harness.send(request(harness))
    second = harness.send(request(harness))
    assert harness.answer(first) is None
    harness.commit(harness.next_offset - 1)
    assert block(harness.answer(first)) == (0, 0, 1000)
    assert harness.answer(second) is None
    harness.commit()
    assert block(harness.answer(second)) == (0, 1000, 1000)


def test_a_block_that_was_lost_with_leadership_is_given_out_again(harness: Harness) -> None:
    asked = harness.send(request(harness))
    harness.deactivate(keep=0)
    assert harness.answer(asked).error_code == 41
    harness.activate(epoch=3)
    harness.commit()
    assert block(harness.call(request(harness))) == (0, 0, 1000)


@pytest.mark.parametrize(("broker_id", "epoch"), [(1, -1), (1, 10**6), (3, 0), (-1, -1)])
def test_only_the_newest_registration_of_a_broker_gets_ids(
    broker_id: int, epoch: int, harness: Harness
) -> None:
    start = harness.next_offset
    assert harness.call(request(harness, broker_id, epoch=epoch)).error_code == 77
    assert harness.records(start) == []


def test_a_fenced_broker_gets_ids(harness: Harness) -> None:
    assert harness.register(3).error_code == 0
    assert harness.image.brokers[3].fenced
    assert block(harness.call(request(harness, 3))) == (0, 0, 1000)


def test_ids_end_where_the_format_ends() -> None:
    last_start = 2**63 - 1 - 1000
    harness = Harness(active=False)
    value = encode_metadata_record(ProducerIdsRecord(next_producer_id=last_start), 0)
    features = tuple(encode_metadata_record(each, 0) for each in bootstrap_records())
    records = (*features, value)
    harness.replay_log([Batch(base_offset=0, last_offset=len(records) - 1, epoch=1, records=records)])
    harness.activate(epoch=2)
    harness.commit()
    harness.start_brokers(1)
    assert block(harness.call(request(harness))) == (0, last_start, 1000)
    start = harness.next_offset
    assert block(harness.call(request(harness))) == (-1, 0, 0)
    assert harness.records(start) == []
    assert harness.controller.is_active
