"""Replicas with records in several log directories: starts on what lies there, and directories that fail (KIP-858).

Tests: `shell.replicas.files.checkpointed`, `shell.replicas.files.log_loader`,
`shell.replicas.files.unused_directories`, `shell.replicas.files.working_directories`.
"""

from __future__ import annotations

import errno

import pytest

from kafkaproto.directory_files import encode_partition_metadata
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteTopicsRequest
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY
from kafkaproto_server.shell.replicas.files.checkpointed import CHECKPOINTS
from kafkaproto_server.shell.replicas.files.failed_logs import FAILURES_UNTIL_LOST
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    read_offsets,
    write_offsets,
)
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, batches, only_partition, wanted
from tests.apis.support.replicas import cold
from tests.shell.replicas.files.test_moves import alter
from tests.sim.disk import MemoryFile

LOG = f"{0:020}.log"
METADATA = "/logs/t-0/partition.metadata"
LATEST = -1


def names(broker: DataBroker, path: str = "/logs") -> list[str]:
    """The directories of partitions, without the unique parts of their names."""
    found = [
        each
        for each in broker.replicas.disk.list_directory(path)
        if broker.replicas.disk.is_directory(f"{path}/{each}")
    ]
    return [f"{each.partition('.')[0]}-{each.rpartition('-')[2]}" if "." in each else each for each in found]


def values(broker: DataBroker, name: str, index: int = 0) -> list[bytes | None]:
    records = broker.fetch(name, wanted(index)).records
    return [value for _, _, each in batches(records) for value in each]


def put_metadata(broker: DataBroker, directory: str, topic_id: bytes, length: int | None = None) -> None:
    """The file that says whose replica lies in a directory, or the beginning of it."""
    disk = broker.replicas.disk
    disk.make_directory(directory)
    file = disk.open(f"{directory}/partition.metadata", create=True)
    file.append([encode_partition_metadata(topic_id)[:length]])
    file.close()


def with_two_partitions() -> DataBroker:
    """Partition 0 is in /logs, 1 in /logs1; each has a record."""
    broker = DataBroker(directories=2)
    broker.topic("t", [ME], [ME])
    broker.report()
    for index, value in enumerate((b"a", b"b")):
        assert broker.produce("t", batch(value), index).error_code == 0
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-1"])
    return broker


# -- starts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_clean", [True, False], ids=["stopped", "killed"])
def test_directories_that_changed_places_have_their_records(is_clean: bool) -> None:
    broker = with_two_partitions()
    disk = broker.replicas.disk
    if is_clean:
        broker.replicas.stop()
    for source, target in (("/logs", "/spare"), ("/logs1", "/logs"), ("/spare", "/logs1")):
        disk.rename(source, target)
    first, second = broker.directory_ids.values()
    broker.directory_ids = {"/logs": second, "/logs1": first}
    broker.start(is_clean=is_clean)
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-1"], ["t-0"])
    assert (values(broker, "t", 0), values(broker, "t", 1)) == ([b"a"], [b"b"])


def test_more_directories_take_new_replicas_and_the_old_ones_stay() -> None:
    broker = DataBroker()
    broker.topic("old", [ME], [ME], [ME])
    for index in range(3):
        assert broker.produce("old", batch(b"%d" % index), index).error_code == 0
    broker.directory_ids |= {"/logs1": b"1" * 16, "/logs2": b"2" * 16}
    broker.start_again()
    broker.report()
    assert [values(broker, "old", index) for index in range(3)] == [[b"0"], [b"1"], [b"2"]]
    broker.topic("new", *[[ME]] * 4)
    broker.report()
    assert (len(names(broker)), len(names(broker, "/logs1")), len(names(broker, "/logs2"))) == (3, 2, 2)


def test_the_directory_of_a_replica_that_is_being_opened_is_no_wish_for_a_later_one() -> None:
    broker = with_two_partitions()
    broker.topic("new", [ME])
    broker.replicas.workers.hold()
    broker.replicas.follow()
    assert alter(broker, ("/logs1", "new", 0)) == [ErrorCode.REPLICA_NOT_AVAILABLE]
    broker.replicas.workers.release()
    broker.report()
    assert (sorted(names(broker)), names(broker, "/logs1")) == (["new-0", "t-0"], ["t-1"])
    topics = [DeleteTopicsRequest.DeleteTopicState(name="new")]
    broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
    broker.topic("new", [ME])
    broker.report()
    assert (sorted(names(broker)), names(broker, "/logs1")) == (["new-0", "new-0-delete", "t-0"], ["t-1"])


