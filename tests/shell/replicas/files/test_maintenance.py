"""What a broker does with its logs from time to time: retention, durability points, checkpoints, removal of files.

Tests: `shell.replicas.files.log_settings`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteTopicsRequest
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.shell.replicas.files import maintenance
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskLane, HeldJobs
from kafkaproto_server.shell.replicas.files.maintenance import Maintenance
from kafkaproto_server.shell.replicas.files.removals import Removals
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    read_offsets,
)
from tests.apis.support.data_broker import ME, DataBroker, batch, wanted
from tests.apis.support.replicas import PATH, BrokerReplicas, ImmediateWorkers
from tests.core.controller.support.harness import TIMESTAMP_MS, directory
from tests.node.support.controllers import TrioClock
from tests.node.support.tasks import Turns, running
from tests.sim.disk import MemoryDisk

HOUR_MS = 3600 * 1000
DELAY_MS = 60_000


def produce(broker: DataBroker, name: str, count: int = 1, *, size: int = 600_000, **fields: Any) -> None:
    """Append batches, two of which do not fit in a segment."""
    for _ in range(count):
        records = [NewRecord(key=b"k", value=b"v" * size)]
        made = build_batch(records, base_offset=0, timestamp_ms=TIMESTAMP_MS, **fields)
        assert broker.produce(name, made).error_code == 0


def topic(broker: DataBroker, name: str = "t", **configs: str) -> None:
    broker.topic(
        name,
        **{"segment.bytes": "1048576", **{key.replace("_", "."): value for key, value in configs.items()}},
    )


def delete_topic(broker: DataBroker, name: str) -> None:
    state = DeleteTopicsRequest.DeleteTopicState(name=name)
    response = broker.harness.call(DeleteTopicsRequest(topics=[state], timeout_ms=1000), version=6)
    assert response.responses[0].error_code == 0


def work(broker: DataBroker, name: str) -> None:
    """Do one round of a periodic work."""
    for _ in getattr(broker.replicas.manager.maintenance, name)():
        pass


def files(broker: DataBroker, name: str = "t-0") -> list[str]:
    found = broker.replicas.disk.list_directory(f"{PATH}/{name}")
    return [each for each in found if ".log" in each]


def snapshots(broker: DataBroker) -> list[int]:
    """The offsets at which the states of producers in t-0 were written."""
    found = broker.replicas.disk.list_directory(f"{PATH}/t-0")
    return [int(name.partition(".")[0]) for name in found if name.endswith(".snapshot")]


def checkpoint(broker: DataBroker, name: str) -> dict[tuple[str, int], int]:
    broker.replicas.manager.replicas.write_checkpoint(name)
    return read_offsets(broker.replicas.disk, PATH, name)


def remove_due(broker: DataBroker) -> None:
    broker.replicas.manager.replicas.removals.remove_due()


# --- retention ---


def test_old_records_go_and_their_files_a_while_later() -> None:
    broker = DataBroker()
    topic(broker, retention_ms=str(HOUR_MS), file_delete_delay_ms=str(DELAY_MS))
    produce(broker, "t", 3)
    partition = broker.replicas.partition("t", 0)
    broker.replicas.clock.now = HOUR_MS
    work(broker, "remove_old_records")
    assert partition.log_start_offset == 0
    broker.replicas.clock.now += 1
    work(broker, "remove_old_records")
    assert (partition.log_start_offset, partition.log_end_offset, partition.high_watermark) == (3, 3, 3)
    deleted = [f"{base:020}.log.deleted" for base in range(3)]
    assert files(broker) == [*deleted, f"{3:020}.log"]
    broker.replicas.clock.now += DELAY_MS - 1
    remove_due(broker)
    assert len(files(broker)) == 4
    broker.replicas.clock.now += 1
    remove_due(broker)
    assert files(broker) == [f"{3:020}.log"]
    # The leader still knows its followers' epoch.
    assert partition.epochs.entries == ((0, 3),)
    produce(broker, "t")
    assert broker.fetch("t", wanted(0, 3)).records is not None


def test_a_log_that_is_too_large_loses_its_oldest_segments() -> None:
    broker = DataBroker()
    topic(broker, retention_bytes="1500000")
    produce(broker, "t", 5)
    work(broker, "remove_old_records")
    assert broker.replicas.partition("t", 0).log_start_offset == 2
    work(broker, "remove_old_records")
    assert broker.replicas.partition("t", 0).log_start_offset == 2


def test_the_brokers_limits_hold_for_topics_without_their_own() -> None:
    broker = DataBroker(log_retention_bytes="0", log_retention_hours="-1")
    topic(broker)
    topic(broker, "own", retention_bytes="-1")
    for name in ("t", "own"):
        produce(broker, name)
    work(broker, "remove_old_records")
    assert broker.replicas.partition("t", 0).log_start_offset == 1
    assert broker.replicas.partition("own", 0).log_start_offset == 0


@pytest.mark.parametrize(("policy", "start"), [("compact", 0), ("compact,delete", 2), ("delete", 2)])
def test_the_policy_has_to_be_to_delete(policy: str, start: int) -> None:
    broker = DataBroker()
    topic(broker, cleanup_policy=policy, retention_bytes="0")
    produce(broker, "t", 2)
    work(broker, "remove_old_records")
    assert broker.replicas.partition("t", 0).log_start_offset == start


def test_what_is_not_committed_stays() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, 0], **{"segment.bytes": "1048576", "retention.bytes": "0"})
    produce(broker, "t", 3)
    broker.replicate("t", 2)
    work(broker, "remove_old_records")
    assert broker.replicas.partition("t", 0).log_start_offset == 2


def test_producers_are_known_after_a_crash_though_retention_has_removed_all_that_they_wrote() -> None:
    broker = DataBroker()
    topic(broker, retention_bytes="0")
    producer = {"producer_id": 7, "producer_epoch": 0, "base_sequence": 0}
    produce(broker, "t", **producer)
    work(broker, "remove_old_records")
    assert checkpoint(broker, RECOVERY_POINTS) == {("t", 0): 1}
    broker.start_again(is_clean=False)
    broker.report()
    produce(broker, "t", **producer)
    assert broker.replicas.partition("t", 0).log_end_offset == 1


def test_the_states_of_producers_are_written_when_retention_begins_a_new_segment() -> None:
    broker = DataBroker()
    topic(broker, retention_bytes="0")
    produce(broker, "t", 2, size=1)
    assert snapshots(broker) == []
    work(broker, "remove_old_records")
    assert (broker.replicas.partition("t", 0).log_start_offset, snapshots(broker)) == (2, [2])


def test_a_log_that_is_not_open_is_passed_over() -> None:
    broker = DataBroker()
    for name in ("closed", "t"):
        topic(broker, name, retention_bytes="0")
        produce(broker, name, 2)
    broker.replicas.disk.fail("write", f"closed-0/{1:020}.log", errno.EMFILE)
    assert broker.produce("closed", batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    for name in ("remove_old_records", "flush"):
        work(broker, name)
    assert broker.replicas.partition("t", 0).log_start_offset == 2


def test_a_log_in_a_directory_that_failed_is_passed_over() -> None:
    broker = DataBroker()
    topic(broker, retention_bytes="0")
    produce(broker, "t", 2)
    before = files(broker)
    broker.replicas.directory_failed(PATH, "EIO")
    work(broker, "remove_old_records")
    assert files(broker) == before


def test_a_log_that_was_closed_while_retention_began_a_new_segment_hears_nothing_of_it() -> None:
    broker = DataBroker()
    topic(broker, retention_bytes="0")
    produce(broker, "t", 2, size=1)
    (hosted,) = broker.replicas.manager.replicas
    broker.replicas.workers.hold()
    work(broker, "remove_old_records")
    broker.replicas.manager.replicas.failed(hosted, OSError(errno.EMFILE, "Too many open files"))
    broker.replicas.workers.release()
    assert files(broker)[-1] == f"{2:020}.log"
    assert (hosted.log, hosted.partition.log_start_offset, snapshots(broker)) == (None, 0, [])


# --- producers ---


def test_producers_that_write_nothing_for_long_are_forgotten() -> None:
    broker = DataBroker(producer_id_expiration_ms="5000")
    topic(broker)
    produce(broker, "t", size=1, producer_id=7, producer_epoch=0, base_sequence=0)
    clock, producers = broker.replicas.clock, broker.replicas.partition("t", 0).producers
    written = clock.now
    clock.now = written + 4999
    work(broker, "expire_producers")
    assert [each.producer_id for each in producers.active()] == [7]
    clock.now = written + 5000
    work(broker, "expire_producers")
    assert list(producers.active()) == []


@pytest.mark.parametrize("way", ["clean start", "start after a crash", "no start"])
def test_a_producer_whose_records_are_old_is_known_as_long_as_any_other(way: str) -> None:
    broker = DataBroker(producer_id_expiration_ms="50000")
    topic(broker)
    clock = broker.replicas.clock
    old_ms = clock.wall_ms() - 7 * 86_400_000

    def send() -> int:
        sent = batch(timestamp_ms=old_ms, producer_id=7, producer_epoch=0, base_sequence=0)
        return int(broker.produce("t", sent).base_offset)

    assert send() == 0
    work(broker, "expire_producers")
    if way != "no start":
        broker.start_again(is_clean=way == "clean start")
        broker.report()
    work(broker, "expire_producers")
    assert send() == 0
    broker.replicas.clock.now += 50_000
    work(broker, "expire_producers")
    assert send() == 1


def test_what_the_coordinator_was_asked_is_forgotten_if_no_records_follow_for_long() -> None:
    broker = DataBroker(producer_id_expiration_ms="5000")
    topic(broker)
    broker.replicas.follow()
    verifications, now_ms = broker.replicas.partition("t", 0).verifications, broker.replicas.clock.wall_ms()
    guard = verifications.begin(7, 0, 0, bumps_epoch=True, leader_epoch=0, now_ms=now_ms)
    for passed_ms, is_known in ((4999, True), (1, False)):
        broker.replicas.clock.now += passed_ms
        work(broker, "expire_producers")
        assert verifications.is_valid(7, guard, 0) is is_known


# --- durability ---


def test_the_recovery_point_moves_when_a_segment_is_rolled() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t", 3)
    assert checkpoint(broker, RECOVERY_POINTS) == {("t", 0): 2}
    assert snapshots(broker) == [2, 3]


def test_logs_are_flushed_after_a_time() -> None:
    broker = DataBroker(log_flush_interval_ms="500")
    topic(broker)
    topic(broker, "never", flush_ms=str(2**63 - 1))
    for name in ("t", "never"):
        produce(broker, name)
    broker.replicas.clock.now += 499
    work(broker, "flush")
    assert checkpoint(broker, RECOVERY_POINTS) == {("t", 0): 0, ("never", 0): 0}
    broker.replicas.clock.now += 1
    work(broker, "flush")
    assert checkpoint(broker, RECOVERY_POINTS) == {("t", 0): 1, ("never", 0): 0}


def test_a_log_is_flushed_again_after_the_same_time() -> None:
    broker = DataBroker(log_flush_interval_ms="500")
    topic(broker)
    broker.replicas.follow()
    for passed_ms, expected in ((500, 1), (499, 1), (1, 3)):
        produce(broker, "t", size=1)
        broker.replicas.clock.now += passed_ms
        work(broker, "flush")
        assert checkpoint(broker, RECOVERY_POINTS) == {("t", 0): expected}


def test_a_new_segment_does_not_delay_the_next_flush() -> None:
    broker = DataBroker(log_flush_interval_ms="500")
    topic(broker)
    produce(broker, "t")
    broker.replicas.clock.now += 400
    produce(broker, "t")
    broker.replicas.clock.now += 100
    work(broker, "flush")
    assert checkpoint(broker, RECOVERY_POINTS) == {("t", 0): 2}


def test_a_log_is_not_flushed_again_before_a_slow_disk_is_done() -> None:
    broker = DataBroker(log_flush_interval_ms="500")
    topic(broker)
    produce(broker, "t")
    (hosted,) = broker.replicas.manager.replicas
    broker.replicas.workers.hold()
    for _ in range(3):
        broker.replicas.clock.now += 500
        work(broker, "flush")
    assert hosted.syncs == 1
    broker.replicas.workers.release()
    assert (hosted.syncs, checkpoint(broker, RECOVERY_POINTS)) == (0, {("t", 0): 1})


def test_so_many_records_are_flushed_at_once() -> None:
    broker = DataBroker()
    topic(broker, flush_messages="2")
    produce(broker, "t", 3, size=1)
    assert checkpoint(broker, RECOVERY_POINTS) == {("t", 0): 2}


def test_a_disk_that_does_not_sync_costs_the_directory() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t")
    broker.replicas.disk.fail("sync", ".log")
    produce(broker, "t")
    assert (
        broker.produce("t", build_batch([NewRecord(None, b"")], base_offset=0, timestamp_ms=1)).error_code
        == 56
    )


def test_each_checkpoint_has_its_offsets() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t", 3)
    broker.replicas.manager.replicas.changes.start_moved(next(iter(broker.replicas.manager.replicas)), 1)
    assert checkpoint(broker, LOG_STARTS) == {("t", 0): 1}
    assert checkpoint(broker, HIGH_WATERMARKS) == {("t", 0): 3}


def test_a_log_that_starts_at_0_is_not_in_the_checkpoint_of_log_starts() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t", 3)
    assert checkpoint(broker, LOG_STARTS) == {}


def test_the_checkpoint_of_high_watermarks_has_what_is_committed() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, 0])
    produce(broker, "t", 3, size=1)
    broker.replicate("t", 2)
    assert checkpoint(broker, HIGH_WATERMARKS) == {("t", 0): 2}


# --- from one start to the next ---


def started_again(broker: DataBroker, *, sees: bool = True, is_other_boot: bool = False) -> BrokerReplicas:
    """A broker that takes over the disk of one that was killed. ``sees``: it has the metadata. ``is_other_boot``: the
    whole machine was, and its disk had everything."""
    disk = broker.replicas.disk
    disk.boots += is_other_boot
    disk.wall_ms = broker.replicas.clock.wall_ms
    again = BrokerReplicas(
        ME,
        lambda: broker.harness.controller.committed_image,
        directory_ids={PATH: directory(ME)},
        disk=disk,
        is_clean=False,
    )
    if sees:
        again.follow()
    return again


def test_a_crash_before_the_metadata_is_there_loses_no_checkpoint() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t", 3)
    broker.replicas.manager.replicas.changes.start_moved(next(iter(broker.replicas.manager.replicas)), 1)
    expected = {name: checkpoint(broker, name) for name in (RECOVERY_POINTS, LOG_STARTS, HIGH_WATERMARKS)}
    again = started_again(broker, sees=False)
    for name, offsets in expected.items():
        again.manager.replicas.write_checkpoint(name)
        assert read_offsets(again.disk, PATH, name) == offsets
    again.workers.hold()
    again.follow()
    # Nor if the logs are not open yet.
    again.workers.are_held = False
    again.manager.replicas.checkpoints._write(directory(ME), LOG_STARTS)
    assert read_offsets(again.disk, PATH, LOG_STARTS) == expected[LOG_STARTS]
    again.workers.release()
    assert again.partition("t", 0).log_start_offset == 1


def test_a_replica_that_is_deleted_before_it_is_found_leaves_the_checkpoints() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t", 3)
    checkpoint(broker, HIGH_WATERMARKS)
    again = started_again(broker, sees=False)
    again.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    assert read_offsets(again.disk, PATH, HIGH_WATERMARKS) == {("t", 0): 3}
    delete_topic(broker, "t")
    again.follow()
    assert read_offsets(again.disk, PATH, HIGH_WATERMARKS) == {}


def test_a_topic_that_is_made_again_starts_at_0() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t", 3)
    broker.replicas.manager.replicas.changes.start_moved(next(iter(broker.replicas.manager.replicas)), 2)
    checkpoint(broker, LOG_STARTS)
    again = started_again(broker)
    assert again.partition("t", 0).log_start_offset == 2
    delete_topic(broker, "t")
    again.follow()
    topic(broker)
    again.follow()
    assert again.partition("t", 0).log_start_offset == again.partition("t", 0).log_end_offset == 0


def test_high_watermarks_are_written_before_appends_to_a_log_that_lost_its_end_with_the_machine() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t", 3, size=1)
    assert checkpoint(broker, HIGH_WATERMARKS) == {("t", 0): 3}
    broker.replicas.disk.open(f"{PATH}/t-0/{0:020}.log").truncate(100)
    again = started_again(broker, is_other_boot=True)
    assert again.partition("t", 0).log_end_offset == 1
    assert read_offsets(again.disk, PATH, HIGH_WATERMARKS) == {("t", 0): 1}


def test_segments_behind_damage_are_removed_a_while_after_the_start() -> None:
    broker = DataBroker()
    topic(broker, file_delete_delay_ms=str(DELAY_MS))
    produce(broker, "t", 3)
    broker.replicas.disk.open(f"{PATH}/t-0/{1:020}.log").truncate(70)
    again = started_again(broker, is_other_boot=True)
    assert again.partition("t", 0).log_end_offset == 1
    kept, deleted = [f"{base:020}.log" for base in range(2)], f"{2:020}.log.deleted"
    assert files(broker) == [*kept, deleted]
    again.clock.now += DELAY_MS
    again.manager.replicas.removals.remove_due()
    assert files(broker) == kept


@pytest.mark.parametrize("are_cut", [False, True])
def test_logs_that_open_have_checkpoints_written_once_and_only_if_those_promise_too_much(
    are_cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker may have 10,000 replicas, and each checkpoint has all of them."""
    broker = DataBroker()
    broker.topic("t", [ME], [ME], [ME])
    for index in range(3):
        assert broker.produce("t", batch(), index).error_code == 0
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    disk = broker.replicas.disk
    disk.boots += 1
    if are_cut:
        for index in range(3):
            disk.open(f"{PATH}/t-{index}/{0:020}.log").truncate(0)
    written: list[str] = []
    before = disk.before

    def noted(operation: str, path: str) -> None:
        if operation == "rename" and "checkpoint" in path:
            written.append(path)
        before(operation, path)

    monkeypatch.setattr(disk, "before", noted)
    broker.start(is_clean=False)
    broker.replicas.workers.hold()
    broker.replicas.follow()
    while broker.replicas.workers.do_one(lambda lanes: 0):
        pass
    assert [broker.replicas.partition("t", index).log_end_offset for index in range(3)] == [not are_cut] * 3
    assert written == [f"{PATH}/{HIGH_WATERMARKS}.tmp"] * are_cut


