"""Logs that are cut, closed and opened again, and checkpoints that cannot be written.

Tests: `shell.replicas.files.hosted_logs`, `shell.replicas.files.hosted_replicas`.
"""

from __future__ import annotations

import errno

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteTopicsRequest
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.storage.log.topic_log import TopicLog
from kafkaproto_server.shell.storage.log.unsynced import Unsynced
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    RECOVERY_POINTS,
    read_offsets,
)
from tests.apis.support.data_broker import ME, OTHER, THIRD, DataBroker, batch
from tests.apis.support.replicas import PATH, BrokerReplicas
from tests.core.controller.support.harness import TIMESTAMP_MS
from tests.sim.disk import MemoryDisk, MemoryFile


def test_checkpoints_that_cost_too_many_descriptors_do_not_cost_the_directory() -> None:
    broker = BrokerReplicas(1, ClusterImage)
    manager, disk = broker.manager, broker.disk
    disk.remove(f"{PATH}/{RECOVERY_POINTS}")
    disk.fail("create", ".tmp", errno.EMFILE)
    manager.replicas.write_checkpoint(RECOVERY_POINTS)
    assert not manager.directory_failures.waiting
    assert not disk.exists(f"{PATH}/{RECOVERY_POINTS}")
    manager.replicas.write_checkpoint(RECOVERY_POINTS)
    assert disk.exists(f"{PATH}/{RECOVERY_POINTS}")
    disk.fail("create", ".tmp", errno.EIO)
    manager.replicas.write_checkpoint(RECOVERY_POINTS)
    assert [path for path, _ in manager.directory_failures.waiting] == [PATH]


def test_a_cut_takes_back_what_producers_wrote_behind_it() -> None:
    broker = DataBroker()
    broker.topic("t")
    for sequence in range(3):
        sent = build_batch(
            [NewRecord(key=b"k", value=b"v")],
            base_offset=0,
            timestamp_ms=TIMESTAMP_MS,
            producer_id=7,
            producer_epoch=0,
            base_sequence=sequence,
        )
        assert broker.produce("t", sent).error_code == 0
    replicas = broker.replicas.manager.replicas
    (hosted,) = replicas
    assert hosted.log is not None
    replicas.changes.was_cut(hosted, hosted.log.truncate_to(1, TIMESTAMP_MS))
    assert [each.last_sequence for each in hosted.partition.producers.active()] == [0]


def test_checkpoints_say_all_again_once_a_log_whose_cut_failed_is_open() -> None:
    broker = DataBroker()
    broker.topic("t")
    for _ in range(3):
        assert broker.produce("t", batch()).error_code == 0
    replicas = broker.replicas.manager.replicas
    (hosted,) = replicas
    hosted.partition.log_start_moved(2, now_ms=broker.replicas.clock.now)
    replicas.changes.will_be_cut(hosted, 1)
    offsets = hosted.offsets()
    assert (offsets.high_watermark, offsets.log_start_offset) == (1, 1)
    replicas.failed(hosted, OSError(errno.EMFILE, "no descriptors"))
    broker.replicas.clock.now += OPENED_AGAIN_MS
    broker.replicas.call_due()
    assert hosted.log is not None
    assert hosted.offsets().high_watermark == 3


LOG = f"t-0/{0:020}.log"
OPENED_AGAIN_MS = 100
"""After so long a log is opened again that ran short once."""


def running_short() -> DataBroker:
    """The log of t-0 was closed since it lacked descriptors."""
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    run_short(broker)
    return broker


def run_short(broker: DataBroker) -> None:
    broker.replicas.disk.fail("write", LOG, errno.EMFILE)
    assert broker.produce("t", batch(b"lost")).error_code == ErrorCode.KAFKA_STORAGE_ERROR


def delete(broker: DataBroker) -> None:
    topics = [DeleteTopicsRequest.DeleteTopicState(name="t")]
    broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
    broker.replicas.follow()


def test_a_start_knows_the_high_watermark_of_the_checkpoint() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    broker.report()
    for value in (b"a", b"b", b"c"):
        assert broker.produce("t", batch(value)).error_code == 0
    broker.replicate("t", 2)
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    broker.start_again(is_clean=False)
    broker.report()
    partition = broker.replicas.partition("t", 0)
    assert (partition.high_watermark, partition.log_end_offset) == (2, 3)