def test_what_was_deleted_and_made_anew_while_the_broker_was_down_is_set_aside() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    assert broker.produce("t", batch(b"old"), 0).error_code == 0
    broker.replicas.stop()
    disk = broker.replicas.disk
    # The checkpoints name no topic id: what they say of the old topic is not true of the new one.
    write_offsets(disk, "/logs", LOG_STARTS, {("t", 0): 1})
    topics = [DeleteTopicsRequest.DeleteTopicState(name="t")]
    broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
    broker.topic("t", [ME])
    broker.start()
    broker.report()
    assert values(broker, "t") == []
    assert sorted(names(broker)) == ["t-0", "t-0-stray"]
    result = broker.produce("t", batch(b"new"), 0)
    assert (result.error_code, result.base_offset, result.log_start_offset) == (0, 0, 0)
    # A stray stays what it is.
    broker.start_again()
    assert values(broker, "t") == [b"new"]
    assert sorted(names(broker)) == ["t-0", "t-0-stray"]


def test_checkpoints_say_nothing_of_what_was_set_aside() -> None:
    """They name no topic id: a later topic of that name would get the offsets of the former one."""
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    assert broker.produce("t", batch(b"old")).error_code == 0
    broker.replicas.stop()
    disk = broker.replicas.disk
    assert read_offsets(disk, "/logs", HIGH_WATERMARKS) == {("t", 0): 1}
    topics = [DeleteTopicsRequest.DeleteTopicState(name="t")]
    broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
    broker.start()
    broker.report()
    assert names(broker) == ["t-0-stray"]
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    assert read_offsets(disk, "/logs", HIGH_WATERMARKS) == {}


def test_a_partition_without_a_topic_id_is_set_aside() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.replicas.disk.make_directory("/logs/t-0")
    broker.start_again()
    broker.report()
    assert sorted(names(broker)) == ["t-0", "t-0-stray"]


def test_a_future_copy_whose_topic_id_is_torn_is_set_aside() -> None:
    broker = with_two_partitions()
    disk = broker.replicas.disk
    copy = f"/logs1/t-0.{'ab' * 16}-future"
    disk.make_directory(copy)
    # As power loss may leave it.
    file = disk.open(f"{copy}/partition.metadata", create=True)
    file.append([encode_partition_metadata(b"t" * 16)[:34]])
    file.close()
    broker.start_again()
    broker.report()
    assert sorted(names(broker, "/logs1")) == ["t-0-stray", "t-1"]


def test_a_copy_does_not_replace_a_replica_whose_topic_id_is_torn() -> None:
    """A power loss leaves that of a log that was never synced; its copy is complete sooner, and has less."""
    broker = with_two_partitions()
    disk, copy = broker.replicas.disk, f"/logs1/t-0.{'ab' * 16}-future"
    disk.boots += 1
    whole = encode_partition_metadata(broker.topic_id("t"))
    disk.make_directory(copy)
    disk.open(f"{copy}/partition.metadata", create=True).append([whole])
    disk.remove(METADATA)
    disk.open(METADATA, create=True).append([whole[:23]])
    broker.start(is_clean=False)
    broker.report()
    assert values(broker, "t", 0) == [b"a"]
    # The move has begun again, and ended.
    assert names(broker) == ["t-0-delete"]
    assert "t-0" in names(broker, "/logs1")


def test_a_replica_whose_topic_id_is_torn_is_set_aside_if_it_is_of_a_former_topic() -> None:
    broker = with_two_partitions()
    broker.replicas.stop()
    disk = broker.replicas.disk
    disk.remove(METADATA)
    disk.open(METADATA, create=True).append([encode_partition_metadata(b"t" * 16)[:23]])
    broker.start(is_clean=False)
    broker.report()
    assert sorted(names(broker)) == ["t-0", "t-0-stray"]
    assert values(broker, "t", 0) == []


def test_a_future_copy_that_is_alone_becomes_the_replica() -> None:
    """As Kafka leaves it that was killed between the two renames of a move."""
    broker = with_two_partitions()
    broker.replicas.stop()
    disk = broker.replicas.disk
    disk.rename("/logs1/t-1", f"/logs1/t-1.{'0' * 32}-future")
    broker.start()
    broker.report()
    assert values(broker, "t", 1) == [b"b"]
    assert names(broker, "/logs1") == ["t-1"]


