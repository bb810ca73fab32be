"""What AlterReplicaLogDirs asks for while a replica moves already, is not open, or a directory has failed."""

from __future__ import annotations

import errno

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteRecordsRequest
from kafkaproto_server.shell.replicas.files import move_steps
from kafkaproto_server.shell.storage.errors import CorruptFileError
from kafkaproto_server.shell.storage.log.copying import Unreadable
from kafkaproto_server.shell.storage.offset_checkpoints import LOG_STARTS, RECOVERY_POINTS, read_offsets
from tests.apis.support.data_broker import ME, DataBroker, batch
from tests.core.controller.support.harness import TIMESTAMP_MS
from tests.shell.replicas.files.test_moves import LOG, alter, described, move, moving, names, recorded, values
from tests.shell.replicas.files.test_moves_that_end import settling

# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("index", "longest"), [(0, 213), (10, 212)])
def test_a_replica_moves_if_the_name_of_its_copy_is_not_too_long(index: int, longest: int) -> None:
    broker = DataBroker(directories=2)
    fitting, long = "x" * longest, "x" * (longest + 1)
    for name in (fitting, long):
        broker.topic(name, *[[ME]] * (index + 1))
    broker.report()
    path = next(each for each in broker.directory_ids if f"{fitting}-{index}" not in names(broker, each))
    assert alter(broker, (path, fitting, index), (path, long, index)) == [
        0,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
    ]
    broker.report()
    assert f"{fitting}-{index}" in names(broker, path)


# -- directories that have failed ------------------------------------------------------------------------------------


def test_no_new_replica_is_wanted_in_a_directory_that_has_failed() -> None:
    broker = moving()
    broker.replicas.log_directories.fail("/logs1", "EIO")
    assert alter(broker, ("/logs1", "new", 0)) == [ErrorCode.KAFKA_STORAGE_ERROR]


def test_no_move_begins_while_another_directory_may_have_a_copy() -> None:
    broker = DataBroker(directories=3)
    broker.topic("t", [ME])
    broker.report()
    broker.replicas.log_directories.fail("/logs2", "EIO")
    assert alter(broker, ("/logs1", "t", 0)) == [ErrorCode.KAFKA_STORAGE_ERROR]
    assert names(broker, "/logs1") == []


def test_a_replica_does_not_move_from_a_directory_that_is_about_to_be_offline() -> None:
    broker = moving()
    broker.replicas.disk.fail("write", f"logs/t-0/{LOG}", errno.EIO)
    assert broker.produce("t", batch(b"d")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert not broker.replicas.log_directories.has_offline
    assert alter(broker, ("/logs1", "t", 0)) == [ErrorCode.KAFKA_STORAGE_ERROR]
    assert names(broker, "/logs1") == []


# -- replicas that are not open, or not here -------------------------------------------------------------------------


def test_a_replica_whose_log_is_being_opened_does_not_move() -> None:
    broker = moving()
    broker.replicas.workers.hold()
    broker.topic("new", [ME])
    broker.replicas.follow()
    assert alter(broker, ("/logs", "new", 0)) == [ErrorCode.REPLICA_NOT_AVAILABLE]
    broker.replicas.workers.release()
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["new-0"])


def test_a_replica_that_is_offline_is_wanted_in_no_directory() -> None:
    broker = moving()
    manager = broker.replicas.manager
    manager.replicas.offline.add((broker.topic("new", [ME]), 0))
    assert manager.alter_directory("new", 0, "/logs") is ErrorCode.KAFKA_STORAGE_ERROR
    # It turns out where it belongs. The other directory has fewer replicas.
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["new-0"])


def test_a_copy_is_described_once_it_is_open() -> None:
    broker = moving()
    broker.replicas.workers.hold()
    move(broker)
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}
    broker.replicas.workers.release()
    assert described(broker) == {"/logs": [(0, False)], "/logs1": [(0, True)]}


# -- orders that follow each other -----------------------------------------------------------------------------------


