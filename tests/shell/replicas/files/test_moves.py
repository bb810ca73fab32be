"""Replicas that move between the log directories of a broker (KIP-113), and what fails on the way.

Tests: `shell.replicas.files.move_jobs`, `shell.replicas.files.move_steps`, `shell.replicas.files.move_switch`.
"""

from __future__ import annotations

import errno
from dataclasses import replace
from functools import partial
from itertools import count
from random import Random

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterReplicaLogDirsRequest,
    DeleteRecordsRequest,
    DeleteTopicsRequest,
)
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.shell.replicas.files import move_steps
from kafkaproto_server.shell.replicas.files.disk_jobs import DiskJob
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.storage.errors import CorruptFileError, OffsetOutOfRangeError
from kafkaproto_server.shell.storage.log.copying import Unreadable
from kafkaproto_server.shell.storage.log.topic_state import Found
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    read_offsets,
)
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, batches, wanted

LOG = f"{0:020}.log"
DELETE_DELAY_MS = 60_000


def moving(**config: str) -> DataBroker:
    """The only partition of the topic t is in /logs and has three records; there is /logs1 as well."""
    broker = DataBroker(directories=2, **config)
    broker.topic("t", [ME])
    broker.report()
    for value in (b"a", b"b", b"c"):
        assert broker.produce("t", batch(value)).error_code == 0
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], [])
    return broker


def names(broker: DataBroker, path: str = "/logs") -> list[str]:
    """The directories of partitions, without the unique parts of their names."""
    disk = broker.replicas.disk
    found = [each for each in disk.list_directory(path) if disk.is_directory(f"{path}/{each}")]
    return sorted(
        f"{each.partition('.')[0]}-{each.rpartition('-')[2]}" if "." in each else each for each in found
    )


def alter(broker: DataBroker, *wanted_directories: tuple[str, str, int]) -> list[int]:
    """Ask for directories of partitions: path, topic, index. Returns the error codes."""
    request = AlterReplicaLogDirsRequest
    dirs = [
        request.AlterReplicaLogDir(
            path=path, topics=[request.AlterReplicaLogDirTopic(name=topic, partitions=[index])]
        )
        for path, topic, index in wanted_directories
    ]
    response = broker.ask(request(dirs=dirs), 2)
    return [each.error_code for topic in response.results for each in topic.partitions]


def move(broker: DataBroker, path: str = "/logs1") -> None:
    assert alter(broker, (path, "t", 0)) == [0]


def described(broker: DataBroker) -> dict[str, list[tuple[int, bool]]]:
    """Lag of each log in each directory, and whether it is a copy."""
    found: dict[str, list[tuple[int, bool]]] = {path: [] for path in broker.directory_ids}
    paths = {directory_id: path for path, directory_id in broker.directory_ids.items()}
    for each in broker.replicas.manager.questions.logs():
        found[paths[each.directory_id]].append((each.offset_lag, each.is_future))
    return found


def values(broker: DataBroker, name: str = "t") -> list[bytes | None]:
    found: list[bytes | None] = []
    start = broker.offset(name, -2).offset
    while start < broker.offset(name, -1).offset:
        parts = batches(broker.fetch(name, wanted(0, start)).records)
        for base, _, each in parts:
            found += each
            start = base + len(each)
        if not parts:
            break
    return found


def recorded(broker: DataBroker) -> str:
    """The directory that the controllers know."""
    directory_id = broker.harness.partition("t", 0).directory_of(ME)
    return next(path for path, each in broker.directory_ids.items() if each == directory_id)


# -- the whole way ---------------------------------------------------------------------------------------------------