@pytest.mark.parametrize("is_clean", [True, False], ids=["stopped", "killed"])
def test_a_start_reads_all_of_a_log_only_if_it_was_not_closed_in_order(
    is_clean: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    for _ in range(10):
        assert broker.produce("t", batch(bytes(100_000))).error_code == 0
    broker.start_again(is_clean=is_clean)
    read_bytes = 0
    read_at = MemoryFile.read_at

    def counted(file: MemoryFile, position: int, length: int) -> bytes:
        nonlocal read_bytes
        found = read_at(file, position, length)
        read_bytes += len(found)
        return found

    monkeypatch.setattr(MemoryFile, "read_at", counted)
    broker.report()
    assert broker.replicas.partition("t", 0).log_end_offset == 10
    # Of a log that was closed in order, its first and last batches have to confirm the indexes.
    assert (read_bytes < 500_000) is is_clean


def test_what_was_committed_while_a_log_was_closed_stays_so() -> None:
    """A follower that lags leaves the ISR, which takes until the log of the leader is closed."""
    broker = DataBroker()
    broker.topic("t", [ME, OTHER, THIRD])
    broker.report()
    for value in (b"a", b"b"):
        assert broker.produce("t", batch(value)).error_code == 0
    broker.replicate("t", 1)
    broker.replicate("t", 2, THIRD)
    broker.replicas.pass_time(60_000)
    partition = broker.replicas.partition("t", 0)
    partition.maybe_shrink_isr(broker.replicas.clock.now_ms())
    change = partition.isr_change
    assert change is not None
    run_short(broker)
    assert partition.high_watermark == 1
    epochs = broker.harness.image.brokers
    broker.harness.alter_partition("t", isr=[(each, epochs[each].epoch) for each in (ME, THIRD)])
    epoch = broker.harness.partition("t").partition_epoch
    now_ms = broker.replicas.clock.now_ms()
    partition.isr_accepted(change, isr=(ME, THIRD), partition_epoch=epoch, now_ms=now_ms)
    assert partition.high_watermark == 2
    # The leader's session ends before its log is open again.
    broker.harness.heartbeat(ME, want_fence=True)
    broker.replicas.follow()
    broker.replicas.pass_time(OPENED_AGAIN_MS)
    assert (partition.role, partition.leader_id, partition.high_watermark) == (Role.FOLLOWER, THIRD, 2)


def test_a_log_that_is_opened_in_a_directory_that_has_just_failed_stays_offline() -> None:
    broker = running_short()
    broker.replicas.workers.hold()
    broker.replicas.pass_time(OPENED_AGAIN_MS)
    assert not broker.replicas.manager.are_open
    broker.replicas.directory_failed(PATH, "EIO")
    broker.replicas.workers.release()
    assert broker.replicas.manager.are_open
    assert broker.replicas.partition("t", 0).role is Role.OFFLINE
    assert broker.produce("t", batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR


def test_a_log_that_cannot_be_opened_keeps_the_broker_waiting_no_longer() -> None:
    """The broker would never count as started."""
    broker = DataBroker()
    broker.replicas.workers.hold()
    broker.replicas.disk.fail("create", LOG, errno.EIO)
    broker.topic("t", [ME])
    broker.replicas.follow()
    assert not broker.replicas.manager.are_open
    broker.replicas.workers.release()
    assert broker.replicas.partition("t", 0).role is Role.OFFLINE
    assert broker.replicas.manager.are_open


def test_a_new_broker_waits_until_its_directory_shows_that_it_ran() -> None:
    """Otherwise a replica could come whose loss nothing shows."""
    disk = MemoryDisk()
    broker = BrokerReplicas(1, ClusterImage, disk=disk)
    broker.workers.hold()
    broker.follow()
    assert not broker.manager.are_open
    broker.workers.release()
    assert broker.manager.are_open
    assert disk.exists(f"{PATH}/{RECOVERY_POINTS}")


def test_what_a_start_cuts_off_a_log_after_a_crash_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    file = broker.replicas.disk.open(f"{PATH}/{LOG}")
    file.append([batch(b"b")[:20]])
    file.close()
    broker.start_again(is_clean=False)
    broker.report()
    assert broker.replicas.partition("t", 0).log_end_offset == 1
    assert "cut 20 bytes of an unfinished append off" in caplog.text


def test_a_replica_that_is_deleted_while_its_log_runs_short_is_not_opened_again() -> None:
    broker = DataBroker()
    broker.replicas.workers.hold()
    broker.topic("t", [ME])
    broker.replicas.follow()
    delete(broker)
    broker.replicas.disk.fail("create", LOG, errno.EMFILE)
    broker.replicas.workers.release()
    assert broker.replicas.disk.failures["create"] == 1
    broker.replicas.pass_time(10_000)
    assert list(broker.replicas.manager.replicas) == []


def test_a_replica_whose_directory_could_not_be_made_can_be_deleted() -> None:
    broker = DataBroker()
    broker.replicas.disk.fail("create", "/t-0", errno.EMFILE)
    broker.topic("t", [ME])
    broker.replicas.follow()
    assert not broker.replicas.disk.exists(f"{PATH}/t-0")
    delete(broker)
    assert list(broker.replicas.manager.replicas) == []
    assert not broker.replicas.manager.directory_failures.waiting


@pytest.mark.parametrize("is_stopping", [True, False], ids=["stop", "failed directory"])
def test_no_log_is_opened_again_during_a_stop_or_in_a_failed_directory(is_stopping: bool) -> None:
    broker = running_short()
    if is_stopping:
        broker.replicas.stop()
    else:
        broker.replicas.directory_failed(PATH, "EIO")
    broker.replicas.workers.hold()
    broker.replicas.pass_time(10_000)
    assert broker.replicas.manager.are_open


def test_a_reader_of_the_former_log_says_nothing_of_the_one_in_its_place() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    (hosted,) = broker.replicas.manager.replicas
    former = hosted.log
    assert former is not None
    run_short(broker)
    broker.replicas.pass_time(OPENED_AGAIN_MS)
    broker.replicas.manager.replicas.read_failed(hosted, former, OSError(errno.EIO, "a broken disk"))
    assert hosted.partition.role is Role.LEADER
    assert not broker.replicas.manager.directory_failures.waiting


def test_a_reader_that_runs_short_costs_the_log_nothing() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    broker.replicas.disk.fail("read", LOG, errno.EMFILE)
    assert broker.fetch("t").error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert (broker.fetch("t").error_code, broker.produce("t", batch(b"b")).error_code) == (0, 0)


def test_a_log_that_could_not_be_closed_does_not_count_as_durable_to_its_end() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    broker.replicas.disk.fail("create", ".snapshot.tmp", errno.EMFILE)
    broker.replicas.stop()
    assert broker.replicas.disk.failures["create"] == 1
    assert read_offsets(broker.replicas.disk, PATH, RECOVERY_POINTS) == {("t", 0): 0}


def test_a_log_that_is_not_open_yet_at_a_stop_keeps_its_recovery_point() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    broker.start_again()
    broker.replicas.workers.hold()
    broker.replicas.follow()
    broker.replicas.stop()
    broker.replicas.workers.release()
    assert read_offsets(broker.replicas.disk, PATH, RECOVERY_POINTS) == {("t", 0): 1}


def test_a_log_that_was_closed_meanwhile_is_not_made_durable(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    replicas, disk = broker.replicas.manager.replicas, broker.replicas.disk
    (hosted,) = replicas
    synced: list[str] = []
    before = disk.before

    def noted(operation: str, path: str) -> None:
        if operation == "sync":
            synced.append(path)
        before(operation, path)

    monkeypatch.setattr(disk, "before", noted)
    broker.replicas.workers.hold()
    replicas.changes.make_durable(hosted, with_active=True)
    replicas.failed(hosted, OSError(errno.EMFILE, "Too many open files"))
    broker.replicas.workers.release()
    assert (hosted.log, hosted.syncs, synced) == (None, 0, [])


def test_a_log_that_was_closed_during_its_sync_hears_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would write its epochs over those of the log that was opened in its place."""
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    replicas = broker.replicas.manager.replicas
    (hosted,) = replicas
    heard: list[Unsynced] = []
    monkeypatch.setattr(TopicLog, "was_synced", lambda log, unsynced: heard.append(unsynced))
    broker.replicas.workers.hold()
    replicas.changes.make_durable(hosted, with_active=True)
    # It is known what to sync.
    assert broker.replicas.workers.do_one(lambda lanes: 0)
    replicas.failed(hosted, OSError(errno.EMFILE, "Too many open files"))
    broker.replicas.workers.release()
    assert (heard, hosted.syncs) == ([], 0)


def test_the_start_of_a_log_that_was_closed_meanwhile_has_not_moved() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    replicas = broker.replicas.manager.replicas
    (hosted,) = replicas
    told: list[str] = []
    broker.replicas.workers.hold()
    replicas.changes.move_start(hosted, 1, lambda: told.append("moved"), lambda: told.append("failed"))
    replicas.failed(hosted, OSError(errno.EMFILE, "Too many open files"))
    broker.replicas.workers.release()
    assert (told, hosted.partition.log_start_offset) == (["failed"], 0)


def test_a_log_that_runs_short_before_a_sync_does_not_wait_for_that_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It would never be flushed again, nor move."""
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    replicas = broker.replicas.manager.replicas
    (hosted,) = replicas

    def fail(log: TopicLog, *, with_active: bool) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(TopicLog, "unsynced", fail)
    replicas.changes.make_durable(hosted, with_active=True)
    assert (hosted.log, hosted.syncs) == (None, 0)


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOMEM, errno.ENOBUFS])
def test_a_sync_that_fails_costs_the_directory_whatever_the_reason(code: int) -> None:
    """Nobody knows what the disk holds after it."""
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    (hosted,) = broker.replicas.manager.replicas
    broker.replicas.disk.fail("sync", LOG, code)
    broker.replicas.manager.replicas.changes.make_durable(hosted, with_active=True)
    assert [path for path, _ in broker.replicas.manager.directory_failures.waiting] == [PATH]


def test_a_log_that_failed_while_it_was_cut_leads_once_it_is_open_again() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    (hosted,) = broker.replicas.manager.replicas
    hosted.is_being_cut = True
    broker.replicas.manager.replicas.failed(hosted, OSError(errno.EMFILE, "Too many open files"))
    broker.replicas.pass_time(OPENED_AGAIN_MS)
    assert broker.produce("t", batch()).error_code == 0


def test_a_log_that_is_opened_again_does_not_count_as_durable_to_its_end() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    run_short(broker)
    broker.replicas.pass_time(OPENED_AGAIN_MS)
    broker.replicas.manager.replicas.write_checkpoint(RECOVERY_POINTS)
    assert read_offsets(broker.replicas.disk, PATH, RECOVERY_POINTS) == {("t", 0): 0}


@pytest.mark.parametrize("reason", ["ran short", "deleted", "deleted while it was opened"])
def test_a_log_that_is_given_up_keeps_no_file_open(reason: str) -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    disk = broker.replicas.disk
    of_the_killed: list[object] = []
    if reason == "deleted while it was opened":
        of_the_killed = [*disk.open_files]
        broker.start(is_clean=False)
        broker.replicas.workers.hold()
        broker.replicas.follow()
    if reason == "ran short":
        run_short(broker)
    else:
        delete(broker)
    broker.replicas.workers.release()
    assert [*disk.open_files] == of_the_killed


def test_a_log_that_is_closed_for_a_shortage_is_unread_after_a_crash() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"a")).error_code == 0
    broker.start_again(is_clean=False)
    broker.report()
    run_short(broker)
    broker.replicas.stop()
    assert broker.replicas.manager.replicas.clean_stop.unread_directories == {*broker.directory_ids.values()}


@pytest.mark.parametrize("has_directories", [True, False])
def test_a_stop_ends_when_the_logs_of_all_directories_are_closed(
    has_directories: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = DataBroker(directories=2)
    broker.topic("t", [ME], [ME])
    broker.report()
    replicas = broker.replicas.manager.replicas
    if not has_directories:
        monkeypatch.setattr(replicas.directories, "lanes", {})
    broker.replicas.workers.hold()
    ended: list[bool] = []
    replicas.clean_stop.begin(lambda: ended.append(True))
    assert ended == [True] * (not has_directories)
    broker.replicas.workers.release()
    assert ended == [True]