def test_log_starts_are_written_before_appends_to_a_log_that_begins_earlier_again() -> None:
    broker = DataBroker()
    topic(broker)
    broker.replicas.follow()
    replicas = broker.replicas.manager.replicas
    (hosted,) = replicas
    assert hosted.log is not None
    for _ in range(2):
        produce(broker, "t", 3)
        replicas.changes.start_moved(hosted, hosted.log.move_start_to(2))
        assert checkpoint(broker, LOG_STARTS) == {("t", 0): 2}
        # The leader that an unclean election chose has less.
        replicas.changes.was_cut(hosted, hosted.log.truncate_fully_to(1, TIMESTAMP_MS))
        assert read_offsets(broker.replicas.disk, PATH, LOG_STARTS) == {("t", 0): 1}


def test_the_checkpoint_of_log_starts_names_no_log_that_begins_at_0() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t", 1)
    assert checkpoint(broker, LOG_STARTS) == {}


def test_what_is_to_be_made_durable_is_asked_between_two_changes_of_a_log() -> None:
    broker = DataBroker()
    topic(broker)
    produce(broker, "t", 3, size=1)
    replicas = broker.replicas.manager.replicas
    (hosted,) = replicas
    assert hosted.log is not None
    lane, held = hosted.lane, HeldJobs()
    hosted.lane = held
    replicas.changes.make_durable(hosted, with_active=True)
    # As if the log's thread were doing this.
    replicas.changes.was_cut(hosted, hosted.log.truncate_to(1, TIMESTAMP_MS))
    hosted.lane = lane
    for job in held.waiting:
        lane.put(job)
    assert checkpoint(broker, RECOVERY_POINTS) == {("t", 0): 1}
    assert not hosted.syncs


