"""The log cleaner of a broker: which logs it takes, what it leaves of them, and what it does if something is wrong."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio.testing
from msgspec import structs

from kafkaproto.directory_files import META_PROPERTIES_NAME
from kafkaproto.records.batch import iterate_batches
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.core.replicas.partition import Role
from kafkaproto_server.requests.data import MarkerItem, ProduceItem
from kafkaproto_server.shell.replicas.files import cleaning
from kafkaproto_server.shell.replicas.files.cleaning import _cleaned_at_start
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.survey import DirectorySurvey, survey_directory
from kafkaproto_server.shell.storage.log.cleaning import CleanedGroup
from kafkaproto_server.shell.storage.offset_checkpoints import CLEANED, read_offsets
from tests.apis.support.data_broker import DataBroker, batch, batches, wanted
from tests.apis.support.replicas import PATH
from tests.core.controller.support.harness import TIMESTAMP_MS
from tests.node.support.tasks import Turns
from tests.sim.disk import MemoryDisk

COMPACTED = {
    "cleanup.policy": "compact",
    "segment.ms": "1000",
    "min.cleanable.dirty.ratio": "0.4",
}
BACKOFF_S = 15


@pytest.fixture
def broker() -> DataBroker:
    """There is the compacted topic t."""
    broker = DataBroker()
    broker.topic("t", **COMPACTED)
    return broker


def write(broker: DataBroker, count: int, *, topic: str = "t", start: int = 0, **fields: Any) -> None:
    """Write batches with records of one key; each one begins a segment."""
    for number in range(start, start + count):
        timestamp_ms = TIMESTAMP_MS - 1_000_000 + 2_000 * number
        sent = batch(b"value %d" % number, key=b"k", timestamp_ms=timestamp_ms, **fields)
        item = ProduceItem(topic_id=broker.topic_id(topic), index=0, records=sent, allows_zstd=True)
        results: list[Any] = []
        broker.replicas.follow()
        broker.trust_producers()
        broker.replicas.manager.produce([item], acks=1, timeout_ms=0, done=results.extend)
        assert [each.code for each in results] == [0]


def end_transaction(broker: DataBroker, *, is_abort: bool) -> None:
    """End the transaction of producer 7."""
    item = MarkerItem(
        topic="t",
        index=0,
        producer_id=7,
        producer_epoch=0,
        is_abort=is_abort,
        coordinator_epoch=0,
        transaction_version=0,
    )
    results: list[Any] = []
    broker.replicas.manager.write_markers([item], results.extend)
    assert [each.code for each in results] == [0]


def hosted(broker: DataBroker, topic: str = "t") -> Hosted:
    found = broker.replicas.manager.replicas.get(broker.topic_id(topic), 0)
    assert found is not None
    return found


async def run(broker: DataBroker, seconds: float = 1) -> None:
    with trio.move_on_after(seconds):
        await broker.replicas.manager._cleaner.run()


def read(broker: DataBroker, topic: str = "t") -> list[bytes | None]:
    """The values in a log, from its start to its end."""
    log = hosted(broker, topic).log
    assert log is not None
    values: list[bytes | None] = []
    offset = 0
    while data := bytes(log.read_records(offset, 1 << 20, 1 << 62, whole_first=True)):
        for view in iterate_batches(data):
            values += [record.value for record in view.records()]
            offset = view.next_offset
    return values


def checkpoint(broker: DataBroker) -> dict[tuple[str, int], int]:
    return read_offsets(broker.replicas.disk, PATH, CLEANED)


@pytest.mark.trio
async def test_a_dirty_log_is_compacted_and_its_checkpoint_written(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    write(broker, 5)
    await run(broker)
    assert read(broker) == [b"value 3", b"value 4"]
    assert checkpoint(broker) == {("t", 0): 4}
    names = broker.replicas.disk.list_directory(f"{PATH}/t-0")
    assert not [
        name
        for name in names
        if name != "leader-epoch-checkpoint"
        and not name.endswith((".log", ".index", ".timeindex", ".metadata", ".snapshot", ".deleted"))
    ]
    # Clients see the offsets that they saw before.
    fetched = broker.fetch("t")
    assert [offset for offset, _, _ in batches(fetched.records)] == [3]
    fetched = broker.fetch("t", wanted(0, 4))
    assert [offset for offset, _, _ in batches(fetched.records)] == [4]


@pytest.mark.trio
async def test_the_cleaner_looks_again_after_its_backoff(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broker.replicas.manager._cleaner.run)
        await trio.sleep(1)
        write(broker, 5)
        await trio.sleep(BACKOFF_S - 2)
        assert len(read(broker)) == 5
        await trio.sleep(2)
        assert len(read(broker)) == 2
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_without_a_backoff_the_cleaner_pauses_for_a_millisecond(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleaner = DataBroker(log_cleaner_backoff_ms="0").replicas.manager._cleaner
    looks_s: list[float] = []
    with trio.CancelScope() as scope:

        async def choose() -> None:
            looks_s.append(trio.current_time())
            if len(looks_s) == 3:
                scope.cancel()
            await trio.lowlevel.checkpoint()

        monkeypatch.setattr(cleaner, "_choose", choose)
        begin_s = trio.current_time()
        await cleaner.run()
    assert [each - begin_s for each in looks_s] == pytest.approx([0, 0.001, 0.002])


@pytest.mark.trio
async def test_a_clean_log_is_left_alone_until_enough_is_dirty(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    write(broker, 5)
    await run(broker)
    log = hosted(broker).log
    assert log is not None
    segments = log.log.segments
    await run(broker)
    assert log.log.segments == segments
    write(broker, 2, start=5)
    await run(broker)
    assert read(broker) == [b"value 5", b"value 6"]


@pytest.mark.trio
@pytest.mark.parametrize("cause", ["policy", "disabled"])
async def test_other_logs_are_not_compacted(cause: str, autojump_clock: trio.testing.MockClock) -> None:
    broker = DataBroker(log_cleaner_enable=str(cause != "disabled").lower())
    broker.topic("t", **(COMPACTED if cause == "disabled" else {"segment.ms": "1000"}))
    write(broker, 5)
    await run(broker, 100)
    assert len(read(broker)) == 5


@pytest.mark.trio
async def test_the_log_with_the_largest_share_of_dirty_bytes_comes_first(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    broker.topic("u", **COMPACTED)
    write(broker, 5)
    await run(broker)
    write(broker, 2, start=5)
    write(broker, 5, topic="u")
    cleaner = broker.replicas.manager._cleaner
    chosen = await cleaner._choose()
    assert chosen is not None
    assert chosen[0].partition.topic == "u"


@pytest.mark.trio
async def test_offsets_of_an_open_transaction_are_not_cleaned(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    write(broker, 2)
    write(broker, 1, start=2, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)
    write(broker, 3, start=3)
    await run(broker)
    # Up to the transaction, and not beyond.
    assert checkpoint(broker) == {("t", 0): 2}
    assert read(broker)[0] == b"value 1"
    assert len(read(broker)) == 5


@pytest.mark.trio
async def test_aborted_transactions_go_with_their_batches(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    def written(sequence: int, start: int) -> None:
        write(
            broker,
            1,
            start=start,
            producer_id=7,
            producer_epoch=0,
            base_sequence=sequence,
            transactional=True,
        )

    written(0, 0)
    end_transaction(broker, is_abort=True)
    # Behind the time of the marker.
    written(1, 600)
    end_transaction(broker, is_abort=False)
    write(broker, 3, start=601)
    partition = hosted(broker).partition
    assert len(partition.aborted) == 1
    await run(broker)
    # Its batch was there until now.
    assert len(partition.aborted) == 1
    write(broker, 6, start=604)
    await run(broker)
    assert partition.aborted == []


@pytest.mark.trio
async def test_an_aborted_transaction_is_forgotten_with_the_first_segment(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    """Its marker is the first record, since its own ones were deleted."""
    write(broker, 1, producer_id=7, producer_epoch=0, base_sequence=0, transactional=True)
    end_transaction(broker, is_abort=True)
    write(broker, 4, start=600)
    replica = hosted(broker)
    broker.replicas.manager.replicas.changes.move_start(replica, 1, lambda: None, lambda: None)
    assert replica.log is not None
    assert replica.log.log.segment_bases[0] == 1
    assert [each.last_offset for each in replica.partition.aborted] == [1]
    await run(broker)
    assert replica.partition.aborted == []


@pytest.mark.trio
async def test_a_log_that_cannot_be_read_is_logged_once_and_served(
    broker: DataBroker, autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    broker.topic("u", **COMPACTED)
    write(broker, 5)
    write(broker, 5, topic="u")
    file = broker.replicas.disk.open(f"{PATH}/t-0/{1:020}.log")
    file.write_at(70, b"\xff\xff")
    file.close()
    with caplog.at_level(logging.ERROR):
        await run(broker, 100)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "t-0 cannot be compacted" in caplog.text
    assert hosted(broker).partition.role is Role.LEADER
    assert len(read(broker, "u")) == 2
    write(broker, 1, start=5)
    assert checkpoint(broker) == {("u", 0): 4}


@pytest.mark.trio
async def test_a_disk_that_fails_costs_the_directory(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    write(broker, 5)
    broker.replicas.disk.fail("write", ".cleaned", errno.ENOSPC)
    await run(broker)
    assert hosted(broker).partition.role is Role.OFFLINE


@pytest.mark.trio
@pytest.mark.parametrize(("operation", "role"), [("write", Role.LEADER), ("rename", Role.OFFLINE)])
async def test_a_file_that_cannot_be_used_costs_no_more_than_its_log(
    operation: str, role: Role, broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    """Before the swap only its compaction."""
    write(broker, 5)
    broker.replicas.disk.open(f"{PATH}/{META_PROPERTIES_NAME}", create=True).close()
    broker.replicas.disk.fail(operation, ".cleaned", errno.EACCES)
    await run(broker)
    assert (broker.replicas.manager.directory_failures.waiting, hosted(broker).partition.role) == ([], role)


@pytest.mark.trio
async def test_a_shortage_of_descriptors_is_waited_for(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    write(broker, 5)
    broker.replicas.disk.fail("write", ".cleaned", errno.EMFILE)
    await run(broker, BACKOFF_S - 1)
    assert hosted(broker).partition.role is Role.LEADER
    assert len(read(broker)) == 5
    await run(broker)
    assert len(read(broker)) == 2


@pytest.mark.trio
async def test_the_checkpoint_is_that_of_the_log_after_a_cut(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    write(broker, 5)
    await run(broker)
    replica = hosted(broker)
    assert replica.log is not None
    write(broker, 1, start=5)
    # Behind the checkpoint: nothing changes.
    replica.log.truncate_to(5, 0)
    broker.replicas.manager._cleaner.was_cut(replica)
    assert checkpoint(broker) == {("t", 0): 4}
    # The segment that is active now has what was cleaned.
    replica.log.truncate_to(4, 0)
    broker.replicas.manager._cleaner.was_cut(replica)
    assert checkpoint(broker) == {("t", 0): 0}


@pytest.mark.trio
async def test_a_checkpoint_behind_the_end_of_the_log_is_reset_before_the_log_reaches_it(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    # A crash of the machine has lost records. What is written in their place is dirty.
    write(broker, 1)
    cleaner = broker.replicas.manager._cleaner
    cleaner._set_checkpoint(hosted(broker), 7)
    await run(broker)
    assert checkpoint(broker) == {("t", 0): 0}


async def clean(
    broker: DataBroker,
    topic: str,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[], object] = lambda: None,
    change_at: int = -1,
) -> tuple[bool, int]:
    """Clean a log in slices of a batch. There is a change in the pause of that number; with 0, before the new segment
    is swapped in. Returns whether the cleaning succeeded, and the number of pauses."""
    cleaner, replica, pauses = broker.replicas.manager._cleaner, hosted(broker, topic), 0
    do = cleaning._do

    async def do_job(lane: Any, work: Any) -> Any:
        found = await do(lane, work)
        if isinstance(found, CleanedGroup) and change_at == 0:
            change()
        return found

    async def pause(begin_s: float, io_bytes: int) -> None:
        nonlocal pauses
        await trio.lowlevel.checkpoint()
        pauses += 1
        if pauses == change_at:
            change()

    monkeypatch.setattr(cleaning, "SLICE_BYTES", 1)
    monkeypatch.setattr(cleaning, "_do", do_job)
    monkeypatch.setattr(cleaner, "_pause", pause)
    assert replica.log is not None
    dirty = cleaner._dirty(replica, replica.log, broker.replicas.clock.wall_ms())
    assert dirty is not None
    return await cleaner._clean(replica, replica.log, dirty), pauses


@pytest.mark.trio
@pytest.mark.parametrize("when", ["first pause", "before the swap", "last pause"])
@pytest.mark.parametrize("change", ["cut", "closed", "deleted"])
async def test_a_log_that_changes_while_it_is_cleaned_does_not_count_as_clean(
    change: str, when: str, broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.topic("u", **COMPACTED)
    for topic in ("t", "u"):
        write(broker, 5, topic=topic)
    succeeded, pauses = await clean(broker, "u", monkeypatch)
    assert (succeeded, pauses > 1) == (True, True)

    def changes() -> None:
        replica = hosted(broker)
        if change == "deleted":
            broker.replicas.manager.replica_removed(broker.topic_id("t"), 0)
        elif change == "closed":
            # It has run short of descriptors, for example.
            replica.log = None
        else:
            assert replica.log is not None
            replica.log.truncate_to(3, 0)

    change_at = {"first pause": 1, "before the swap": 0, "last pause": pauses}[when]
    assert (await clean(broker, "t", monkeypatch, changes, change_at))[0] is False
    assert checkpoint(broker) == {("u", 0): 4}


@pytest.mark.trio
async def test_a_cleaning_ends_at_once_if_the_log_was_cut_before_a_new_segment_is_in_it(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.topic("u", **COMPACTED)
    for topic in ("t", "u"):
        write(broker, 5, topic=topic)

    def cut() -> None:
        log = hosted(broker).log
        assert log is not None
        log.truncate_to(3, 0)

    succeeded, pauses = await clean(broker, "u", monkeypatch)
    assert succeeded
    succeeded, pauses_until_cut = await clean(broker, "t", monkeypatch, cut, 0)
    # Otherwise there is a pause after the swap, too.
    assert (succeeded, pauses_until_cut < pauses) == (False, True)


@pytest.mark.trio
async def test_other_tasks_run_while_the_next_log_is_chosen_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleaning, "REPLICAS_PER_TURN", 3)
    cleaner, turns, seen = DataBroker().replicas.manager._cleaner, Turns(), []

    class Closed:
        """A replica without a log."""

        @property
        def log(self) -> None:
            seen.append(turns.count)

    monkeypatch.setattr(cleaner, "_replicas", [Closed() for _ in range(30)])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(turns.run)
        assert await cleaner._choose() is None
        nursery.cancel_scope.cancel()
    assert len(seen) == 30
    # Trio runs ready tasks in any order. Between one part and the next but one, each other task has run.
    assert len(set(seen)) >= 5
    assert max(seen.count(each) for each in set(seen)) <= 7


@pytest.mark.trio
@pytest.mark.parametrize("change", ["not compacted", "cut", "start moved", "closed"])
async def test_a_log_that_changes_while_others_are_looked_at_is_not_cleaned(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other tasks have turns meanwhile, if there are many."""
    broker = DataBroker()
    for topic in ("t", "u"):
        broker.topic(topic, **COMPACTED)
        broker.replicas.follow()
    write(broker, 5)
    cleaner, chosen, seen = broker.replicas.manager._cleaner, hosted(broker), []
    refresh = cleaner._refresh

    def refreshed(replica: Hosted) -> None:
        refresh(replica)
        seen.append(replica)
        if len(seen) == 2:
            assert chosen.log is not None
            if change == "not compacted":
                chosen.settings = structs.replace(chosen.settings, compaction=None)
            elif change == "cut":
                chosen.log.truncate_to(0, 0)
            elif change == "start moved":
                broker.replicas.manager.replicas.changes.move_start(chosen, 5, lambda: None, lambda: None)
            else:
                chosen.log = None

    monkeypatch.setattr(cleaner, "_refresh", refreshed)
    assert await cleaner._choose() is None
    assert seen == [chosen, hosted(broker, "u")]