def test_a_copy_beside_its_replica_costs_the_replica_no_checkpoint() -> None:
    broker = with_two_partitions()
    broker.replicas.stop()
    disk = broker.replicas.disk
    write_offsets(disk, "/logs", LOG_STARTS, {("t", 0): 1})
    put_metadata(broker, f"/logs/t-0.{'ab' * 16}-future", broker.topic_id("t"))
    broker.start()
    broker.report()
    assert sorted(names(broker)) == ["t-0", "t-0-stray"]
    assert broker.replicas.partition("t", 0).log_start_offset == 1


def test_the_checkpoints_of_the_directory_that_a_replica_left_do_not_name_it() -> None:
    broker = with_two_partitions()
    broker.start_again()
    broker.report()
    disk = broker.replicas.disk
    assert read_offsets(disk, "/logs", HIGH_WATERMARKS) == {("t", 0): 1}
    assert alter(broker, ("/logs1", "t", 0)) == [0]
    broker.report()
    assert read_offsets(disk, "/logs", HIGH_WATERMARKS) == {}


def test_checkpoints_keep_what_is_not_open_yet() -> None:
    broker = with_two_partitions()
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    broker.start_again(is_clean=False)
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    found = read_offsets(broker.replicas.disk, "/logs", HIGH_WATERMARKS)
    assert found == {("t", 0): 1}


# -- directories that fail -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EROFS])
def test_a_write_that_fails_costs_its_directory_and_no_other(error: int) -> None:
    broker = with_two_partitions()
    broker.replicas.disk.fail("write", f"t-0/{LOG}", error)
    assert broker.produce("t", batch(b"lost"), 0).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    broker.heartbeat()
    assert broker.harness.partition("t", 0).leader == -1
    for result in (
        broker.produce("t", batch(), 0),
        broker.fetch("t", wanted(0)),
        broker.offset("t", LATEST, 0),
    ):
        assert result.error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert broker.produce("t", batch(b"more"), 1).error_code == 0
    assert values(broker, "t", 1) == [b"b", b"more"]


def test_writes_that_wait_behind_one_that_fails_fail_as_well_and_cost_no_more() -> None:
    broker = with_two_partitions()
    broker.replicas.disk.fail("write", f"t-0/{LOG}", errno.ENOSPC)
    broker.replicas.workers.hold()
    waiting = [
        broker.send(broker.produce_request(("t", index, batch(value))), 13)
        for index, value in ((0, b"lost"), (0, b"behind it"), (1, b"elsewhere"))
    ]
    broker.replicas.workers.release()
    codes = [only_partition(response.responses).error_code for (response,) in waiting]
    assert codes == [ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NONE]


def test_every_replica_of_a_failed_directory_is_offline_also_if_another_task_found_it() -> None:
    broker = DataBroker(directories=2)
    broker.topic("t", *[[ME]] * 4)
    broker.report()
    broker.replicas.directory_failed("/logs1", "it was removed")
    assert [broker.produce("t", batch(), index).error_code for index in range(4)] == [0, 56, 0, 56]