def test_the_same_order_again_lets_the_move_go_on() -> None:
    broker = moving()
    move(broker)
    move(broker)
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-future"])
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])


def test_the_last_of_the_orders_that_come_too_late_to_stop_a_move_counts() -> None:
    broker = moving()
    move(broker)
    settling(broker)
    move(broker, "/logs")
    move(broker)
    broker.replicas.workers.release()
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert (recorded(broker), values(broker)) == ("/logs1", [b"a", b"b", b"c"])


def test_an_order_that_came_too_late_to_stop_a_move_outlives_the_failure_of_the_log() -> None:
    broker = moving()
    move(broker)
    settling(broker)
    move(broker, "/logs")
    (hosted,) = broker.replicas.manager.replicas
    broker.replicas.manager.replicas.failed(hosted, OSError(errno.EMFILE, "Too many open files"))
    broker.replicas.workers.release()
    for _ in range(20):
        broker.replicas.pass_time(200)
    broker.report()
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}
    assert (recorded(broker), values(broker)) == ("/logs", [b"a", b"b", b"c"])


# -- what is cut off, and deleted ------------------------------------------------------------------------------------


def test_a_copy_that_was_cut_is_prepared_again() -> None:
    """Otherwise what follows counts as durable before it is."""
    broker = moving()
    move(broker)
    (hosted,) = broker.replicas.manager.replicas
    assert hosted.log is not None
    manager, disk = broker.replicas.manager, broker.replicas.disk
    assert read_offsets(disk, "/logs1", RECOVERY_POINTS) == {("t", 0): 3}
    manager.replicas.changes.was_cut(hosted, hosted.log.truncate_to(1, 0))
    manager._was_cut(hosted)
    assert described(broker) == {"/logs": [(0, False)], "/logs1": [(0, True)]}
    assert read_offsets(disk, "/logs1", RECOVERY_POINTS) == {("t", 0): 1}


def delete_records(broker: DataBroker, offset: int) -> None:
    partition = DeleteRecordsRequest.DeleteRecordsPartition(partition_index=0, offset=offset)
    topic = DeleteRecordsRequest.DeleteRecordsTopic(name="t", partitions=[partition])
    broker.ask(DeleteRecordsRequest(topics=[topic], timeout_ms=1000), 2)


def test_segments_that_are_deleted_are_deleted_in_the_copy_as_well() -> None:
    broker = DataBroker(directories=2)
    broker.topic("t", [ME], **{"segment.ms": "1000"})
    broker.report()
    for number in range(3):
        sent = batch(b"v", timestamp_ms=TIMESTAMP_MS - 100_000 + 2_000 * number)
        assert broker.produce("t", sent).error_code == 0
    move(broker)
    delete_records(broker, 2)
    broker.replicas.pass_time(move_steps.WAIT_MS)
    broker.replicas.manager.replicas.removals.remove_due()
    disk = broker.replicas.disk
    (copy,) = (each for each in disk.list_directory("/logs1") if each.endswith("-future"))
    found = [each for each in disk.list_directory(f"/logs1/{copy}") if ".log" in each]
    assert found == [f"{2:020}.log"]


def test_a_copy_of_which_nothing_is_left_is_prepared_again() -> None:
    """Otherwise records that were deleted would be back after a crash in the middle of the switch."""
    broker = moving()
    move(broker)
    for value in (b"d", b"e"):
        assert broker.produce("t", batch(value)).error_code == 0
    delete_records(broker, 5)
    broker.replicas.pass_time(move_steps.WAIT_MS)
    assert read_offsets(broker.replicas.disk, "/logs1", LOG_STARTS) == {("t", 0): 5}
    broker.report()
    assert (names(broker, "/logs1"), values(broker)) == (["t-0"], [])


def test_a_copy_follows_its_replica_while_it_waits_for_the_controllers() -> None:
    broker = moving()
    move(broker)
    for value in (b"d", b"e"):
        assert broker.produce("t", batch(value)).error_code == 0
        assert described(broker)["/logs1"] == [(1, True)]
        broker.replicas.pass_time(move_steps.WAIT_MS)
        assert described(broker)["/logs1"] == [(0, True)]


