"""Logs that were longer when the broker stopped: they are not served as if they were whole (KIP-858, KIP-966).

Tests: `shell.replicas.files.clean_stop`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import structs

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DeleteTopicsRequest
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey, without_moved
from kafkaproto_server.shell.storage.directories.acceptance import accept_log
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    read_offsets,
    write_offsets,
)
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, batches, wanted
from tests.apis.support.replicas import PATH
from tests.core.controller.support.harness import directory
from tests.sim.disk import MemoryDisk

TIMESTAMP_MS = 1_700_000_000_000
T = f"{PATH}/t-0"
LATEST = -1
BATCH_BYTES = 71
COUNT = 30
"""Batches of one record, ten in a segment."""


def log(base: int) -> str:
    return f"{T}/{base:020}.log"


def cut(disk: MemoryDisk, size: int, *paths: str) -> None:
    """What somebody does to files while the broker does not run."""
    for path in paths:
        node = disk._names[path]
        del node.data[size:], node.synced[size:]
        node.unsynced.clear()


def remove(disk: MemoryDisk, *paths: str) -> None:
    for path in paths:
        del disk._names[path]
        disk._durable_names.pop(path, None)


def flip(disk: MemoryDisk, path: str, position: int) -> None:
    node = disk._names[path]
    for data in (node.data, node.synced):
        if position < len(data):
            data[position] ^= 1


def replace_by_directory(disk: MemoryDisk, path: str) -> None:
    remove(disk, path)
    disk.make_directory(path)


def remove_all(disk: MemoryDisk) -> None:
    remove(disk, *(path for path in list(disk._names) if path.startswith(f"{T}/")))


def remove_directory(disk: MemoryDisk) -> None:
    remove_all(disk)
    remove(disk, T)


def replace_by_file(disk: MemoryDisk) -> None:
    remove_directory(disk)
    disk.open(T, create=True).close()


def forbid(disk: MemoryDisk, path: str) -> None:
    disk._names[path].read_only = True


Damage = Callable[[MemoryDisk], None]
AT_THE_END: dict[str, Damage] = {
    "the last file is empty": lambda disk: cut(disk, 0, log(20)),
    "the last file is half as long": lambda disk: cut(disk, 5 * BATCH_BYTES + 30, log(20)),
    "the last file ends with a batch": lambda disk: cut(disk, 5 * BATCH_BYTES, log(20)),
    "the last file lacks one byte": lambda disk: cut(disk, 10 * BATCH_BYTES - 1, log(20)),
    "the last file is gone": lambda disk: remove(disk, log(20)),
    "all files are gone": lambda disk: remove(disk, log(0), log(10), log(20)),
    "all files are empty": lambda disk: cut(disk, 0, log(0), log(10), log(20)),
    "a bit of the last batch": lambda disk: flip(disk, log(20), 10 * BATCH_BYTES - 2),
}
ELSEWHERE: dict[str, Damage] = {
    "a file in the middle is empty": lambda disk: cut(disk, 0, log(10)),
    "a file in the middle ends with a batch": lambda disk: cut(disk, 5 * BATCH_BYTES, log(10)),
    "a file in the middle is half as long": lambda disk: cut(disk, 5 * BATCH_BYTES + 30, log(10)),
    "a file in the middle is gone": lambda disk: remove(disk, log(10)),
    "the first file is gone": lambda disk: remove(disk, log(0)),
    "the first file is empty": lambda disk: cut(disk, 0, log(0)),
}
OTHERWISE: dict[str, Damage] = {
    "the topic id is gone": lambda disk: remove(disk, f"{T}/partition.metadata"),
    "the topic id is empty": lambda disk: cut(disk, 0, f"{T}/partition.metadata"),
    "the topic id is torn": lambda disk: cut(disk, 20, f"{T}/partition.metadata"),
    "the topic id is a directory": lambda disk: replace_by_directory(disk, f"{T}/partition.metadata"),
    "the last file is a directory": lambda disk: replace_by_directory(disk, log(20)),
    "the topic id has another bit": lambda disk: flip(disk, f"{T}/partition.metadata", 25),
    "the epochs are a directory": lambda disk: replace_by_directory(disk, f"{T}/leader-epoch-checkpoint"),
    "the last file may not be opened": lambda disk: forbid(disk, log(20)),
}
AS_A_WHOLE: dict[str, Damage] = {
    "the directory is gone": remove_directory,
    "the directory is empty": remove_all,
    "the directory is a file": replace_by_file,
}


def write(disk: MemoryDisk, path: str, content: bytes) -> None:
    file = disk.open(path, create=True)
    file.truncate(0)
    file.append([content])
    file.close()


def remove_checkpoints(disk: MemoryDisk) -> None:
    for name in (RECOVERY_POINTS, HIGH_WATERMARKS):
        write(disk, f"{PATH}/{name}", b"garbage")


def lose_all_but_the_producers(disk: MemoryDisk) -> None:
    remove_checkpoints(disk)
    remove(disk, *(path for path in list(disk._names) if path.startswith(T) and path.endswith("index")))
    cut(disk, 0, log(20))


def lose_the_beginning(disk: MemoryDisk) -> None:
    remove(disk, *(f"{T}/{0:020}.{suffix}" for suffix in ("log", "index", "timeindex")))
    write(disk, f"{T}/leader-epoch-checkpoint", b"garbage")


WITH_OTHER_FILES: dict[str, Damage] = {
    "the last file, the indexes and the checkpoints": lose_all_but_the_producers,
    "the first file with its indexes and the epochs": lose_the_beginning,
    "the log starts behind its end": lambda disk: write(disk, f"{PATH}/{LOG_STARTS}", b"0\n1\nt 0 4000\n"),
}
"""After a stop in order."""
DAMAGES = {**AT_THE_END, **ELSEWHERE, **OTHERWISE, **AS_A_WHOLE}


def test_only_a_start_that_has_opened_all_logs_says_that_the_machine_has_run_on() -> None:
    """A loss of power before it may have taken records from a log that it has not looked at."""
    broker = written()
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    disk = broker.replicas.disk
    disk.boots += 1
    AT_THE_END["the last file is half as long"](disk)
    # It is killed before it has opened anything.
    broker.start(is_clean=False)
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    disk.open_files.clear()
    started(broker, is_clean=False)
    assert broker.produce("t", batch()).error_code == 0


def written(replicas: list[int] | None = None, **configs: str) -> DataBroker:
    """With records in t, three segments of them, and in u."""
    broker = DataBroker()
    for name in ("t", "u"):
        broker.topic(name, replicas or [ME], **{"index.interval.bytes": "0", **configs})
    broker.report()
    # As some seconds after the start.
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert hosted is not None
    for number in range(COUNT):
        record = NewRecord(b"%02d" % number, b"v")
        made = build_batch([record], base_offset=0, timestamp_ms=TIMESTAMP_MS + number)
        assert len(made) == BATCH_BYTES
        assert broker.produce("t", made).error_code == 0
        if number % 10 == 9 and number < COUNT - 1:
            assert hosted.log is not None
            hosted.log.log.roll()
            broker.replicas.manager.replicas.changes.has_rolled(hosted)
    assert broker.produce("u", batch(b"u")).error_code == 0
    for name in ("t", "u"):
        if replicas:
            broker.replicate(name, COUNT if name == "t" else 1)
    return broker


def ended(broker: DataBroker, *, is_clean: bool) -> None:
    """It stops, or its process is killed some seconds after its last append."""
    if is_clean:
        broker.replicas.stop()
    else:
        for name in (RECOVERY_POINTS, HIGH_WATERMARKS):
            broker.replicas.manager.replicas.write_checkpoint(name)
    # What a killed process had open.
    broker.replicas.disk.open_files.clear()


def started(broker: DataBroker, *, is_clean: bool) -> None:
    broker.start(is_clean=is_clean)
    broker.report()
    broker.heartbeat()


@pytest.mark.parametrize("is_clean", [True, False], ids=["stopped", "killed"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_log_that_has_lost_something_is_not_served_and_is_left_as_it_is(
    damage: str, is_clean: bool, caplog: pytest.LogCaptureFixture
) -> None:
    broker = written()
    ended(broker, is_clean=is_clean)
    disk = broker.replicas.disk
    DAMAGES[damage](disk)
    before = {path: bytes(node.data) for path, node in disk._names.items() if path.endswith((".log", "data"))}
    for _ in range(2):
        # The second time as well.
        started(broker, is_clean=is_clean)
        assert broker.fetch("t").error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert broker.offset("t", LATEST).error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert broker.produce("t", batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert [value for _, _, each in batches(broker.fetch("u").records) for value in each] == [b"u"]
        assert broker.harness.partition("t").directory_of(ME) == LOST_DIRECTORY
    assert before == {path: bytes(disk._names[path].data) for path in before}
    assert T in caplog.text
    assert (
        damage in OTHERWISE
        or damage == "the directory is a file"
        or "kafka-storage accept-log" in caplog.text
    )


@pytest.mark.parametrize("damage", WITH_OTHER_FILES)
def test_a_log_that_has_lost_what_would_show_it_as_well_is_not_served(
    damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    broker = written()
    ended(broker, is_clean=True)
    disk = broker.replicas.disk
    WITH_OTHER_FILES[damage](disk)
    before = {path: bytes(node.data) for path, node in disk._names.items() if path.endswith(".log")}
    for _ in range(2):
        started(broker, is_clean=True)
        assert broker.fetch("t").error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert [value for _, _, each in batches(broker.fetch("u").records) for value in each] == [b"u"]
        for name in (RECOVERY_POINTS, HIGH_WATERMARKS):
            broker.replicas.manager.replicas.write_checkpoint(name)
        broker.replicas.disk.open_files.clear()
    assert before == {path: bytes(disk._names[path].data) for path in before}
    assert f"{T}" in caplog.text
    assert "kafka-storage accept-log" in caplog.text
    # What is there is served once that is accepted.
    accept_log(disk, [PATH], "t", 0, topic_id=None, report=lambda line: None)
    started(broker, is_clean=True)
    assert broker.produce("t", batch(b"new")).error_code == 0
    start = 10 if damage.startswith("the first file") else 0
    assert [each for _, _, each in batches(broker.fetch("t", wanted(0, start)).records)][:1] != []


def test_offsets_of_an_empty_log_are_not_given_out_again() -> None:
    broker = written()
    ended(broker, is_clean=True)
    disk = broker.replicas.disk
    write(disk, f"{PATH}/{LOG_STARTS}", b"0\n1\nt 0 25\n")
    cut(disk, 0, log(0), log(10), log(20))
    accept_log(disk, [PATH], "t", 0, topic_id=None, report=lambda line: None)
    started(broker, is_clean=True)
    assert broker.produce("t", batch(b"new")).base_offset == 25


@pytest.mark.parametrize("is_clean", [True, False], ids=["stopped", "killed"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_replica_that_has_lost_something_is_fetched_anew_if_another_leads_without_it(
    damage: str, is_clean: bool
) -> None:
    broker = written([ME, OTHER])
    ended(broker, is_clean=is_clean)
    DAMAGES[damage](broker.replicas.disk)
    started(broker, is_clean=is_clean)
    partition = broker.harness.partition("t")
    assert (partition.leader, partition.isr) == (OTHER, (OTHER,))
    found = broker.replicas.partition("t", 0)
    assert (found.role, found.log_end_offset) == (Role.FOLLOWER, 0)
    # The controllers count on it once it has all again; they do not count on one that does not say whose it is.
    says_nothing = damage.startswith("the topic id") or damage in AS_A_WHOLE
    assert partition.directory_of(ME) == LOST_DIRECTORY or says_nothing
    # What was there is kept for the administrator.
    names = broker.replicas.disk.list_directory(PATH)
    strays = [each for each in names if each.startswith("t-0.") and each.endswith("-stray")]
    assert len(strays) == (0 if damage == "the directory is gone" else 1)


def test_what_is_set_aside_lies_where_the_replica_lies_now() -> None:
    """It was a copy when the broker started, and may have moved since."""
    broker = written([ME, OTHER])
    ended(broker, is_clean=True)
    future = f"{PATH}/t-0.{'0' * 32}-future"
    broker.replicas.disk.rename(T, future)
    started(broker, is_clean=True)
    assert broker.replicas.partition("t", 0).log_end_offset == COUNT
    manager = broker.replicas.manager.replicas
    hosted = manager.get(broker.topic_id("t"), 0)
    assert hosted is not None
    assert (hosted.log is not None, hosted.found_path) == (True, None)


@pytest.mark.parametrize("damage", OTHERWISE)
def test_a_topic_that_is_made_anew_has_nothing_to_do_with_what_was_lost(damage: str) -> None:
    broker = written()
    ended(broker, is_clean=True)
    OTHERWISE[damage](broker.replicas.disk)
    started(broker, is_clean=True)
    broker.delete_topic("t")
    broker.topic("t", [ME])
    broker.report()
    broker.heartbeat()
    assert broker.produce("t", batch()).error_code == 0


# Without the others: they look like an append that the kill has interrupted.
@pytest.mark.parametrize("damage", [each for each in AT_THE_END if "file is" in each or "files are" in each])
def test_indexes_prove_a_loss_before_any_checkpoint_was_written(damage: str) -> None:
    broker = written()
    disk = broker.replicas.disk
    disk.open_files.clear()
    DAMAGES[damage](disk)
    before = set(disk.list_directory(T))
    for _ in range(2):
        started(broker, is_clean=False)
        assert broker.produce("t", batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert before <= set(disk.list_directory(T))


@pytest.mark.parametrize("damage", AT_THE_END)
def test_a_loss_of_power_may_take_what_was_not_durable(damage: str) -> None:
    broker = written()
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    disk = broker.replicas.disk
    disk.open_files.clear()
    disk.boots += 1
    AT_THE_END[damage](disk)
    started(broker, is_clean=False)
    assert broker.produce("t", batch()).error_code == 0


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_loss_of_power_takes_nothing_that_was_durable(damage: str) -> None:
    broker = written()
    hosted = broker.replicas.manager.replicas.get(broker.topic_id("t"), 0)
    assert hosted is not None
    assert hosted.log is not None
    hosted.log.log.flush()
    broker.replicas.manager.replicas.write_checkpoint(RECOVERY_POINTS)
    disk = broker.replicas.disk
    disk.open_files.clear()
    disk.boots += 1
    DAMAGES[damage](disk)
    started(broker, is_clean=False)
    # Of the beginning nothing durable is known but after a stop in order.
    is_served = damage == "the first file is gone"
    assert (broker.produce("t", batch()).error_code == 0) is is_served


@pytest.mark.parametrize("is_clean", [True, False], ids=["stopped", "killed"])
@pytest.mark.parametrize(
    "damage", [each for each in DAMAGES if not each.endswith(("a directory", "a file", "may not be opened"))]
)
def test_what_is_left_is_served_once_an_administrator_accepts_the_loss(damage: str, is_clean: bool) -> None:
    broker = written()
    ended(broker, is_clean=is_clean)
    disk, topic_id = broker.replicas.disk, broker.topic_id("t")
    DAMAGES[damage](disk)
    if damage == "the topic id has another bit":
        with pytest.raises(StorageError, match="names another topic id: remove the file if that is wrong"):
            accept_log(disk, [PATH], "t", 0, topic_id=topic_id, report=lambda line: None)
        remove(disk, f"{T}/partition.metadata")
    if damage.startswith("the topic id") or damage in AS_A_WHOLE:
        problem = f"{T} is gone" if damage == "the directory is gone" else "partition.metadata is gone"
        with pytest.raises(StorageError, match=f"{problem}.*: give the topic's id with --topic-id"):
            accept_log(disk, [PATH], "t", 0, topic_id=None, report=lambda line: None)
    lines: list[str] = []
    accept_log(disk, [PATH], "t", 0, topic_id=topic_id, report=lines.append)
    started(broker, is_clean=is_clean)
    result = broker.produce("t", batch(b"new"))
    assert result.error_code == 0
    found = broker.fetch("t", wanted(0, result.base_offset)).records
    assert [each for _, _, each in batches(found)] == [[b"new"]]
    # The other log is as it was.
    assert [value for _, _, each in batches(broker.fetch("u").records) for value in each] == [b"u"]


def emptied(broker: DataBroker, *, is_new_disk: bool) -> None:
    """Somebody removes all from the log directory of a broker that was killed, or puts a new disk in its place."""
    ended(broker, is_clean=False)
    disk = broker.replicas.disk
    remove(disk, *(path for path in list(disk._names) if path.startswith(f"{PATH}/")))
    if is_new_disk:
        broker.directory_ids[PATH] = directory(ME, 9)


def test_what_an_emptied_log_directory_had_is_not_begun_anew_as_an_empty_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broker = written()
    emptied(broker, is_new_disk=False)
    for _ in range(3):
        started(broker, is_clean=False)
        for topic in ("t", "u"):
            assert broker.produce(topic, batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR
            assert broker.harness.partition(topic).directory_of(ME) == LOST_DIRECTORY
    assert "the log directory was emptied or replaced" in caplog.text
    # What is new has lost nothing.
    broker.topic("new", [ME])
    broker.report()
    broker.heartbeat()
    assert broker.produce("new", batch()).error_code == 0
    ended(broker, is_clean=False)
    accept_log(broker.replicas.disk, [PATH], "t", 0, topic_id=broker.topic_id("t"), report=lambda line: None)
    started(broker, is_clean=False)
    assert broker.produce("t", batch()).base_offset == 0
    assert broker.produce("new", batch()).base_offset == 1
    assert broker.produce("u", batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR


def test_who_formats_another_disk_gives_up_what_nobody_else_has() -> None:
    broker = written()
    emptied(broker, is_new_disk=True)
    started(broker, is_clean=False)
    assert broker.produce("t", batch()).base_offset == 0


@pytest.mark.parametrize("is_new_disk", [False, True])
def test_what_an_emptied_log_directory_had_is_fetched_anew_if_another_leads(is_new_disk: bool) -> None:
    broker = written([ME, OTHER])
    emptied(broker, is_new_disk=is_new_disk)
    started(broker, is_clean=False)
    partition = broker.harness.partition("t")
    assert (partition.leader, partition.isr) == (OTHER, (OTHER,))
    found = broker.replicas.partition("t", 0)
    assert (found.role, found.log_end_offset) == (Role.FOLLOWER, 0)


@pytest.mark.parametrize("is_clean", [True, False], ids=["stopped", "killed"])
def test_an_emptied_log_directory_shows_its_loss_until_the_metadata_is_there(is_clean: bool) -> None:
    broker = written()
    emptied(broker, is_new_disk=False)
    # It ends before it has heard of any replica.
    broker.start(is_clean=False)
    ended(broker, is_clean=is_clean)
    # Notes of starts show nothing: they stay when all else is removed.
    assert all(name.startswith(".") for name in broker.replicas.disk.list_directory(PATH))
    started(broker, is_clean=False)
    assert broker.produce("t", batch()).error_code == ErrorCode.KAFKA_STORAGE_ERROR


def test_a_replica_that_was_not_begun_before_a_crash_has_lost_nothing() -> None:
    broker = DataBroker()
    broker.topic("t", [ME])
    broker.report()
    broker.replicas.manager.replicas.write_checkpoint(HIGH_WATERMARKS)
    broker.topic("u", [ME])
    broker.replicas.disk.open_files.clear()
    started(broker, is_clean=False)
    assert broker.produce("u", batch()).error_code == 0


def test_a_loss_is_accepted_of_one_log_that_nobody_uses() -> None:
    broker = written()
    ended(broker, is_clean=True)
    disk = broker.replicas.disk

    def refused(topic: str, directories: list[str], topic_id: bytes | None, text: str) -> None:
        with pytest.raises(StorageError, match=text):
            accept_log(disk, directories, topic, 0, topic_id=topic_id, report=lambda line: None)

    refused("v", [PATH], None, "v-0 is in 0 of the log directories, and not in one: /logs")
    refused("t", [PATH, PATH], None, "t-0 is in 2 of the log directories, and not in one: /logs, /logs")
    refused("t", [PATH], b"x" * 16, "names another topic id")
    lock = disk.lock(f"{PATH}/.lock")
    refused("t", [PATH], None, "/logs is in use: stop the broker first")
    lock.release()
    replace_by_directory(disk, log(20))
    before = disk.list_directory(T)
    refused("t", [PATH], None, f"{log(20)} is a directory: move it away")
    assert disk.list_directory(T) == before


def test_after_a_stop_a_log_is_read_if_an_administrator_has_removed_its_recovery_point() -> None:
    """The indexes alone do not show that a batch in the middle of a segment is damaged."""
    broker = written()
    ended(broker, is_clean=True)
    disk = broker.replicas.disk
    offsets = read_offsets(disk, PATH, RECOVERY_POINTS)
    del offsets["t", 0]
    write_offsets(disk, PATH, RECOVERY_POINTS, offsets)
    flip(disk, log(10), 6 * BATCH_BYTES - 2)
    started(broker, is_clean=True)
    assert broker.fetch("t").error_code == ErrorCode.KAFKA_STORAGE_ERROR


def test_after_a_loss_of_power_a_log_is_read_from_its_recovery_point_on() -> None:
    broker = written()
    broker.replicas.manager.replicas.write_checkpoint(RECOVERY_POINTS)
    disk = broker.replicas.disk
    assert read_offsets(disk, PATH, RECOVERY_POINTS)["t", 0] == 20
    disk.open_files.clear()
    disk.boots += 1
    flip(disk, log(20), 6 * BATCH_BYTES - 2)
    started(broker, is_clean=False)
    assert broker.replicas.partition("t", 0).log_end_offset == 25


def test_a_replica_that_still_lacks_what_it_had_is_not_complete_after_a_stop() -> None:
    broker = written([ME, OTHER])
    ended(broker, is_clean=True)
    AT_THE_END["the last file is empty"](broker.replicas.disk)
    started(broker, is_clean=True)
    manager = broker.replicas.manager.replicas
    hosted = manager.get(broker.topic_id("t"), 0)
    assert hosted is not None
    assert hosted.is_anew
    own = broker.directory_ids[PATH]
    broker.replicas.stop()
    assert manager.clean_stop.unread_directories == {own}
    manager.has_all_again(hosted)
    assert manager.clean_stop.unread_directories == frozenset()


@pytest.mark.parametrize(
    ("leader", "isr", "elr", "last_known", "is_known_to_be_lost", "begins"),
    [
        pytest.param(OTHER, (OTHER,), (), (), False, True, id="another leads without it"),
        pytest.param(OTHER, (OTHER,), (), (), True, True, id="it is known to be lost"),
        pytest.param(OTHER, (OTHER, ME), (), (), True, False, id="it is in sync"),
        pytest.param(OTHER, (OTHER,), (ME,), (), False, False, id="it is eligible"),
        pytest.param(OTHER, (OTHER,), (ME,), (), True, True, id="it is eligible and known to be lost"),
        pytest.param(OTHER, (OTHER,), (), (ME,), False, False, id="it led last"),
        pytest.param(-1, (), (), (), True, False, id="nobody leads"),
        pytest.param(ME, (), (), (), True, False, id="it leads"),
    ],
)
def test_a_log_is_begun_anew_only_if_no_controller_counts_on_it(
    leader: int,
    isr: tuple[int, ...],
    elr: tuple[int, ...],
    last_known: tuple[int, ...],
    is_known_to_be_lost: bool,
    begins: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = written([ME, OTHER])
    manager = broker.replicas.manager
    hosted = manager.replicas.get(broker.topic_id("t"), 0)
    assert hosted is not None
    assert hosted.image is not None
    own = LOST_DIRECTORY if is_known_to_be_lost else broker.directory_ids[PATH]
    directories = tuple(own if each == ME else b"o" * 16 for each in hosted.image.replicas)
    hosted.image = structs.replace(
        hosted.image, leader=leader, isr=isr, elr=elr, last_known_elr=last_known, directories=directories
    )
    begun: list[object] = []
    monkeypatch.setattr(manager.replicas, "begin_anew", begun.append)
    manager._roles.maybe_begin_anew(hosted)
    assert begun == [hosted] * begins


@pytest.mark.parametrize(
    "damage", ["the directory is gone", "the directory is empty", "the topic id is empty"]
)
def test_what_the_checkpoints_have_of_a_nameless_directory_stays_until_the_metadata_is_there(
    damage: str,
) -> None:
    broker = written()
    ended(broker, is_clean=True)
    DAMAGES[damage](broker.replicas.disk)
    # It learns nothing of the metadata before it is killed.
    broker.start(is_clean=True)
    for name in (RECOVERY_POINTS, HIGH_WATERMARKS):
        broker.replicas.manager.replicas.write_checkpoint(name)
        assert read_offsets(broker.replicas.disk, PATH, name)["t", 0] == COUNT


@pytest.mark.parametrize("is_running", [True, False], ids=["running", "down"])
def test_the_checkpoints_say_nothing_of_a_directory_before_the_broker_renames_it(
    is_running: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If they did, and the process were killed then, the replica would look like one that is gone."""
    broker = written()
    disk = broker.replicas.disk
    if is_running:
        for name in (RECOVERY_POINTS, HIGH_WATERMARKS):
            broker.replicas.manager.replicas.write_checkpoint(name)
    else:
        ended(broker, is_clean=True)
    said: list[int | None] = []
    before = disk.before

    def at_rename(operation: str, path: str) -> None:
        if (operation, path) == ("rename", T):
            for name in (RECOVERY_POINTS, HIGH_WATERMARKS):
                said.append(read_offsets(disk, PATH, name).get(("t", 0)))
        before(operation, path)

    monkeypatch.setattr(disk, "before", at_rename)
    assert (read_offsets(disk, PATH, HIGH_WATERMARKS)["t", 0], said) == (COUNT, [])
    request = DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(name="t")], timeout_ms=1000)
    broker.harness.call(request)
    if is_running:
        broker.report()
    else:
        started(broker, is_clean=True)
    assert said == [None, None]


def test_a_replica_that_has_moved_is_not_gone_from_where_it_was() -> None:
    def found(directory_id: bytes, *, is_gone: bool = False, is_future: bool = False) -> FoundReplica:
        topic_id = None if is_gone else b"t" * 16
        return FoundReplica(
            directory_id, "t-0", "t", 0, topic_id, is_future, is_damaged=is_gone, is_gone=is_gone
        )

    def survey(*found: FoundReplica) -> DirectorySurvey:
        return DirectorySurvey(
            is_clean=True, found=found, recovery_points={}, log_starts={}, high_watermarks={}
        )

    a, b = b"a" * 16, b"b" * 16
    gone, there, future = found(a, is_gone=True), found(b), found(b, is_future=True)
    assert without_moved({a: survey(gone), b: survey(there)}) == {a: survey(), b: survey(there)}
    assert without_moved({a: survey(gone), b: survey(future)}) == {a: survey(gone), b: survey(future)}