@pytest.mark.parametrize("is_cold", [False, True], ids=["at once", "in a thread"])
def test_a_read_that_fails_costs_the_directory(is_cold: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    broker = with_two_partitions()
    if is_cold:
        monkeypatch.setattr(MemoryFile, "read_now", cold)
    broker.replicas.disk.fail("read", f"t-0/{LOG}")
    assert broker.fetch("t", wanted(0)).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    broker.heartbeat()
    assert broker.harness.partition("t", 0).leader == -1
    assert values(broker, "t", 1) == [b"b"]


def test_a_search_by_time_that_fails_costs_the_directory() -> None:
    broker = with_two_partitions()
    broker.replicas.disk.fail("read", f"t-0/{LOG}")
    assert broker.offset("t", 1).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    broker.heartbeat()
    assert broker.harness.partition("t", 0).leader == -1


def test_leadership_leaves_a_failed_directory_and_the_replica_is_out_of_the_isr() -> None:
    broker = DataBroker(directories=2)
    broker.topic("t", [ME, OTHER])
    broker.report()
    broker.replicas.disk.fail("write", f"t-0/{LOG}")
    broker.produce("t", batch(), 0)
    broker.heartbeat()
    assert (broker.harness.partition("t").leader, broker.harness.partition("t").isr) == (OTHER, (OTHER,))


def test_a_directory_that_fails_before_its_replica_is_recorded_is_reported_all_the_same() -> None:
    broker = DataBroker(directories=2)
    broker.topic("t", [ME, OTHER])
    broker.replicas.follow()
    broker.replicas.disk.fail("write", f"t-0/{LOG}")
    broker.produce("t", batch(), 0)
    broker.heartbeat()
    assert broker.harness.partition("t").leader == ME, "the controller does not know what failed"
    broker.report()
    assert (broker.harness.partition("t").leader, broker.harness.partition("t").isr) == (OTHER, (OTHER,))


def test_a_failed_directory_keeps_its_checkpoints_and_its_records_for_the_next_start() -> None:
    broker = with_two_partitions()
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    before = broker.replicas.disk.read_file(f"/logs/{HIGH_WATERMARKS}")
    broker.replicas.disk.fail("write", f"t-0/{LOG}")
    broker.produce("t", batch(b"lost"), 0)
    broker.heartbeat()
    # The directory works again. Nobody knows what it holds, so that it is not touched.
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    broker.replicas.stop()
    assert broker.replicas.disk.read_file(f"/logs/{HIGH_WATERMARKS}") == before
    broker.start(is_clean=False)
    broker.report()
    assert (values(broker, "t", 0), values(broker, "t", 1)) == ([b"a"], [b"b"])


@pytest.mark.parametrize("is_clean", [True, False])
def test_a_directory_with_a_log_that_was_not_opened_since_a_crash_is_unread(is_clean: bool) -> None:
    broker = with_two_partitions()
    broker.start_again(is_clean=is_clean)
    replicas = broker.replicas.manager.replicas
    assert replicas.clean_stop.unread_directories == (set() if is_clean else {*broker.directory_ids.values()})
    broker.report()
    broker.replicas.stop()
    assert replicas.clean_stop.unread_directories == set()


@pytest.mark.parametrize("what", ["a copy of a move", "a stray", "a replica with a torn id"])
def test_what_a_start_has_dealt_with_is_not_unread(what: str) -> None:
    broker = with_two_partitions()
    broker.replicas.disk.boots += 1
    topic_id = broker.topic_id("t")
    if what == "a copy of a move":
        put_metadata(broker, f"/logs1/t-0.{'ab' * 16}-future", topic_id)
    elif what == "a stray":
        put_metadata(broker, "/logs1/gone-0", b"g" * 16)
    else:
        broker.replicas.disk.remove(METADATA)
        put_metadata(broker, "/logs/t-0", topic_id, length=23)
    broker.start(is_clean=False)
    broker.report()
    broker.replicas.stop()
    assert broker.replicas.manager.replicas.clean_stop.unread_directories == set()


def test_a_log_that_opens_while_the_broker_stops_is_left_as_it_is() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.replicas.workers.hold()
    broker.replicas.follow()
    replicas = broker.replicas.manager.replicas
    stopped: list[bool] = []
    replicas.clean_stop.begin(lambda: stopped.append(True))
    broker.replicas.workers.release()
    assert stopped
    assert not broker.replicas.disk.open_files
    assert [hosted.log for hosted in replicas] == [None]


def test_a_stop_leaves_the_logs_of_a_failed_directory_as_they_are() -> None:
    broker = with_two_partitions()
    files = broker.replicas.disk.list_directory("/logs1/t-1")
    broker.replicas.directory_failed("/logs1", "another directory is in its place")
    broker.replicas.stop()
    assert broker.replicas.disk.list_directory("/logs1/t-1") == files
    assert broker.replicas.disk.list_directory("/logs/t-0") != files


def test_nothing_is_written_in_a_directory_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = with_two_partitions()
    replicas, disk = broker.replicas.manager.replicas, broker.replicas.disk
    for name in CHECKPOINTS:
        replicas.write_checkpoint(name)
    # The checkpoints would have something new to say.
    for index in range(2):
        assert broker.produce("t", batch(b"more"), index).error_code == 0
    broker.replicas.directory_failed("/logs1", "EIO")
    changed: list[str] = []
    before = disk.before

    def noted(operation: str, path: str) -> None:
        changed.append(path)
        before(operation, path)

    monkeypatch.setattr(disk, "before", noted)
    for name in CHECKPOINTS:
        replicas.write_checkpoint(name)
    broker.produce("t", batch(b"lost"), 1)
    broker.heartbeat()
    broker.replicas.pass_time(60_000)
    broker.replicas.stop()
    assert [path for path in changed if path.startswith("/logs/")]
    assert [path for path in changed if path.startswith("/logs1")] == []


def test_what_was_deleted_in_a_failed_directory_stays_until_the_next_start() -> None:
    broker = with_two_partitions()
    topics = [DeleteTopicsRequest.DeleteTopicState(name="t")]
    broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
    broker.replicas.follow()
    broker.replicas.directory_failed("/logs1", "EIO")
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-1-delete"])
    broker.replicas.pass_time(60_000)
    broker.replicas.manager.replicas.removals.remove_due()
    assert (names(broker), names(broker, "/logs1")) == ([], ["t-1-delete"])


def test_what_is_deleted_after_its_directory_failed_stays_until_the_next_start() -> None:
    broker = with_two_partitions()
    broker.replicas.directory_failed("/logs1", "EIO")
    topics = [DeleteTopicsRequest.DeleteTopicState(name="t")]
    broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
    broker.replicas.follow()
    broker.replicas.pass_time(60_000)
    broker.replicas.manager.replicas.removals.remove_due()
    assert (names(broker), names(broker, "/logs1")) == ([], ["t-1"])
    broker.replicas.stop()
    broker.start()
    broker.heartbeat()
    broker.heartbeat()
    assert names(broker, "/logs1") == ["t-1-stray"]


def test_a_stray_that_cannot_be_set_aside_durably_costs_the_directory() -> None:
    broker = with_two_partitions()
    broker.replicas.disk.make_directory("/logs/x-0")
    broker.replicas.stop()
    broker.start()
    broker.replicas.disk.fail("sync_directory", "/logs")
    broker.heartbeat()
    broker.heartbeat()
    assert broker.harness.partition("t", 0).leader == -1
    assert values(broker, "t", 1) == [b"b"]


def test_a_replica_whose_directory_is_offline_at_the_start_is_offline_for_clients() -> None:
    broker = with_two_partitions()
    broker.replicas.stop()
    broker.start()
    broker.replicas.log_directories.fail("/logs", "EIO")
    broker.heartbeat()
    for result in (
        broker.produce("t", batch(), 0),
        broker.fetch("t", wanted(0)),
        broker.offset("t", LATEST, 0),
    ):
        assert result.error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert values(broker, "t", 1) == [b"b"]


# -- logs that fail in directories that work -------------------------------------------------------------------------


def test_appends_that_wait_behind_one_that_failed_fail_as_well() -> None:
    broker = with_two_partitions()
    broker.replicas.workers.hold()
    found = [broker.send(broker.produce_request(("t", 0, batch())), 13) for _ in range(3)]
    broker.replicas.disk.fail("write", f"t-0/{LOG}")
    broker.replicas.workers.release()
    assert [only_partition(each[0].responses).error_code for each in found] == [56, 56, 56]


def damaged(replicas: list[int]) -> DataBroker:
    """Where the log of t-0 belongs, something else lies."""
    broker = DataBroker()
    broker.topic("t", replicas)
    broker.replicas.disk.make_directory("/logs/t-0")
    broker.replicas.disk.open(METADATA, create=True).append([b"damaged"])
    broker.report()
    return broker


def test_another_broker_leads_if_a_log_is_damaged_and_it_is_fetched_anew() -> None:
    broker = damaged([ME, OTHER])
    partition = broker.harness.partition("t")
    own = broker.directory_ids["/logs"]
    assert (partition.leader, partition.isr, partition.directory_of(ME)) == (OTHER, (OTHER,), LOST_DIRECTORY)
    assert names(broker) == ["t-0", "t-0-stray"]
    assert broker.replicas.partition("t", 0).role is Role.FOLLOWER
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert hosted is not None
    broker.replicas.manager.replicas.has_all_again(hosted)
    broker.report()
    assert broker.harness.partition("t").directory_of(ME) == own
    # Its directory works.
    broker.topic("u", [ME])
    broker.report()
    assert broker.produce("u", batch(b"b")).error_code == 0


def test_a_damaged_log_is_not_begun_anew_and_is_back_once_it_was_mended() -> None:
    broker = damaged([ME])
    assert broker.harness.partition("t").leader == -1
    assert broker.produce("t", batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    broker.harness.heartbeat(ME)
    broker.report()
    disk = broker.replicas.disk
    assert disk.list_directory("/logs/t-0") == ["partition.metadata"]
    disk.remove(METADATA)
    disk.open(METADATA, create=True).append([encode_partition_metadata(broker.topic_id("t"))])
    broker.start_again(is_clean=False)
    broker.report()
    assert broker.harness.partition("t").directory_of(ME) == broker.directory_ids["/logs"]
    broker.heartbeat()
    assert broker.produce("t", batch()).error_code == 0


def test_a_damaged_log_of_a_deleted_topic_goes_with_it() -> None:
    broker = damaged([ME])
    topics = [DeleteTopicsRequest.DeleteTopicState(name="t")]
    broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
    broker.report()
    assert names(broker) == ["t-0-delete"]
    broker.topic("t", [ME])
    broker.report()
    assert broker.produce("t", batch(b"new")).base_offset == 0


@pytest.mark.parametrize("error", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_a_log_that_ran_short_while_it_was_written_is_opened_again(error: int) -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    broker.report()
    assert broker.produce("t", batch(b"a")).error_code == 0
    broker.replicate("t", 1)
    epoch = broker.harness.partition("t").leader_epoch
    broker.replicas.disk.fail("write", f"t-0/{LOG}", error)
    assert broker.produce("t", batch(b"lost")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    # A client asks again after that.
    for result in (broker.produce("t", batch()), broker.fetch("t"), broker.offset("t", LATEST)):
        assert result.error_code == ErrorCode.KAFKA_STORAGE_ERROR
    broker.replicas.pass_time(100)
    assert broker.produce("t", batch(b"b")).error_code == 0
    broker.replicate("t", 2)
    assert values(broker, "t") == [b"a", b"b"]
    partition = broker.harness.partition("t")
    assert (partition.leader, partition.leader_epoch, partition.isr) == (ME, epoch, (ME, OTHER))


def test_while_a_log_is_opened_again_the_isr_that_was_asked_for_still_counts() -> None:
    """The controller may have added a follower already, which must have every record that is acknowledged."""
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    broker.report()
    broker.harness.heartbeat(OTHER, want_fence=True)
    broker.harness.heartbeat(OTHER)
    broker.report()
    assert broker.harness.partition("t").isr == (ME,)
    broker.replicate("t", 0)
    partition = broker.replicas.partition("t", 0)
    assert partition.maximal_isr == (ME, OTHER)
    broker.replicas.disk.fail("write", f"t-0/{LOG}", errno.ENOMEM)
    broker.produce("t", batch(b"lost"))
    broker.replicas.pass_time(100)
    assert broker.produce("t", batch(b"a")).error_code == 0
    assert (partition.maximal_isr, partition.high_watermark) == ((ME, OTHER), 0)
    broker.replicate("t", 1)
    assert partition.high_watermark == 1


def test_a_log_that_is_short_for_long_is_lost_until_it_is_open_again() -> None:
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    broker.replicas.disk.fail("create", f"t-0/{LOG}", errno.EMFILE, times=8)
    broker.report()
    broker.replicas.pass_time(4_000)
    broker.report()
    assert broker.harness.partition("t").leader == ME
    for _ in range(FAILURES_UNTIL_LOST):
        broker.replicas.pass_time(10_000)
    broker.report()
    partition = broker.harness.partition("t")
    assert (partition.leader, partition.directory_of(ME)) == (OTHER, LOST_DIRECTORY)
    broker.replicas.pass_time(10_000)
    broker.report()
    assert broker.harness.partition("t").directory_of(ME) == broker.directory_ids["/logs"]
    assert broker.replicas.partition("t", 0).role is Role.FOLLOWER


def test_a_log_that_ran_short_is_not_opened_again_after_the_broker_has_stopped_or_the_topic_is_gone() -> None:
    for is_stopped in (True, False):
        broker = DataBroker()
        broker.topic("t", [ME])
        broker.replicas.disk.fail("create", f"t-0/{LOG}", errno.EMFILE)
        broker.report()
        if is_stopped:
            broker.replicas.stop()
        else:
            topics = [DeleteTopicsRequest.DeleteTopicState(name="t")]
            broker.harness.call(DeleteTopicsRequest(topics=topics, timeout_ms=1000))
            broker.report()
        before = names(broker)
        broker.replicas.pass_time(10_000)
        assert names(broker) == before
        assert all(hosted.log is None for hosted in broker.replicas.manager.replicas)
