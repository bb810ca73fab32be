"""How replicas' moves to another log directory end: with the broker, with a directory, or in the new place."""

from __future__ import annotations

import errno
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.replicas.moving import Extent, Move, Step
from kafkaproto_server.shell.replicas.files import move_steps
from kafkaproto_server.shell.storage.offset_checkpoints import RECOVERY_POINTS, read_offsets
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch
from tests.core.controller.support.harness import TIMESTAMP_MS
from tests.shell.replicas.files.test_moves import (
    DELETE_DELAY_MS,
    LOG,
    alter,
    described,
    move,
    moving,
    names,
    recorded,
    values,
)


def settling(broker: DataBroker) -> None:
    """Let the controllers record the new directory. The copy is about to take the replica's place."""
    broker.replicas.workers.hold()
    broker.report()
    under_way = broker.replicas.manager.moves._by_id
    while not any(each.is_settling for each in under_way.values()):
        assert broker.replicas.workers.do_one(lambda count: 0)


# -- the end of the broker -------------------------------------------------------------------------------------------


@pytest.mark.trio
async def test_a_stop_gives_moves_up_and_closes_their_copies() -> None:
    broker = moving()
    move(broker)
    await broker.replicas.manager.moves.stop()
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}
    broker.replicas.stop()
    assert not broker.replicas.disk.open_files
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-future"])


@pytest.mark.trio
async def test_a_stop_lets_a_copy_take_the_replicas_place_that_is_about_to() -> None:
    broker = moving()
    move(broker)
    settling(broker)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broker.replicas.manager.moves.stop)
        await wait_all_tasks_blocked()
        assert nursery.child_tasks
        broker.replicas.workers.release()
    assert described(broker) == {"/logs": [], "/logs1": [(0, False)]}
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    broker.start_again()
    broker.report()
    assert (recorded(broker), values(broker)) == ("/logs1", [b"a", b"b", b"c"])


@pytest.mark.trio
async def test_a_stop_closes_the_logs_once_the_moves_have_ended() -> None:
    broker = moving()
    move(broker)
    settling(broker)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broker.replicas.manager.stop)
        await wait_all_tasks_blocked()
        broker.replicas.workers.release()
    assert not broker.replicas.disk.open_files
    assert read_offsets(broker.replicas.disk, "/logs1", RECOVERY_POINTS) == {("t", 0): 3}


@pytest.mark.trio
async def test_no_move_begins_once_the_broker_stops() -> None:
    broker = moving()
    await broker.replicas.manager.moves.stop()
    move(broker)
    assert (described(broker)["/logs1"], names(broker, "/logs1")) == ([], [])


@pytest.mark.trio
async def test_a_stop_closes_the_files_in_the_former_directory() -> None:
    broker = moving()
    move(broker)
    broker.report()
    assert broker.produce("t", batch(b"d")).error_code == 0
    assert len(broker.replicas.disk.open_files) == 2
    await broker.replicas.manager.moves.stop()
    assert [str(each) for each in broker.replicas.disk.open_files] == [f"/logs1/t-0/{LOG}"]


# -- directories that fail -------------------------------------------------------------------------------------------


def test_a_move_between_other_directories_than_the_one_that_failed_continues() -> None:
    broker = DataBroker(directories=3)
    broker.topic("t", [ME])
    broker.report()
    assert broker.produce("t", batch(b"a")).error_code == 0
    move(broker, "/logs1")
    broker.replicas.directory_failed("/logs2", "EIO")
    broker.heartbeat()
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"a"]


@pytest.mark.parametrize(("code", "left"), [(errno.EIO, "t-0"), (errno.EMFILE, "t-0-delete")])
def test_a_copy_that_has_its_new_name_but_no_place_stays_only_in_a_failed_directory(
    code: int, left: str
) -> None:
    broker = moving()
    move(broker)
    settling(broker)
    broker.replicas.disk.fail("sync_directory", "/logs1", code)
    broker.replicas.workers.release()
    broker.heartbeat()
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], [left])
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}
    assert broker.produce("t", batch(b"d")).error_code == 0


