"""Changes beyond one batch: nobody sees half of one, and no failover leaves half of one.

Tests: `core.controller.machine.appending`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import AbortTransactionRecord, CreateTopicsRequest, NoOpRecord
from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.core.controller.machine.appending import batches_of
from kafkaproto_server.core.controller.machine.metadata_transactions import TRANSACTION_NAME, fitted
from kafkaproto_server.core.controller.values import batches
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult
from kafkaproto_server.metadata.image.digest import digest
from tests.core.controller.support.harness import Harness

PARTITIONS = 25
BATCH = 10


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten records fill a batch, so that a few partitions do what takes thousands otherwise."""
    monkeypatch.setattr(batches, "MAX_RECORDS_PER_BATCH", BATCH)


def cluster() -> Harness:
    """Two brokers, and partitions that broker 1 leads, each from a topic of its own."""
    harness = Harness(features=())
    harness.start_brokers(1, 2)
    for number in range(PARTITIONS):
        topic = CreateTopicsRequest.CreatableTopic(
            name=f"t{number}",
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                CreateTopicsRequest.CreatableReplicaAssignment(partition_index=0, broker_ids=[1, 2])
            ],
        )
        assert harness.call(CreateTopicsRequest(topics=[topic])).topics[0].error_code == 0
    return harness


def leaders(image: Any) -> set[int]:
    """Who leads partitions."""
    return {partition.leader for topic in image.topics_in_order() for partition in topic.partitions.values()}


def names(records: list[Message]) -> list[str]:
    return [record.NAME for record in records]


def fence(harness: Harness) -> tuple[int, int]:
    """Broker 1 wants to be fenced: where its records start, and the id of the command."""
    start = harness.next_offset
    return start, harness.send(harness.heartbeat_request(1, want_fence=True))


def test_records_beyond_a_batch_are_a_transaction() -> None:
    harness = cluster()
    start, command_id = fence(harness)
    records = harness.records(start)
    assert len(records) > BATCH
    assert (records[0].NAME, getattr(records[0], "name", "")) == ("BeginTransactionRecord", TRANSACTION_NAME)
    assert records[-1].NAME == "EndTransactionRecord"
    assert not {"BeginTransactionRecord", "EndTransactionRecord"} & set(names(records[1:-1]))
    sizes = [batch.last_offset - batch.base_offset + 1 for batch in harness.log if batch.base_offset >= start]
    assert len(sizes) > 2
    assert set(sizes[:-1]) == {BATCH}
    harness.commit()
    assert harness.answer(command_id).is_fenced


def test_every_image_that_is_shown_has_all_of_the_change_or_nothing() -> None:
    harness = cluster()
    before = digest(harness.controller.committed_image)
    harness.images.clear()
    start, command_id = fence(harness)
    assert leaders(harness.image) == {2}
    for batch in [batch for batch in harness.log if batch.base_offset >= start]:
        assert digest(harness.controller.committed_image) == before
        assert harness.answer(command_id) is None
        harness.commit(batch.last_offset + 1)
    assert harness.answer(command_id).is_fenced
    assert [leaders(image) for image in harness.images[:-1]] == [{1}] * (len(harness.images) - 1)
    assert leaders(harness.images[-1]) == {2}
    assert harness.controller.committed_image == harness.image


def test_a_standby_shows_nothing_of_it_before_its_end() -> None:
    harness = cluster()
    fence(harness)
    harness.commit()
    standby = Harness(active=False, node_id=2)
    standby.replay_log(harness.log[:-1])
    assert leaders(standby.controller.committed_image) == {1}
    assert not standby.controller.committed_image.brokers[1].fenced
    standby.replay_log(harness.log[-1:])
    assert leaders(standby.controller.committed_image) == {2}
    assert standby.controller.committed_image.brokers[1].fenced


def test_a_failover_in_the_midst_of_it_takes_all_of_it_back() -> None:
    harness = cluster()
    before = digest(harness.controller.committed_image)
    _, command_id = fence(harness)
    harness.deactivate(keep=1)
    # It may yet have been done, for all that the client knows.
    assert harness.answer(command_id).error_code == 41
    start = harness.next_offset
    harness.activate(epoch=3)
    assert names(harness.records(start)) == ["AbortTransactionRecord"]
    harness.commit()
    assert leaders(harness.controller.committed_image) == {1}
    assert not harness.controller.committed_image.brokers[1].fenced
    assert digest(harness.controller.committed_image) == before
    # And the controller goes on as if nothing had been.
    _, again = fence(harness)
    harness.commit()
    assert harness.answer(again).is_fenced
    assert leaders(harness.controller.committed_image) == {2}


def test_a_failover_after_its_end_keeps_all_of_it() -> None:
    harness = cluster()
    start, _ = fence(harness)
    batches_of_it = [batch for batch in harness.log if batch.base_offset >= start]
    harness.deactivate(keep=len(batches_of_it))
    harness.activate(epoch=3)
    harness.commit()
    assert leaders(harness.controller.committed_image) == {2}
    assert harness.controller.committed_image.brokers[1].fenced


def test_a_request_that_may_not_exceed_a_batch_is_still_refused() -> None:
    harness = cluster()
    topic = CreateTopicsRequest.CreatableTopic(name="wide", num_partitions=BATCH, replication_factor=1)
    start = harness.next_offset
    (result,) = harness.call(CreateTopicsRequest(topics=[topic])).topics
    assert result.error_code == 44
    assert harness.next_offset == start


def test_a_request_of_too_many_records_is_refused_before_any_is_encoded() -> None:
    steps = batches_of(CommandResult(records=[NoOpRecord()] * (BATCH + 1)), 30)
    with pytest.raises(ApiError) as refused:
        next(steps)
    assert refused.value.code == ErrorCode.POLICY_VIOLATION


def test_a_request_whose_records_are_too_large_for_a_batch_is_refused_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = cluster()
    # Two of the three records fit into a batch.
    monkeypatch.setattr(batches, "MAX_BATCH_BYTES", 250)
    topic = CreateTopicsRequest.CreatableTopic(name="large", num_partitions=2, replication_factor=1)
    start = harness.next_offset
    (result,) = harness.call(CreateTopicsRequest(topics=[topic])).topics
    assert result.error_code == ErrorCode.POLICY_VIOLATION
    assert harness.next_offset == start
    topic.num_partitions = 1
    assert harness.call(CreateTopicsRequest(topics=[topic])).topics[0].error_code == 0


@pytest.mark.parametrize(("count", "is_transaction"), [(1, False), (BATCH, False), (BATCH + 1, True)])
def test_what_fits_a_batch_stays_as_it_is(count: int, is_transaction: bool) -> None:
    records, encoded = [NoOpRecord()] * count, [b"value"] * count
    framed, values, ends = run_to_end(fitted(records, encoded))
    assert len(framed) == len(values) == count + 2 * is_transaction
    assert ends == ((BATCH, count + 2) if is_transaction else (count,))


def test_records_that_mark_a_transaction_are_not_put_into_another() -> None:
    records = [AbortTransactionRecord(), *[NoOpRecord()] * BATCH]
    framed, _, ends = run_to_end(fitted(records, [b"value"] * len(records)))
    assert framed is records
    assert ends == (BATCH, BATCH + 1)