def test_a_replica_moves_once_the_controllers_have_recorded_it() -> None:
    broker = moving()
    move(broker)
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-future"])
    assert described(broker) == {"/logs": [(0, False)], "/logs1": [(0, True)]}
    assert broker.produce("t", batch(b"d")).error_code == 0
    assert described(broker) == {"/logs": [(0, False)], "/logs1": [(1, True)]}
    assert recorded(broker) == "/logs"
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert (recorded(broker), described(broker)) == ("/logs1", {"/logs": [], "/logs1": [(0, False)]})
    assert broker.produce("t", batch(b"e")).base_offset == 4
    assert values(broker) == [b"a", b"b", b"c", b"d", b"e"]
    broker.replicas.pass_time(DELETE_DELAY_MS)
    broker.replicas.manager.replicas.removals.remove_due()
    assert names(broker) == []
    assert values(broker) == [b"a", b"b", b"c", b"d", b"e"]


@pytest.mark.parametrize("is_clean", [True, False], ids=["stopped", "killed"])
def test_a_replica_is_opened_where_it_moved(is_clean: bool) -> None:
    broker = moving()
    assert broker.produce("t", batch(b"d", producer_id=9, producer_epoch=0, base_sequence=0)).error_code == 0
    move(broker)
    broker.report()
    broker.start_again(is_clean=is_clean)
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"a", b"b", b"c", b"d"]
    # It knows the producer.
    again = broker.produce("t", batch(b"d", producer_id=9, producer_epoch=0, base_sequence=0))
    assert (again.error_code, again.base_offset) == (0, 3)


def test_checkpoints_follow_the_replica() -> None:
    broker = moving()
    partition = DeleteRecordsRequest.DeleteRecordsPartition(partition_index=0, offset=2)
    topic = DeleteRecordsRequest.DeleteRecordsTopic(name="t", partitions=[partition])
    broker.ask(DeleteRecordsRequest(topics=[topic], timeout_ms=1000), 2)
    move(broker)
    broker.report()
    disk = broker.replicas.disk
    found = {
        name: read_offsets(disk, "/logs1", name) for name in (LOG_STARTS, RECOVERY_POINTS, HIGH_WATERMARKS)
    }
    assert found == {
        LOG_STARTS: {("t", 0): 2},
        RECOVERY_POINTS: {("t", 0): 3},
        HIGH_WATERMARKS: {("t", 0): 3},
    }
    for name in found:
        assert read_offsets(disk, "/logs", name) == {}
    assert values(broker) == [b"c"]
    broker.start_again(is_clean=False)
    broker.report()
    assert values(broker) == [b"c"]


@pytest.mark.parametrize("threads", ["-1", "0"])
def test_there_is_at_least_one_lane_for_moves(threads: str) -> None:
    broker = moving(**{"num.replica.alter.log.dirs.threads": threads})
    move(broker)
    assert described(broker) == {"/logs": [(0, False)], "/logs1": [(0, True)]}


def test_a_log_that_starts_within_a_batch_moves() -> None:
    broker = moving()
    assert broker.produce("t", batch(b"d", b"e", b"f")).error_code == 0
    partition = DeleteRecordsRequest.DeleteRecordsPartition(partition_index=0, offset=4)
    topic = DeleteRecordsRequest.DeleteRecordsTopic(name="t", partitions=[partition])
    broker.ask(DeleteRecordsRequest(topics=[topic], timeout_ms=1000), 2)
    move(broker)
    broker.report()
    assert names(broker, "/logs1") == ["t-0"]
    assert broker.offset("t", -2).offset == 4
    assert batches(broker.fetch("t", wanted(0, 4)).records) == [(3, 0, [b"d", b"e", b"f"])]


def test_a_large_log_is_copied_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(move_steps, "SLICE_BYTES", 100)
    broker = moving(log_segment_bytes="1048576")
    numbers = [b"%0100000d" % number for number in range(30)]
    for value in numbers:
        assert broker.produce("t", batch(value)).error_code == 0
    move(broker)
    broker.report()
    assert names(broker, "/logs1") == ["t-0"]
    assert values(broker) == [b"a", b"b", b"c", *numbers]
    broker.start_again(is_clean=False)
    broker.report()
    assert values(broker) == [b"a", b"b", b"c", *numbers]