def test_no_move_begins_from_a_directory_whose_failure_is_about_to_be_reported() -> None:
    broker = moving()
    broker.replicas.disk.fail("write", f"/logs/t-0/{LOG}")
    assert broker.produce("t", batch(b"d")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert broker.replicas.manager.directory_failures.waiting
    assert alter(broker, ("/logs1", "t", 0)) == [ErrorCode.KAFKA_STORAGE_ERROR]
    assert (described(broker)["/logs1"], names(broker, "/logs1")) == ([], [])


def test_a_move_ends_if_its_copy_cannot_be_made() -> None:
    broker = moving()
    broker.replicas.disk.fail("create", "-future", errno.EMFILE)
    move(broker)
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}
    assert names(broker, "/logs1") == []
    assert broker.produce("t", batch(b"d")).error_code == 0


# -- the replica changes while its move waits ------------------------------------------------------------------------


def test_a_copy_that_is_cut_is_made_durable_anew() -> None:
    broker = moving()
    move(broker)
    manager = broker.replicas.manager
    (hosted,) = manager.replicas
    assert hosted.log is not None
    assert read_offsets(broker.replicas.disk, "/logs1", RECOVERY_POINTS) == {("t", 0): 3}
    manager.replicas.changes.was_cut(hosted, hosted.log.truncate_to(1, TIMESTAMP_MS))
    manager._was_cut(hosted)
    # The next start would take what is written there behind the cut for durable.
    assert read_offsets(broker.replicas.disk, "/logs1", RECOVERY_POINTS) == {("t", 0): 1}


def test_a_move_that_waits_looks_once_at_a_time_however_often_it_was_woken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = moving()
    move(broker)
    manager, looks = broker.replicas.manager, []
    (hosted,) = manager.replicas
    for _ in range(3):
        manager.moves.follow(hosted)
    next_step = Move.next_step

    def noted(self: Move, source: Extent, **fields: Any) -> Step:
        looks.append(broker.replicas.clock.now)
        return next_step(self, source, **fields)

    monkeypatch.setattr(Move, "next_step", noted)
    for _ in range(3):
        broker.replicas.pass_time(move_steps.WAIT_MS)
    assert len(looks) == len(set(looks)) == 3


# -- what is left ----------------------------------------------------------------------------------------------------


def test_the_epoch_of_a_leader_without_a_record_in_it_moves() -> None:
    broker = moving()
    # Nobody leads for a while.
    broker.harness.heartbeat(ME, want_fence=True)
    broker.harness.heartbeat(ME)
    broker.replicas.follow()
    partition = broker.replicas.partition("t", 0)
    move(broker)
    broker.report()
    (hosted,) = broker.replicas.manager.replicas
    assert hosted.log is not None
    assert partition.leader_epoch > 0
    assert hosted.log.directory == "/logs1/t-0"
    assert hosted.log.log.epoch_starts == ((0, 0), (partition.leader_epoch, 3))


def test_a_follower_that_moves_begins_no_epoch() -> None:
    """It learns where an epoch begins from its leader's records. Otherwise it claims after a start to have some."""
    broker = DataBroker(directories=2)
    broker.topic("t", [OTHER, ME])
    broker.report()
    move(broker)
    broker.report()
    (hosted,) = broker.replicas.manager.replicas
    assert hosted.log is not None
    assert hosted.log.directory == "/logs1/t-0"
    assert hosted.log.log.epoch_starts == ()


def test_the_files_in_the_former_directory_are_closed_after_the_delay() -> None:
    broker = moving()
    move(broker)
    broker.report()
    assert broker.produce("t", batch(b"d")).error_code == 0
    assert len(broker.replicas.disk.open_files) == 2
    broker.replicas.pass_time(DELETE_DELAY_MS)
    assert [str(each) for each in broker.replicas.disk.open_files] == [f"/logs1/t-0/{LOG}"]
    assert not broker.replicas.manager.moves._switch._left


def test_a_move_that_is_woken_while_it_waits_looks_no_more_often_than_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = moving()
    move(broker)
    (hosted,) = broker.replicas.manager.replicas
    looks, next_step = [], Move.next_step

    def counted(move: Move, source: Extent, **known: bool) -> Step:
        looks.append(broker.replicas.clock.now)
        return next_step(move, source, **known)

    # The controllers have not recorded the new directory yet.
    for _ in range(3):
        broker.replicas.manager.moves.follow(hosted)
    monkeypatch.setattr(Move, "next_step", counted)
    broker.replicas.pass_time(move_steps.WAIT_MS)
    assert len(looks) == 1


