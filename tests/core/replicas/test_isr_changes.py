"""What leaders ask the controller for: requests, and what becomes of the changes when a response comes."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterPartitionRequest, AlterPartitionResponse
from kafkaproto_server.core.replicas import isr_changes
from kafkaproto_server.core.replicas.isr_changes import RETRY_PAUSE_MS, IsrChanges, IsrCounts
from kafkaproto_server.core.replicas.partition import Partition
from kafkaproto_server.metadata.image.entries import RECOVERED, RECOVERING, PartitionImage

TOPIC_ID = bytes(range(16))
NOW_MS = 7_000


class Brokers:
    """All are eligible and alive."""

    def is_eligible(self, broker_id: int, broker_epoch: int, directory_id: bytes) -> bool:
        return True

    def is_alive(self, broker_id: int) -> bool:
        return True


class Leader:
    """Broker 1, which leads two partitions of brokers 1 and 2, and is alone in their ISRs."""

    def __init__(self) -> None:
        self.changes = IsrChanges(1)
        self.partitions = [self._partition(index) for index in range(2)]
        for index in range(2):
            self.see(index)

    def _partition(self, index: int) -> Partition:
        return Partition(
            topic="topic",
            topic_id=TOPIC_ID,
            index=index,
            broker_id=1,
            brokers=Brokers(),
            ask_for_isr=self.changes.add,
            max_lag_ms=1_000,
        )

    def see(self, index: int, *, partition_epoch: int = 2, recovery_state: int = RECOVERED) -> None:
        """The metadata has the partition."""
        image = PartitionImage(
            replicas=(1, 2),
            directories=(b"1" * 16, b"2" * 16),
            isr=(1,),
            leader=1,
            leader_epoch=2,
            partition_epoch=partition_epoch,
            leader_recovery_state=recovery_state,
        )
        self.partitions[index].apply(image, now_ms=0)

    def ask(self, index: int) -> None:
        """Broker 2 has fetched all of a partition, and is to be added to its ISR."""
        self.partitions[index].follower_fetched(2, 0, 0, 5, now_ms=0)

    def send(self) -> list[int]:
        """The partitions in the next request."""
        request = self.changes.next_request(9)
        return [] if request is None else indexes_of(request)

    def hear(self, *results: tuple[int, ErrorCode], error: ErrorCode = ErrorCode.NONE) -> None:
        """The controller has responded, with a result for each of these partitions."""
        topic = AlterPartitionResponse.TopicData(
            topic_id=TOPIC_ID,
            partitions=[
                AlterPartitionResponse.PartitionData(
                    partition_index=index, error_code=code, isr=[1, 2], partition_epoch=3
                )
                for index, code in results
            ],
        )
        response = AlterPartitionResponse(error_code=error, topics=[topic])
        self.changes.handle_response(response, NOW_MS)


def indexes_of(request: AlterPartitionRequest) -> list[int]:
    return [each.partition_index for topic in request.topics for each in topic.partitions]


def test_a_leader_of_an_unclean_election_says_once_that_it_has_recovered() -> None:
    leader = Leader()
    leader.see(0, recovery_state=RECOVERING)
    request = leader.changes.next_request(9)
    assert request is not None
    ((asked,),) = (each.partitions for each in request.topics)
    assert (asked.partition_index, asked.leader_recovery_state) == (0, RECOVERED)
    # The metadata says nothing else before the response is there.
    leader.see(0, recovery_state=RECOVERING)
    leader.hear((0, ErrorCode.NONE))
    assert leader.partitions[0].isr == (1, 2)
    assert leader.changes.due_ms is None


def test_one_request_is_under_way_at_a_time() -> None:
    leader = Leader()
    assert leader.changes.due_ms is None
    leader.ask(0)
    assert leader.changes.due_ms == 0
    assert leader.send() == [0]
    leader.ask(1)
    assert leader.changes.due_ms is None
    leader.hear((0, ErrorCode.NONE))
    # Nothing has failed, so the next one goes at once.
    assert leader.changes.due_ms == 0
    assert leader.send() == [1]


def test_what_does_not_fit_a_request_is_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isr_changes, "MAX_CHANGES", 1)
    leader = Leader()
    leader.ask(0)
    leader.ask(1)
    first = leader.send()
    assert len(first) == 1
    leader.hear((first[0], ErrorCode.NONE))
    assert sorted(first + leader.send()) == [0, 1]


def test_what_a_response_does_not_name_is_sent_again_after_a_pause() -> None:
    leader = Leader()
    leader.ask(0)
    leader.ask(1)
    leader.send()
    leader.hear((0, ErrorCode.NONE))
    assert leader.partitions[0].isr == (1, 2)
    assert leader.changes.due_ms == NOW_MS + RETRY_PAUSE_MS
    assert leader.send() == [1]


def test_a_refused_request_changes_nothing_whatever_its_response_says_of_partitions() -> None:
    leader = Leader()
    leader.ask(0)
    leader.send()
    leader.hear((0, ErrorCode.NONE), error=ErrorCode.STALE_BROKER_EPOCH)
    assert leader.partitions[0].isr == (1,)
    assert leader.changes.due_ms == NOW_MS + RETRY_PAUSE_MS
    assert leader.send() == [0]


def test_a_change_that_the_metadata_decides_is_not_sent_again() -> None:
    leader = Leader()
    leader.ask(0)
    leader.send()
    leader.hear((0, ErrorCode.INVALID_UPDATE_VERSION))
    assert leader.changes.due_ms is None
    assert leader.partitions[0].maximal_isr == (1, 2)


def test_a_change_that_failed_for_another_reason_is_sent_again_after_a_pause() -> None:
    leader = Leader()
    leader.ask(0)
    leader.send()
    leader.hear((0, ErrorCode.REQUEST_TIMED_OUT))
    assert leader.changes.due_ms == NOW_MS + RETRY_PAUSE_MS
    assert leader.send() == [0]


def test_a_change_that_failed_is_not_sent_again_if_newer_metadata_took_its_place() -> None:
    leader = Leader()
    leader.ask(0)
    leader.send()
    leader.see(0, partition_epoch=3)
    leader.hear((0, ErrorCode.REQUEST_TIMED_OUT))
    assert leader.changes.due_ms is None


def test_what_becomes_of_changes_is_counted() -> None:
    leader = Leader()
    leader.ask(0)
    leader.ask(1)
    leader.send()
    leader.hear((0, ErrorCode.NONE), (1, ErrorCode.INELIGIBLE_REPLICA))
    assert leader.changes.counts == IsrCounts(expands=1, failures=1)
    # The one that was added has not fetched for longer than it may.
    leader.partitions[0].appended(1, now_ms=0)
    leader.partitions[0].maybe_shrink_isr(9_000)
    assert leader.send() == [0]
    leader.hear((0, ErrorCode.NONE))
    assert leader.changes.counts == IsrCounts(expands=1, shrinks=1, failures=1)


def test_a_change_counts_also_if_the_metadata_overtakes_the_response() -> None:
    leader = Leader()
    leader.ask(0)
    leader.send()
    partition = leader.partitions[0]
    partition.apply(
        PartitionImage(
            replicas=(1, 2),
            directories=(b"1" * 16, b"2" * 16),
            isr=(1, 2),
            leader=1,
            leader_epoch=2,
            partition_epoch=3,
        ),
        now_ms=0,
    )
    leader.hear((0, ErrorCode.NONE))
    assert leader.changes.counts == IsrCounts(expands=1)


def test_a_request_that_fails_as_a_whole_counts_nothing() -> None:
    leader = Leader()
    leader.ask(0)
    leader.send()
    leader.hear((0, ErrorCode.NONE), error=ErrorCode.STALE_BROKER_EPOCH)
    assert leader.changes.counts == IsrCounts()