# -- what ends a move ------------------------------------------------------------------------------------------------


def test_a_move_that_is_given_up_ends_after_the_job_that_is_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = moving()
    discarded: list[str] = []
    replicas = broker.replicas.manager.replicas
    monkeypatch.setattr(replicas.unused, "discard", lambda directory_id, path, *more: discarded.append(path))
    broker.replicas.workers.hold()
    move(broker)
    assert broker.replicas.workers.do_one(lambda count: 0)
    # The copy is open, and gets its first slice.
    move(broker, "/logs")
    assert not discarded
    broker.replicas.workers.release()
    assert len(discarded) == 1


def test_what_a_move_that_was_given_up_could_not_read_is_of_no_interest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = moving()
    unreadable = Unreadable(CorruptFileError(f"/logs/t-0/{LOG}", "is damaged"))
    monkeypatch.setattr(move_steps, "copy_slice", lambda *arguments, **named: unreadable)
    broker.replicas.workers.hold()
    move(broker)
    assert broker.replicas.workers.do_one(lambda count: 0)
    move(broker, "/logs")
    broker.replicas.workers.release()
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-delete"])
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}


def test_a_move_that_was_given_up_ends_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another copy may have its name by then."""
    broker = moving()
    discarded: list[str] = []
    replicas = broker.replicas.manager.replicas
    monkeypatch.setattr(replicas.unused, "discard", lambda directory_id, path, *more: discarded.append(path))
    move(broker)
    move(broker, "/logs")
    broker.replicas.pass_time(move_steps.WAIT_MS)
    assert len(discarded) == 1


def test_a_move_holds_producers_back_as_often_as_it_has_to() -> None:
    broker = moving()
    move(broker)
    (hosted,) = broker.replicas.manager.replicas
    broker.replicas.workers.hold()
    broker.report()
    # A flush begins while the jobs end that were put before.
    hosted.syncs += 1
    broker.replicas.workers.release()
    assert broker.produce("t", batch(b"d")).error_code == 0
    assert names(broker, "/logs1") == ["t-0-future"]
    hosted.syncs -= 1
    for _ in range(2):
        broker.replicas.pass_time(move_steps.WAIT_MS)
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"a", b"b", b"c", b"d"]


def test_a_move_that_has_to_wait_does_not_hold_producers_back() -> None:
    broker = moving()
    move(broker)
    (hosted,) = broker.replicas.manager.replicas
    former = hosted.image
    broker.replicas.workers.hold()
    broker.report()
    # The controllers have another directory before the jobs end that were put before.
    recorded_image, hosted.image = hosted.image, former
    broker.replicas.workers.release()
    assert broker.produce("t", batch(b"d")).error_code == 0
    assert names(broker, "/logs1") == ["t-0-future"]
    hosted.image = recorded_image
    broker.replicas.pass_time(move_steps.WAIT_MS)
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"a", b"b", b"c", b"d"]


def test_a_copy_that_cannot_be_opened_ends_the_move_and_the_directory() -> None:
    broker = moving()
    broker.replicas.disk.fail("create", "-future", errno.EIO)
    move(broker)
    broker.heartbeat()
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}
    assert not broker.replicas.log_directories.is_online(broker.directory_ids["/logs1"])
    assert broker.produce("t", batch(b"d")).error_code == 0


def test_a_replica_that_comes_back_does_not_go_on_with_a_move() -> None:
    broker = moving()
    move(broker)
    (hosted,) = broker.replicas.manager.replicas
    manager, topic_id = broker.replicas.manager, hosted.partition.topic_id
    manager.replicas.failed(hosted, OSError(errno.EMFILE, "Too many open files"))
    manager.replica_removed(topic_id, 0)
    topic = broker.harness.image.topics[topic_id]
    manager.replica_changed(topic, 0, topic.partitions[0], hosted.directory_id)
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}