# -- syncs -----------------------------------------------------------------------------------------------------------


def test_a_copy_takes_the_replicas_place_once_no_thread_syncs_that_any_more() -> None:
    broker = moving()
    move(broker)
    (hosted,) = broker.replicas.manager.replicas
    hosted.syncs += 1
    broker.report()
    broker.replicas.pass_time(2 * move_steps.WAIT_MS)
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-future"])
    hosted.syncs -= 1
    broker.replicas.pass_time(move_steps.WAIT_MS)
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])


# -- the rate --------------------------------------------------------------------------------------------------------


def test_a_move_that_holds_producers_back_does_not_wait_for_its_rate() -> None:
    broker = moving(replica_alter_log_dirs_io_max_bytes_per_second="100")
    move(broker)
    for _ in range(4):
        broker.replicas.pass_time(400)
    assert described(broker)["/logs1"] == [(0, True)]
    broker.replicas.workers.hold()
    # It is written after the copy had all.
    broker.send(broker.produce_request(("t", 0, batch(b"d")), acks=-1), 13)
    broker.report()
    broker.replicas.workers.release()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"a", b"b", b"c", b"d"]


@pytest.mark.parametrize(("slice_bytes", "lag"), [(1 << 20, 0), (100, 2)])
def test_a_slice_is_as_large_as_the_rate_allows_but_no_larger_than_others(
    slice_bytes: int, lag: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move_steps, "SLICE_BYTES", slice_bytes)
    broker = moving(replica_alter_log_dirs_io_max_bytes_per_second="1000000")
    broker.replicas.workers.hold()
    assert alter(broker, ("/logs1", "t", 0)) == [0]
    # The copy is opened, and gets its first slice.
    for _ in range(2):
        assert broker.replicas.workers.do_one(lambda count: 0)
    assert described(broker)["/logs1"] == [(lag, True)]


# -- what is deleted meanwhile ---------------------------------------------------------------------------------------


def delete_before(broker: DataBroker, offset: int) -> None:
    """Delete the first records of the replica."""
    (hosted,) = broker.replicas.manager.replicas
    broker.replicas.manager.replicas.changes.move_start(hosted, offset, lambda: None, lambda: None)


def logs_of_copy(broker: DataBroker) -> list[str]:
    disk = broker.replicas.disk
    (copy,) = (each for each in disk.list_directory("/logs1") if each.endswith("-future"))
    return [each for each in disk.list_directory(f"/logs1/{copy}") if ".log" in each]


def test_files_of_a_copy_that_are_deleted_are_removed_at_once() -> None:
    """Nobody reads a copy."""
    broker = moving(log_roll_ms="1000")
    # It begins a segment.
    late_ms = broker.replicas.clock.wall_ms() + 1000
    assert broker.produce("t", batch(b"d", timestamp_ms=late_ms)).error_code == 0
    move(broker)
    delete_before(broker, 3)
    broker.replicas.pass_time(move_steps.WAIT_MS)
    assert logs_of_copy(broker) == [f"{LOG}.deleted", f"{3:020}.log"]
    broker.replicas.manager.replicas.removals.remove_due()
    assert logs_of_copy(broker) == [f"{3:020}.log"]


def test_producers_are_not_held_back_while_a_copy_that_was_begun_anew_is_made_durable() -> None:
    """All that the copy had was deleted when it was about to take the replica's place."""
    broker = moving()
    move(broker)
    workers = broker.replicas.workers
    workers.hold()
    broker.send(broker.produce_request(("t", 0, batch(b"d"))), 13)
    delete_before(broker, 4)
    broker.report()
    (under_way,) = broker.replicas.manager.moves._by_id.values()
    assert under_way.is_held
    while under_way.move.is_prepared:
        assert workers.do_one(lambda count: 0)
    found = broker.send(broker.produce_request(("t", 0, batch(b"e"))), 13)
    while not found:
        assert workers.do_one(lambda count: 0)
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-future"])
    workers.release()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"e"]