# --- deleted replicas ---


def test_the_directory_of_a_deleted_replica_is_removed_after_a_delay() -> None:
    broker = DataBroker(log_segment_delete_delay_ms="5000")
    topic(broker)
    produce(broker, "t")
    broker.replicas.disk.make_directory(f"{PATH}/old-0.{'ab' * 16}-stray")
    delete_topic(broker, "t")
    broker.replicas.follow()
    (deleted,) = [name for name in broker.replicas.disk.list_directory(PATH) if name.endswith("-delete")]
    broker.replicas.clock.now += 4999
    remove_due(broker)
    assert deleted in broker.replicas.disk.list_directory(PATH)
    # What a stop leaves behind, the next run removes after the same delay; strays stay.
    again = started_again(broker)
    again.manager.replicas.removals.remove_due()
    assert deleted in again.disk.list_directory(PATH)
    again.clock.now += 60_000
    again.manager.replicas.removals.remove_due()
    names = again.disk.list_directory(PATH)
    assert deleted not in names
    assert [name for name in names if name.endswith("-stray")]


def test_a_file_that_cannot_be_removed_costs_the_directory() -> None:
    broker = DataBroker(log_segment_delete_delay_ms="0")
    topic(broker)
    produce(broker, "t")
    delete_topic(broker, "t")
    broker.replicas.follow()
    broker.replicas.disk.fail("remove", ".log")
    remove_due(broker)
    assert [path for path, _ in broker.replicas.manager.directory_failures.waiting] == [PATH]