def test_what_is_written_during_the_switch_is_written_in_the_new_directory() -> None:
    broker = moving()
    move(broker)
    broker.replicas.workers.hold()
    # The controllers record the directory, and the move waits for the disk.
    broker.report()
    results = [
        broker.send(broker.produce_request(("t", 0, batch(value)), acks=-1), 13) for value in (b"d", b"e")
    ]
    for step in count():
        if not broker.replicas.workers.do_one(lambda count, step=step: step % count):  # type: ignore[misc]
            break
        if step == 2:
            results.append(broker.send(broker.produce_request(("t", 0, batch(b"f")), acks=-1), 13))
    assert [each[0].responses[0].partition_responses[0].error_code for each in results] == [0, 0, 0]
    broker.replicas.workers.release()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"a", b"b", b"c", b"d", b"e", b"f"]


def test_a_copy_that_may_become_the_replica_is_in_the_checkpoints() -> None:
    """Otherwise records that were deleted would be back after a crash in the middle of the switch."""
    broker = moving()
    partition = DeleteRecordsRequest.DeleteRecordsPartition(partition_index=0, offset=2)
    topic = DeleteRecordsRequest.DeleteRecordsTopic(name="t", partitions=[partition])
    broker.ask(DeleteRecordsRequest(topics=[topic], timeout_ms=1000), 2)
    move(broker)
    assert read_offsets(broker.replicas.disk, "/logs1", LOG_STARTS) == {("t", 0): 2}
    assert read_offsets(broker.replicas.disk, "/logs1", RECOVERY_POINTS) == {("t", 0): 3}
    move(broker, "/logs")
    for name in (LOG_STARTS, RECOVERY_POINTS):
        broker.replicas.manager.replicas.write_checkpoint(name)
        assert read_offsets(broker.replicas.disk, "/logs1", name) == {}


def test_the_states_of_producers_are_written_after_a_move() -> None:
    broker = moving()
    move(broker)
    broker.report()
    assert f"{3:020}.snapshot" in broker.replicas.disk.list_directory("/logs1/t-0")


def test_an_order_that_comes_too_late_to_stop_a_move_moves_the_replica_back() -> None:
    broker = moving()
    move(broker)
    broker.replicas.workers.hold()
    broker.report()
    under_way = broker.replicas.manager.moves._by_id
    while not any(each.is_settling for each in under_way.values()):
        assert broker.replicas.workers.do_one(lambda count: 0)
    move(broker, "/logs")
    broker.replicas.workers.release()
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0", "t-0-delete"], ["t-0-delete"])
    assert (recorded(broker), values(broker)) == ("/logs", [b"a", b"b", b"c"])


def test_a_rate_delays_a_move() -> None:
    broker = moving(replica_alter_log_dirs_io_max_bytes_per_second="100")
    move(broker)
    assert described(broker)["/logs1"] == [(2, True)]
    for expected in ([(2, True)], [(1, True)], [(1, True)], [(0, True)]):
        broker.replicas.pass_time(400)
        assert described(broker)["/logs1"] == expected


# -- moves that are given up -----------------------------------------------------------------------------------------


def test_a_move_back_while_the_report_is_queued_takes_it_back() -> None:
    broker = moving()
    move(broker)
    assert len(broker.replicas.assignments) == 1
    move(broker, "/logs")
    assert len(broker.replicas.assignments) == 0
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-delete"])
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}
    broker.report()
    assert recorded(broker) == "/logs"
    # And again.
    move(broker)
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0", "t-0-delete"])
    assert values(broker) == [b"a", b"b", b"c"]


def test_a_move_back_after_the_directory_was_recorded_reports_the_old_one() -> None:
    broker = moving()
    move(broker)
    queue, harness = broker.replicas.assignments, broker.harness
    request = queue.next_request(harness.image.brokers[ME].epoch, 0)
    queue.handle_response(harness.call(request), 0)
    # The broker has not seen it yet.
    assert recorded(broker) == "/logs1"
    broker.replicas.manager.alter_directory("t", 0, "/logs")
    broker.report()
    assert recorded(broker) == "/logs"
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-delete"])


