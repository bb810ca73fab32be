"""When the coordinator of a partition begins, and when it ends."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import OffsetCommitKey, OffsetCommitValue
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.coordinator import GROUP_RECORDS, encode_coordinator_record
from kafkaproto_server.base.metrics.histogram import Histogram
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.shell.coordinators.led import LedPartitions
from kafkaproto_server.shell.replicas.coordinators.coordinator_log import PartitionLog
from tests.apis.support.data_broker import ME, OTHER, DataBroker

TOPIC = "led"


class Shard:
    """The coordinator of the partition in one leader epoch."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        self.offsets: list[int] = []
        """Of the records that it has read."""
        self.life: list[str] = []

    def replay(self, key: Message, value: Message | None, offset: int, producer_id: int) -> None:
        self.offsets.append(offset)

    def marker(self, producer_id: int, is_commit: bool, offset: int) -> None:
        self.offsets.append(offset)

    def loaded(self) -> Sequence[str]:
        self.life.append("loaded")
        return ()

    def unload(self) -> None:
        self.life.append("unloaded")


class Led:
    """A broker that leads the only partition of a topic, in which there is one record."""

    def __init__(self) -> None:
        self.broker = DataBroker()
        self.shards: list[Shard] = []
        manager = self.broker.replicas.manager
        self.partitions: LedPartitions[Shard] = LedPartitions(
            TOPIC,
            GROUP_RECORDS,
            image=lambda: self.broker.harness.image,
            make_log=lambda hosted: manager.for_coordinators.log(hosted, lambda: 1000, Histogram()),
            make_shard=self._make_shard,
            load=manager.for_coordinators.load,
            load_times=Histogram(),
        )
        self.broker.replicas.role_changed = self.partitions.role_changed  # type: ignore[method-assign]
        self.broker.topic(TOPIC, [ME, OTHER])
        self.broker.replicas.follow()
        record = encode_coordinator_record(OffsetCommitKey(group="g", topic="x"), OffsetCommitValue(), 4)
        self.broker.produce(TOPIC, build_batch([NewRecord(*record)], base_offset=0, timestamp_ms=0))

    def _make_shard(self, log: PartitionLog, epoch: int) -> Shard:
        self.shards.append(Shard(epoch))
        return self.shards[-1]

    def lead_anew(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The broker leads again, and learns that together with what was between."""
        with monkeypatch.context() as patch:
            patch.setattr(self.broker.replicas, "follow", lambda: None)
            self.broker.lead_anew(TOPIC)
        self.broker.replicas.follow()

    def served_by(self) -> Shard | ErrorCode:
        """Who coordinates, or the code that a client gets."""
        try:
            return self.partitions.of("any")
        except CoordinatorError as error:
            return error.code


def test_each_leader_epoch_has_a_coordinator_of_its_own_which_reads_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    led = Led()
    (first,) = led.shards
    assert led.served_by() is first
    led.lead_anew(monkeypatch)
    assert [each.epoch for each in led.shards] == [0, 2]
    assert led.served_by() is led.shards[1]
    assert led.shards[1].offsets == [0]
    assert first.life == ["loaded", "unloaded"]


def test_a_coordinator_ends_with_its_leader_epoch() -> None:
    led = Led()
    led.broker.harness.heartbeat(ME, want_fence=True)
    led.broker.replicas.follow()
    assert led.served_by() is ErrorCode.NOT_COORDINATOR
    assert [each.life for each in led.shards] == [["loaded", "unloaded"]]


def test_a_coordinator_ends_with_its_disk_although_nobody_else_leads_yet() -> None:
    led = Led()
    led.broker.replicas.log_directories.fail("/logs", "EIO")
    led.broker.replicas.manager.directories_changed()
    assert led.served_by() is ErrorCode.NOT_COORDINATOR
    assert [each.life for each in led.shards] == [["loaded", "unloaded"]]


def test_a_coordinator_goes_on_within_its_leader_epoch() -> None:
    led = Led()
    hosted = led.broker.replicas.manager.replicas.get(led.broker.topic_id(TOPIC), 0)
    assert hosted is not None
    led.partitions.role_changed(hosted)
    assert [each.life for each in led.shards] == [["loaded"]]
    assert led.served_by() is led.shards[0]


def test_the_end_of_a_transaction_counts_once_what_is_before_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    led = Led()
    led.broker.replicas.workers.hold()
    led.lead_anew(monkeypatch)
    loading = led.shards[1]
    assert led.served_by() is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    # It is in the log, where it is read in its turn.
    led.partitions.marker_written(0, 7, True, 1)
    assert loading.offsets == []
    led.broker.replicas.workers.release()
    led.broker.replicas.call_due()
    assert led.served_by() is loading
    led.partitions.marker_written(0, 7, True, 1)
    assert loading.offsets == [0, 1]


def test_a_coordinator_that_has_ended_reads_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    led = Led()
    led.broker.replicas.workers.hold()
    led.lead_anew(monkeypatch)
    led.broker.harness.heartbeat(ME, want_fence=True)
    led.broker.replicas.follow()
    led.broker.replicas.workers.release()
    led.broker.replicas.call_due()
    assert (led.shards[1].offsets, led.shards[1].life) == ([], ["unloaded"])