def test_segments_that_a_cut_takes_are_removed_a_while_later() -> None:
    broker = DataBroker()
    topic(broker, file_delete_delay_ms=str(DELAY_MS))
    produce(broker, "t", 3)
    replicas = broker.replicas.manager.replicas
    (hosted,) = replicas
    assert hosted.log is not None
    replicas.changes.was_cut(hosted, hosted.log.truncate_to(1, TIMESTAMP_MS))
    kept = [each for each in files(broker) if not each.endswith(".deleted")]
    assert len(files(broker)) > len(kept)
    broker.replicas.clock.now += DELAY_MS
    remove_due(broker)
    assert files(broker) == kept


def test_a_removal_that_comes_too_late_does_no_harm() -> None:
    broker = DataBroker()
    topic(broker, retention_bytes="0")
    produce(broker, "t", 2)
    work(broker, "remove_old_records")
    delete_topic(broker, "t")
    broker.replicas.follow()
    broker.replicas.clock.now += 10**9
    remove_due(broker)
    assert [name for name in broker.replicas.disk.list_directory(PATH) if name.startswith("t-0")] == []


@pytest.mark.trio
async def test_files_are_removed_in_their_time_whatever_was_waited_for_before(
    autojump_clock: MockClock,
) -> None:
    disk, directory_id = MemoryDisk(), directory(ME)
    disk.make_directory(PATH)
    for name in ("first", "second"):
        disk.open(f"{PATH}/{name}", create=True).close()
    lanes = {directory_id: DiskLane(ImmediateWorkers())}
    removals = Removals(disk, TrioClock(), lanes, lambda *_: None, lambda _: True)
    async with running(removals.run):
        removals.later(directory_id, [f"{PATH}/second"], 60_000)
        await wait_all_tasks_blocked()
        removals.later(directory_id, [f"{PATH}/first"], 1_000)
        left = []
        for seconds in (0.9, 0.2, 58.8, 0.2):
            await trio.sleep(seconds)
            left.append(disk.list_directory(PATH))
    assert left == [["first", "second"], ["second"], ["second"], []]