@pytest.mark.trio
async def test_a_cleaning_ends_if_the_log_has_moved_meanwhile(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    broker = DataBroker(directories=2)
    broker.topic("t", **COMPACTED)
    broker.report()
    write(broker, 5)

    def move() -> None:
        assert broker.replicas.manager.alter_directory("t", 0, "/logs1") == 0
        broker.report()

    assert (await clean(broker, "t", monkeypatch, move, 0))[0] is False
    assert read(broker) == [b"value %d" % number for number in range(5)]
    assert "was cut" not in caplog.text


@pytest.mark.trio
async def test_while_a_log_moves_another_one_is_cleaned(autojump_clock: trio.testing.MockClock) -> None:
    broker = DataBroker(directories=2)
    for topic, count in (("t", 9), ("u", 5)):
        broker.topic(topic, **COMPACTED)
        broker.report()
        write(broker, count, topic=topic)
    assert broker.replicas.manager.alter_directory("t", 0, "/logs1") == 0
    await run(broker)
    assert (len(read(broker)), len(read(broker, "u"))) == (9, 2)
    # It has moved.
    broker.report()
    await run(broker)
    assert (len(read(broker)), len(read(broker, "u"))) == (2, 2)


@pytest.mark.trio
async def test_the_entry_of_a_deleted_topic_goes(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    write(broker, 5)
    await run(broker)
    broker.replicas.manager.replica_removed(broker.topic_id("t"), 0)
    assert checkpoint(broker) == {}


@pytest.mark.trio
async def test_a_replica_that_comes_back_to_the_broker_is_cleaned_though_its_former_log_could_not_be(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    write(broker, 5)
    manager, replica = broker.replicas.manager, hosted(broker)
    file = broker.replicas.disk.open(f"{PATH}/t-0/{1:020}.log")
    file.write_at(70, b"\xff\xff")
    file.close()
    await run(broker)
    assert manager.cleaner_statistics().uncleanable == {PATH: 1}
    topic, image = broker.harness.image.topic_by_name("t"), replica.image
    assert topic is not None
    assert image is not None
    manager.replica_removed(topic.topic_id, 0)
    manager.replica_changed(topic, 0, image, replica.directory_id)
    write(broker, 5)
    await run(broker)
    assert manager.cleaner_statistics().uncleanable == {PATH: 0}
    assert read(broker) == [b"value 3", b"value 4"]


@pytest.mark.trio
@pytest.mark.parametrize("when", range(0, 14, 2))
async def test_a_topic_may_be_deleted_while_it_is_cleaned(
    broker: DataBroker, autojump_clock: trio.testing.MockClock, when: int
) -> None:
    write(broker, 5)
    workers = broker.replicas.workers
    async with trio.open_nursery() as nursery:
        workers.hold()
        nursery.start_soon(run, broker)
        for _ in range(when):
            await trio.sleep(0.001)
            workers.release()
            workers.hold()
        broker.replicas.manager.replica_removed(broker.topic_id("t"), 0)
        workers.release()
    assert checkpoint(broker) == {}
    disk = broker.replicas.disk
    assert not [each for each in disk.open_files if ".cleaned" in str(each)]
    assert not disk.exists(f"{PATH}/t-0")


@pytest.mark.trio
async def test_the_cleaner_keeps_to_its_rate(autojump_clock: trio.testing.MockClock) -> None:
    broker = DataBroker(log_cleaner_io_max_bytes_per_second="100")
    broker.topic("t", **COMPACTED)
    write(broker, 5)
    log = hosted(broker).log
    assert log is not None
    # Read twice, and a part of it is written.
    io_bytes = 2 * sum(segment.size for segment in log.log.segments[:-1])
    begin_s = trio.current_time()
    cleaner = broker.replicas.manager._cleaner
    chosen = await cleaner._choose()
    assert chosen is not None
    assert await cleaner._clean(*chosen)
    took_s = trio.current_time() - begin_s
    assert io_bytes / 100 < took_s < io_bytes / 100 * 2


@pytest.mark.trio
async def test_a_small_buffer_takes_several_rounds(autojump_clock: trio.testing.MockClock) -> None:
    broker = DataBroker(log_cleaner_dedupe_buffer_size="1")
    broker.topic("t", **COMPACTED)
    for number in range(60):
        timestamp_ms = TIMESTAMP_MS - 1_000_000 + 300 * number
        assert broker.produce("t", batch(b"v", key=b"%d" % number, timestamp_ms=timestamp_ms)).error_code == 0
        assert broker.produce("t", batch(b"w", key=b"%d" % number, timestamp_ms=timestamp_ms)).error_code == 0
    await run(broker, 100)
    values = read(broker)
    assert values[:40] == [b"w"] * 40


def test_checkpoints_are_those_of_the_topics_that_lie_there() -> None:
    disk = MemoryDisk()
    survey = DirectorySurvey(
        is_clean=True,
        found=(
            FoundReplica(b"d" * 16, "t-0", "t", 0, b"t" * 16, is_future=False),
            FoundReplica(b"d" * 16, "u-1", "u", 1, b"u" * 16, is_future=False),
            FoundReplica(b"d" * 16, "v-2.0-future", "v", 2, b"v" * 16, is_future=True),
        ),
        recovery_points={},
        log_starts={},
        high_watermarks={},
        cleaned={("t", 0): 5, ("gone", 0): 7, ("v", 2): 9},
    )
    assert _cleaned_at_start(survey) == {(b"t" * 16, 0): (("t", 0), 5)}
    disk.make_directory(PATH)
    file = disk.open(f"{PATH}/{CLEANED}", create=True)
    file.append([b"0\n1\nt 0 5\n"])
    file.close()
    assert survey_directory(disk, PATH, b"d" * 16, is_clean=True).cleaned == {("t", 0): 5}


@pytest.mark.trio
async def test_a_cleaning_shows_in_the_metrics(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    cleaner = broker.replicas.manager.cleaner_statistics
    assert (cleaner().max_dirty_percent, cleaner().recopy_percent, cleaner().uncleanable) == (0, 0, {PATH: 0})
    write(broker, 6)
    broker.replicas.clock.now += 500
    assert cleaner().since_last_run_ms == 500
    await run(broker)
    assert cleaner().since_last_run_ms == 0
    assert 0 < cleaner().recopy_percent < 100
    assert cleaner().last_s > 0


@pytest.mark.trio
async def test_the_share_of_the_dirtiest_log_shows_in_the_metrics_though_nothing_is_to_be_cleaned(
    autojump_clock: trio.testing.MockClock,
) -> None:
    broker = DataBroker()
    for topic in ("t", "u"):
        broker.topic(topic, **{**COMPACTED, "min.cleanable.dirty.ratio": "1"})
    write(broker, 5)
    await run(broker)
    assert len(read(broker)) == 5
    assert broker.replicas.manager.cleaner_statistics().max_dirty_percent == 100


@pytest.mark.trio
async def test_an_uncleanable_log_shows_in_the_metrics(
    broker: DataBroker, autojump_clock: trio.testing.MockClock
) -> None:
    write(broker, 6)
    broker.replicas.manager._cleaner._uncleanable.add((broker.topic_id("t"), 0))
    broker.replicas.manager._cleaner._uncleanable.add((b"gone" * 4, 0))
    assert broker.replicas.manager.cleaner_statistics().uncleanable == {PATH: 1}


@pytest.mark.trio
async def test_a_log_that_moves_takes_its_checkpoint_along_and_is_not_compacted_meanwhile(
    autojump_clock: trio.testing.MockClock,
) -> None:
    broker = DataBroker(directories=2)
    broker.topic("t", **COMPACTED)
    broker.report()
    write(broker, 5)
    await run(broker)
    assert checkpoint(broker) == {("t", 0): 4}
    assert broker.replicas.manager.alter_directory("t", 0, "/logs1") == 0
    write(broker, 5, start=5)
    await run(broker)
    assert read(broker) == [b"value %d" % number for number in range(3, 10)]
    broker.report()
    assert checkpoint(broker) == {}
    assert read_offsets(broker.replicas.disk, "/logs1", CLEANED) == {("t", 0): 4}
    await run(broker)
    assert read(broker) == [b"value 8", b"value 9"]
    assert read_offsets(broker.replicas.disk, "/logs1", CLEANED) == {("t", 0): 9}
