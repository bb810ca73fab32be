"""The five APIs about the state of share groups, on a broker with its log: who coordinates, and what stays.

Tests: `apis.share_state.delete_share_group_state`, `apis.share_state.initialize_share_group_state`,
`apis.share_state.read_share_group_state`, `apis.share_state.read_share_group_state_summary`,
`apis.share_state.state_partitions`, `apis.share_state.write_share_group_state`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto import messages as kafka
from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.metadata.topic_names import SHARE_TOPIC
from kafkaproto_server.requests.share_state import MAX_STATE_BATCHES
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from tests.apis.support.data_broker import ME, OTHER, DataBroker
from tests.core.controller.support.harness import update_features_request

OK = ErrorCode.NONE
GROUP = "g"
PRUNE_MS = 1_000


class Sharing(DataBroker):
    """Broker 1 with a topic of two partitions, and with the states of share groups if it leads them."""

    def __init__(self, coordinator: int | None = ME, **settings: Any) -> None:
        super().__init__(**settings)
        self.id = self.topic("t", [ME], [ME])
        if coordinator is not None:
            self.topic(SHARE_TOPIC, [coordinator])
        self.replicas.follow()

    @property
    def hosted(self) -> Hosted:
        """The partition of the share coordinator."""
        hosted = self.replicas.manager.replicas.get(self.topic_id(SHARE_TOPIC), 0)
        assert hosted is not None
        return hosted

    def coordinate_anew(self) -> None:
        """Another coordinator begins with what is in the log."""
        led = self.replicas.share.coordinators.led
        led._unload(0)
        led.role_changed(self.hosted)

    def places(self, kind: Any, topic: str, *partitions: Any, group: str = GROUP, version: int = 0) -> Any:
        """What the response says of each partition."""
        topics = [getattr(kind, topic)(topic_id=self.id, partitions=list(partitions))]
        response = self.ask(kind(group_id=group, topics=topics), version)
        assert [bytes(each.topic_id) for each in response.results] == [self.id]
        return response.results[0].partitions

    def initialize(self, *partitions: int, epoch: int = 1, start: int = 5) -> list[ErrorCode]:
        kind = kafka.InitializeShareGroupStateRequest
        data = [
            kind.PartitionData(partition=each, state_epoch=epoch, start_offset=start) for each in partitions
        ]
        return [each.error_code for each in self.places(kind, "InitializeStateData", *data)]

    def read(self, *partitions: int, epoch: int = 1, group: str = GROUP) -> Any:
        kind = kafka.ReadShareGroupStateRequest
        data = [kind.PartitionData(partition=each, leader_epoch=epoch) for each in partitions]
        return self.places(kind, "ReadStateData", *data, group=group)

    def write(self, partition: int, *batches: tuple[int, int], epoch: int = 1) -> ErrorCode:
        kind = kafka.WriteShareGroupStateRequest
        data = kind.PartitionData(
            partition=partition,
            state_epoch=1,
            leader_epoch=epoch,
            start_offset=5,
            delivery_complete_count=2,
            state_batches=[
                kind.StateBatch(first_offset=first, last_offset=last, delivery_state=2, delivery_count=1)
                for first, last in batches
            ],
        )
        (place,) = self.places(kind, "WriteStateData", data, version=1)
        return ErrorCode(place.error_code)

    def summary(self, version: int) -> Any:
        kind = kafka.ReadShareGroupStateSummaryRequest
        data = kind.PartitionData(partition=0, leader_epoch=0)
        return self.places(kind, "ReadStateSummaryData", data, version=version)[0]

    def delete(self, partition: int) -> ErrorCode:
        kind = kafka.DeleteShareGroupStateRequest
        (place,) = self.places(kind, "DeleteStateData", kind.PartitionData(partition=partition))
        return ErrorCode(place.error_code)


def seen(place: Any) -> tuple[Any, ...]:
    batches = [(each.first_offset, each.last_offset) for each in place.state_batches]
    return place.error_code, place.state_epoch, place.start_offset, batches


def test_a_state_is_kept_and_read() -> None:
    broker = Sharing()
    assert broker.initialize(0, 1) == [OK, OK]
    assert broker.write(0, (5, 6), (9, 9)) is OK
    assert [seen(each) for each in broker.read(0, 1)] == [(0, 1, 5, [(5, 6), (9, 9)]), (0, 1, 5, [])]
    assert broker.summary(0).delivery_complete_count == -1, "version 0 does not have it"
    found = broker.summary(1)
    assert (found.state_epoch, found.leader_epoch, found.start_offset) == (1, 1, 5)
    assert found.delivery_complete_count == 2
    assert broker.delete(0) is OK
    assert [each.error_code for each in broker.read(0, 1)] == [ErrorCode.INVALID_REQUEST, OK]


def test_a_partition_that_is_named_twice_has_its_last_result() -> None:
    broker = Sharing()
    broker.initialize(0)
    kind = kafka.ReadShareGroupStateRequest
    topic = kind.ReadStateData(
        topic_id=broker.id,
        partitions=[kind.PartitionData(partition=0, leader_epoch=each) for each in (3, 2)],
    )
    response = broker.ask(kind(group_id=GROUP, topics=[topic, topic]), 0)
    (result,) = response.results
    (place,) = result.partitions
    assert seen(place) == (ErrorCode.FENCED_LEADER_EPOCH, 0, 0, [])


@pytest.mark.parametrize("is_first", [False, True])
def test_a_topic_without_partitions(is_first: bool) -> None:
    """Only Initialize takes one."""
    broker = Sharing()
    kind = kafka.InitializeShareGroupStateRequest
    other = kafka.DeleteShareGroupStateRequest
    data = kind.PartitionData(partition=0, state_epoch=1, start_offset=0)
    topics = [
        kind.InitializeStateData(topic_id=broker.id, partitions=[data]),
        kind.InitializeStateData(topic_id=b"\x05" * 16, partitions=[]),
    ]
    deleted = [
        other.DeleteStateData(topic_id=broker.id, partitions=[other.PartitionData(partition=0)]),
        other.DeleteStateData(topic_id=b"\x05" * 16, partitions=[]),
    ]
    if is_first:
        topics.reverse()
        deleted.reverse()
    response = broker.ask(kind(group_id=GROUP, topics=topics), 0)
    assert [bytes(each.topic_id) for each in response.results] == [broker.id]
    assert broker.ask(other(group_id=GROUP, topics=deleted), 0).results == []
    assert [each.error_code for each in broker.read(0)] == [OK]


@pytest.mark.parametrize("coordinator", [None, OTHER])
def test_another_broker_coordinates_or_none(coordinator: int | None) -> None:
    broker = Sharing(coordinator)
    wrong = ErrorCode.NOT_COORDINATOR
    assert broker.initialize(0) == [wrong]
    assert [each.error_code for each in broker.read(0)] == [wrong]
    assert broker.read(0)[0].error_message
    assert broker.write(0) is wrong
    assert broker.summary(1).error_code == wrong
    assert broker.delete(0) is wrong


def test_the_state_outlives_its_coordinator() -> None:
    broker = Sharing()
    broker.initialize(0)
    broker.write(0, (7, 8))
    broker.read(0, epoch=4)
    broker.coordinate_anew()
    assert [seen(each) for each in broker.read(0, epoch=4)] == [(0, 1, 5, [(7, 8)])]
    assert broker.write(0, epoch=3) is ErrorCode.FENCED_LEADER_EPOCH


def test_nothing_is_served_while_the_partition_is_read() -> None:
    broker = Sharing()
    broker.initialize(0)
    broker.replicas.workers.hold()
    broker.coordinate_anew()
    assert [each.error_code for each in broker.read(0)] == [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]
    broker.replicas.workers.release()
    assert [each.error_code for each in broker.read(0)] == [OK]


def test_what_is_not_needed_is_deleted_in_time() -> None:
    broker = Sharing(
        share_coordinator_state_topic_prune_interval_ms=str(PRUNE_MS),
        share_coordinator_snapshot_update_records_per_snapshot="1",
    )
    broker.harness.call(update_features_request(("share.version", 1, 1)))
    broker.initialize(0)
    for _ in range(4):
        broker.write(0, (5, 5))
    assert broker.hosted.partition.log_start_offset == 0
    broker.replicas.clock.now += PRUNE_MS
    broker.replicas.call_due()
    assert broker.hosted.partition.log_start_offset == 4
    broker.coordinate_anew()
    assert [seen(each) for each in broker.read(0)] == [(0, 1, 5, [(5, 5)])]


def test_more_batches_than_a_share_partition_may_have() -> None:
    broker = Sharing()
    broker.initialize(0)
    many = [(2 * each, 2 * each) for each in range(MAX_STATE_BATCHES)]
    assert broker.write(0, *many, (9_000, 9_000)) is ErrorCode.UNKNOWN_SERVER_ERROR
    assert broker.write(0, *many) is OK