@pytest.mark.trio
async def test_each_work_is_done_again_and_again_after_its_interval(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    intervals = {
        "log.retention.check.interval.ms": 300,
        "log.flush.scheduler.interval.ms": 400,
        "producer.id.expiration.check.interval.ms": 700,
        "replica.high.watermark.checkpoint.interval.ms": 600,
        "log.flush.offset.checkpoint.interval.ms": 0,
        "log.flush.start.offset.checkpoint.interval.ms": 2**60,
        "log.initial.task.delay.ms": 100,
    }
    done: dict[str, list[int]] = {}

    def note(name: str) -> None:
        done.setdefault(name, []).append(TrioClock().now_ms())

    def rounds(name: str) -> Callable[[object], Iterator[None]]:
        def work(_: object) -> Iterator[None]:
            note(name)
            yield

        return work

    for name in ("remove_old_records", "flush", "expire_producers"):
        monkeypatch.setattr(Maintenance, name, rounds(name))
    replicas = SimpleNamespace(write_checkpoint=note)
    configs = NodeConfigs(static={key: str(value) for key, value in intervals.items()})
    made = Maintenance(cast(Any, replicas), cast(Any, None), lambda: configs, lambda hosted: None)
    with trio.move_on_after(1.45):
        await made.run()
    # An interval of 0 is 1 ms.
    assert done.pop(RECOVERY_POINTS) == list(range(100, 1451))
    assert done == {
        "remove_old_records": [100, 400, 700, 1000, 1300],
        "flush": [100, 500, 900, 1300],
        "expire_producers": [700, 1400],
        HIGH_WATERMARKS: [600, 1200],
        LOG_STARTS: [100],
    }


@pytest.mark.trio
async def test_other_tasks_run_while_many_replicas_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintenance, "REPLICAS_PER_TURN", 3)
    made = Maintenance(cast(Any, None), cast(Any, None), lambda: cast(Any, None), lambda hosted: None)
    turns, seen = Turns(), []

    def work() -> Iterator[None]:
        for _ in range(30):
            seen.append(turns.count)
            yield

    async with trio.open_nursery() as nursery:
        nursery.start_soon(turns.run)
        await made._in_parts(work)
        nursery.cancel_scope.cancel()
    assert len(seen) == 30
    # Trio runs ready tasks in any order. Between one part and the next but one, each other task has run.
    assert len(set(seen)) >= 5
    assert max(seen.count(each) for each in set(seen)) <= 7