def test_another_directory_ends_a_move_and_begins_one() -> None:
    broker = DataBroker(directories=3)
    broker.topic("t", [ME])
    broker.report()
    assert broker.produce("t", batch(b"a")).error_code == 0
    move(broker, "/logs1")
    move(broker, "/logs2")
    assert [names(broker, path) for path in ("/logs1", "/logs2")] == [["t-0-delete"], ["t-0-future"]]
    broker.report()
    assert [names(broker, path) for path in ("/logs", "/logs2")] == [["t-0-delete"], ["t-0"]]


@pytest.mark.parametrize("is_reported", [False, True])
def test_a_directory_that_fails_ends_the_move_there(is_reported: bool) -> None:
    broker = moving()
    if not is_reported:
        broker.replicas.disk.fail("write", f"-future/{LOG}", errno.EIO)
    move(broker)
    if is_reported:
        broker.replicas.log_directories.fail("/logs1", "EIO")
        broker.replicas.manager.directories_changed()
    broker.heartbeat()
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-future"])
    assert (recorded(broker), described(broker)["/logs"]) == ("/logs", [(0, False)])
    assert broker.produce("t", batch(b"d")).error_code == 0
    assert alter(broker, ("/logs1", "t", 0)) == [ErrorCode.KAFKA_STORAGE_ERROR]


def test_a_rename_that_fails_leaves_the_replica_where_it_was() -> None:
    broker = moving()
    move(broker)
    broker.replicas.disk.fail("rename", "-future", errno.EIO)
    broker.report()
    broker.heartbeat()
    broker.report()
    assert names(broker) == ["t-0"]
    assert recorded(broker) == "/logs"
    assert broker.produce("t", batch(b"d")).error_code == 0
    assert values(broker) == [b"a", b"b", b"c", b"d"]


def test_the_directory_of_the_replica_may_fail_while_it_moves() -> None:
    broker = moving()
    move(broker)
    broker.replicas.disk.fail("write", f"logs/t-0/{LOG}", errno.EIO)
    assert broker.produce("t", batch(b"d")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    broker.heartbeat()
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-future"])
    assert recorded(broker) == "/logs"
    assert broker.harness.partition("t", 0).leader == -1


def test_the_directory_that_a_replica_left_may_fail() -> None:
    broker = moving()
    move(broker)
    broker.replicas.disk.fail("rename", "logs/t-0", errno.EIO)
    broker.report()
    broker.heartbeat()
    broker.report()
    assert (recorded(broker), names(broker, "/logs1")) == ("/logs1", ["t-0"])
    assert broker.produce("t", batch(b"d")).error_code == 0


def test_a_topic_that_is_deleted_while_it_moves_leaves_nothing() -> None:
    broker = moving()
    move(broker)
    topics = [DeleteTopicsRequest.DeleteTopicState(name="t")]
    broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0-delete"])


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENOMEM])
def test_a_move_begins_again_once_the_log_that_ran_short_is_open(code: int) -> None:
    broker = moving()
    move(broker)
    broker.replicas.disk.fail("write", f"logs/t-0/{LOG}", code)
    broker.replicas.disk.fail("read", f"logs/t-0/{LOG}", code, times=2)
    assert broker.produce("t", batch(b"d")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert (described(broker)["/logs1"], names(broker, "/logs1")) == ([], ["t-0-delete"])
    # Whatever the move would have waited for meanwhile.
    for _ in range(20):
        broker.replicas.pass_time(200)
    assert described(broker) == {"/logs": [(0, False)], "/logs1": [(0, True)]}
    assert broker.produce("t", batch(b"e")).error_code == 0
    broker.replicas.pass_time(1000)
    broker.report()
    assert recorded(broker) == "/logs1"
    assert values(broker) == [b"a", b"b", b"c", b"e"]


@pytest.mark.parametrize(
    "error",
    [
        OffsetOutOfRangeError("/logs/t-0", 0, 3, 5),
        FileNotFoundError("a segment"),
        OSError(errno.EMFILE, "no files"),
    ],
)
def test_a_log_that_cannot_be_read_for_a_moment_is_read_again(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = moving()
    monkeypatch.setattr(move_steps, "copy_slice", lambda *arguments, **named: Unreadable(error))
    move(broker)
    monkeypatch.undo()
    broker.replicas.pass_time(move_steps.RETRY_MS - 1)
    assert described(broker) == {"/logs": [(0, False)], "/logs1": [(3, True)]}
    broker.replicas.pass_time(1)
    assert described(broker) == {"/logs": [(0, False)], "/logs1": [(0, True)]}
    assert broker.produce("t", batch(b"d")).error_code == 0


def test_a_log_whose_records_are_damaged_stays_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = moving()
    unreadable = Unreadable(CorruptFileError(f"/logs/t-0/{LOG}", "is damaged"))
    monkeypatch.setattr(move_steps, "copy_slice", lambda *arguments, **named: unreadable)
    move(broker)
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-delete"])
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}
    assert broker.produce("t", batch(b"d")).error_code == 0


def test_a_log_that_the_disk_does_not_give_fails_with_its_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = moving()
    unreadable = Unreadable(OSError(errno.EIO, "a broken disk"))
    monkeypatch.setattr(move_steps, "copy_slice", lambda *arguments, **named: unreadable)
    move(broker)
    broker.heartbeat()
    broker.report()
    assert broker.produce("t", batch(b"d")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert broker.harness.partition("t", 0).leader == -1


def test_a_log_that_is_damaged_costs_its_move_and_its_partition() -> None:
    broker = moving()
    broker.topic("other", [ME])
    move(broker)
    hosted = next(each for each in broker.replicas.manager.replicas if each.partition.topic == "t")
    broker.replicas.manager.replicas.failed(hosted, CorruptFileError(f"/logs/t-0/{LOG}", "is damaged"))
    for _ in range(20):
        broker.replicas.pass_time(200)
    assert described(broker) == {"/logs": [], "/logs1": [(0, False)]}
    assert broker.produce("t", batch(b"d")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert broker.produce("other", batch(b"d")).error_code == 0


# -- starts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_clean", [True, False], ids=["stopped", "killed"])
@pytest.mark.parametrize("is_recorded", [True, False], ids=["recorded", "not recorded"])
def test_a_move_that_a_stop_interrupted_begins_again(is_clean: bool, is_recorded: bool) -> None:
    broker = moving()
    move(broker)
    if is_recorded:
        queue, harness = broker.replicas.assignments, broker.harness
        request = queue.next_request(harness.image.brokers[ME].epoch, 0)
        queue.handle_response(harness.call(request), 0)
    broker.start_again(is_clean=is_clean)
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0", "t-0-delete"])
    assert values(broker) == [b"a", b"b", b"c"]
    assert recorded(broker) == "/logs1"


def test_a_crash_between_the_two_renames_leaves_the_new_replica() -> None:
    broker = moving()
    move(broker)
    broker.replicas.disk.fail("rename", "logs/t-0", errno.EIO)
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0"])
    assert broker.produce("t", batch(b"d")).error_code == 0
    broker.start_again(is_clean=False)
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-stray"], ["t-0"])
    assert values(broker) == [b"a", b"b", b"c", b"d"]


# -- what is refused -------------------------------------------------------------------------------------------------


def test_the_codes_of_what_is_refused() -> None:
    broker = moving()
    broker.topic("elsewhere", [OTHER])
    long = "x" * 249
    broker.topic(long, [ME])
    broker.report()
    assert alter(
        broker,
        ("/nowhere", "t", 0),
        ("/logs1", long, 0),
        ("/logs1", "elsewhere", 0),
        ("/logs1", "elsewhere", 1),
        ("/logs1", "unknown", 0),
    ) == [
        ErrorCode.LOG_DIR_NOT_FOUND,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    broker.replicas.log_directories.cordon(["/logs1"])
    assert alter(broker, ("/logs1", "t", 0)) == [ErrorCode.INVALID_REPLICA_ASSIGNMENT]


def test_a_directory_goes_by_its_absolute_path(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = moving()
    first, second = broker.replicas.log_directories.all
    relative = [replace(each, path=f".{each.path}") for each in (first, second)]
    monkeypatch.setattr(type(broker.replicas.log_directories), "all", tuple(relative))
    monkeypatch.chdir("/")
    assert alter(broker, ("/logs", "t", 0)) == [0]
    assert alter(broker, ("./logs", "t", 0)) == [ErrorCode.LOG_DIR_NOT_FOUND]


def test_the_last_directory_that_is_named_counts() -> None:
    broker = moving()
    assert alter(broker, ("/nowhere", "t", 0), ("/logs", "t", 0)) == [0]
    assert names(broker, "/logs1") == []


def test_a_new_replica_begins_where_an_administrator_wants_it() -> None:
    broker = moving()
    assert alter(broker, ("/logs", "new", 0)) == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    broker.topic("new", [ME])
    broker.report()
    # The other directory has fewer replicas.
    assert (names(broker), names(broker, "/logs1")) == (["new-0", "t-0"], [])


# -- any order -------------------------------------------------------------------------------------------------------


class _History:
    """A broker whose lanes do one job after the other, as chance has it, and what its only replica should have."""

    def __init__(self, seed: int, *, with_kills: bool) -> None:
        self.with_kills = with_kills
        self.rng = Random(seed)
        self.broker = DataBroker(directories=3)
        self.broker.topic("t", [ME])
        self.broker.report()
        self.broker.replicas.workers.hold()
        self.expected: dict[int, bytes] = {}
        self.bases: set[int] = set()
        self.written = self.kills = 0
        self.start = 0
        self.is_cut = self.is_deleting = False

    @property
    def end(self) -> int:
        return self.hosted.partition.next_offset

    @property
    def hosted(self) -> Hosted:
        (hosted,) = self.broker.replicas.manager.replicas
        return hosted

    def produce(self) -> None:
        if self.is_cut:
            return
        offset = self.end
        records = [b"%d" % (self.written + number) for number in range(self.rng.randint(1, 3))]
        self.written += len(records)
        self.broker.send(self.broker.produce_request(("t", 0, batch(*records)), acks=-1), 13)
        self.bases.add(offset)
        self.expected |= dict(enumerate(records, offset))

    def cut(self) -> None:
        """As a follower does it whose leader has another log."""
        hosted, manager = self.hosted, self.broker.replicas.manager
        log = hosted.log
        assert log is not None
        if self.is_cut or self.is_deleting or hosted.partition.log_end_offset != self.end:
            return
        # As leaders cut: where a batch begins.
        offset = self.rng.choice(
            [*(each for each in sorted(self.bases) if self.start <= each <= self.end), self.end]
        )
        hosted.is_being_cut = self.is_cut = True

        def done(found: Found) -> None:
            hosted.is_being_cut = self.is_cut = False
            manager.replicas.changes.was_cut(hosted, found)
            # No follower has it, and no leader is cut.
            hosted.partition.leader_epoch_start = min(
                hosted.partition.leader_epoch_start, found.log_end_offset
            )
            manager._was_cut(hosted)
            manager.replicas.apply(hosted)
            self.bases = {at for at in self.bases if at < found.log_end_offset}
            self.expected = {at: each for at, each in self.expected.items() if at < found.log_end_offset}

        def failed(error: Exception) -> None:
            raise error

        hosted.lane.put(DiskJob(partial(log.truncate_to, offset, 0), done, failed))

    def delete(self) -> None:
        hosted = self.hosted
        if self.is_cut or self.is_deleting or hosted.partition.log_end_offset != self.end:
            return
        offset = self.rng.randint(self.start, self.end)
        manager = self.broker.replicas.manager

        self.is_deleting = True

        def moved() -> None:
            self.is_deleting = False
            self.start = hosted.partition.log_start_offset

        manager.replicas.changes.move_start(hosted, offset, moved, moved)

    def step(self) -> None:
        acts = [self.produce, self.cut, self.delete, self.alter, self.broker.report, self.work]
        more = [self.produce, self.work, self.run_short, *([self.kill] if self.with_kills else [])]
        self.rng.choice([*acts, *more])()

    def run_short(self) -> None:
        """The log lacks descriptors, and is opened again once what was put before is done."""
        if self.is_cut or self.is_deleting or self.rng.random() < 0.5:
            return
        error = OSError(errno.EMFILE, "Too many open files")
        self.broker.replicas.manager.replicas.failed(self.hosted, error)
        for _ in range(self.rng.randint(0, 5)):
            self.broker.replicas.workers.do_one(self.rng.randrange)
        self.broker.replicas.workers.release()
        self.broker.replicas.pass_time(200)
        self.broker.replicas.workers.hold()
        assert self.hosted.log is not None

    def kill(self) -> None:
        """kill -9: what was written is there, and what waits for the disk is gone."""
        if self.rng.random() < 0.7:
            return
        end = self.hosted.partition.log_end_offset
        self.expected = {at: each for at, each in self.expected.items() if at < end}
        self.bases = {at for at in self.bases if at < end}
        self.is_cut = self.is_deleting = False
        self.broker.start_again(is_clean=False)
        self.kills += 1
        for _ in range(1000 * self.kills):
            # Not the ids of the former start.
            self.broker.replicas.manager.moves._rng.uuid()
        self.broker.report()
        self.broker.replicas.workers.hold()
        # A log start that was not in a checkpoint is not known any more.
        self.start = self.hosted.partition.log_start_offset

    def alter(self) -> None:
        path = self.rng.choice(list(self.broker.directory_ids))
        assert self.broker.replicas.manager.alter_directory("t", 0, path) == 0

    def work(self) -> None:
        for _ in range(self.rng.randint(1, 10)):
            self.broker.replicas.workers.do_one(self.rng.randrange)
        self.broker.replicas.pass_time(self.rng.choice((0, 100, 300)))

    def settle(self) -> None:
        self.broker.replicas.workers.release()
        for _ in range(20):
            self.broker.report()
            self.broker.replicas.pass_time(1000)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("with_kills", [False, True], ids=["", "with kills"])
def test_whatever_happens_while_it_moves_a_replica_has_its_records(seed: int, with_kills: bool) -> None:
    history = _History(seed, with_kills=with_kills)
    for _ in range(60):
        history.step()
    history.settle()
    broker, hosted = history.broker, history.hosted
    assert hosted.partition.role is Role.LEADER
    for _ in range(2):
        start = history.start
        assert broker.offset("t", -2).offset == start
        end = max(history.expected, default=start - 1) + 1
        assert broker.offset("t", -1).offset >= end
        found = {
            base + number: each
            for base, _, part in batches(broker.fetch("t", wanted(0, start)).records)
            for number, each in enumerate(part)
            if base + number >= start
        }
        assert found == {at: each for at, each in history.expected.items() if at >= start}
        assert broker.directory_ids[recorded(broker)] == hosted.directory_id
        assert [path for path in broker.directory_ids if "t-0" in names(broker, path)] == [recorded(broker)]
        assert not any("t-0-future" in names(broker, path) for path in broker.directory_ids)
        # As it is after a stop in the middle.
        broker.start_again()
        broker.report()
        hosted = history.hosted
