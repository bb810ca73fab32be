"""What happens while a move's jobs are under way: what it waits for, and what its copy is said to have.

Tests: `shell.replicas.files.boot_notes`.
"""

from __future__ import annotations

import errno
from typing import Any

import pytest
import trio

from kafkaproto_server.shell.replicas.files import move_steps, move_switch
from kafkaproto_server.shell.replicas.files.move_steps import MoveSteps
from kafkaproto_server.shell.storage.errors import CorruptFileError, OffsetOutOfRangeError
from kafkaproto_server.shell.storage.log.copying import Unreadable, copy_slice
from kafkaproto_server.shell.storage.offset_checkpoints import (
    HIGH_WATERMARKS,
    RECOVERY_POINTS,
    read_offsets,
)
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch
from tests.shell.replicas.files.test_moves import LOG, described, move, moving, names, values


def do(broker: DataBroker, jobs: int) -> None:
    """Do so many jobs of a move. The first opens the copy, the next ones fill it, and then it is flushed."""
    for _ in range(jobs):
        assert broker.replicas.workers.do_one(lambda count: 0)


def slow_copies(broker: DataBroker, monkeypatch: pytest.MonkeyPatch, took_ms: int) -> None:
    """Each slice that is copied takes so long from now on."""

    def slow(*arguments: Any, **named: Any) -> Any:
        broker.replicas.clock.now += took_ms
        return copy_slice(*arguments, **named)

    monkeypatch.setattr(move_steps, "copy_slice", slow)


# -- slices ----------------------------------------------------------------------------------------------------------


def test_after_a_slice_a_move_rests_as_long_as_that_took(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = moving()
    monkeypatch.setattr(move_steps, "SLICE_BYTES", 100)
    slow_copies(broker, monkeypatch, 50)
    move(broker)
    for passed_ms, lag in ((49, 2), (1, 1), (50, 0)):
        broker.replicas.pass_time(passed_ms)
        assert described(broker)["/logs1"] == [(lag, True)]


def test_a_move_that_holds_producers_back_does_not_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = moving()
    move(broker)
    slow_copies(broker, monkeypatch, 50)
    broker.replicas.workers.hold()
    broker.send(broker.produce_request(("t", 0, batch(b"d")), acks=-1), 13)
    broker.report()
    broker.replicas.workers.release()
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"a", b"b", b"c", b"d"]


def test_a_move_that_cannot_read_its_replica_does_not_hold_producers_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker = moving()
    move(broker)
    broker.replicas.workers.hold()
    broker.send(broker.produce_request(("t", 0, batch(b"d")), acks=-1), 13)
    broker.report()
    unreadable = Unreadable(OffsetOutOfRangeError("/logs/t-0", 0, 3, 5))
    monkeypatch.setattr(move_steps, "copy_slice", lambda *arguments, **named: unreadable)
    broker.replicas.workers.release()
    assert broker.produce("t", batch(b"e")).error_code == 0
    monkeypatch.undo()
    broker.replicas.pass_time(move_steps.RETRY_MS)
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"a", b"b", b"c", b"d", b"e"]


# -- the preparation -------------------------------------------------------------------------------------------------


def test_a_move_that_is_given_up_while_its_copy_is_flushed_leaves_nothing() -> None:
    broker = moving()
    broker.replicas.workers.hold()
    move(broker)
    do(broker, 2)
    move(broker, "/logs")
    broker.replicas.workers.release()
    assert names(broker, "/logs1") == ["t-0-delete"]
    broker.replicas.manager.replicas.write_checkpoint(RECOVERY_POINTS)
    assert read_offsets(broker.replicas.disk, "/logs1", RECOVERY_POINTS) == {}


def test_a_copy_has_the_high_watermark_of_its_replica() -> None:
    broker = DataBroker(directories=2)
    broker.topic("t", [ME, OTHER])
    broker.report()
    for value in (b"a", b"b", b"c"):
        assert broker.produce("t", batch(value)).error_code == 0
    broker.replicate("t", 1)
    move(broker)
    assert read_offsets(broker.replicas.disk, "/logs1", HIGH_WATERMARKS) == {("t", 0): 1}


def test_a_copy_has_no_high_watermark_behind_its_end() -> None:
    broker = moving()
    broker.replicas.workers.hold()
    move(broker)
    do(broker, 2)
    broker.send(broker.produce_request(("t", 0, batch(b"d")), acks=-1), 13)
    # It is written before the flush is done.
    assert broker.replicas.workers.do_one(lambda count: 0)
    assert broker.replicas.partition("t", 0).high_watermark == 4
    broker.replicas.workers.release()
    assert read_offsets(broker.replicas.disk, "/logs1", HIGH_WATERMARKS) == {("t", 0): 3}


def test_a_copy_that_is_cut_while_its_checkpoints_are_written_is_prepared_again() -> None:
    broker = moving()
    (hosted,) = broker.replicas.manager.replicas
    assert hosted.log is not None
    broker.replicas.workers.hold()
    move(broker)
    do(broker, 3)
    manager = broker.replicas.manager
    manager.replicas.changes.was_cut(hosted, hosted.log.truncate_to(1, 0))
    manager._was_cut(hosted)
    broker.replicas.workers.release()
    assert described(broker)["/logs1"] == [(0, True)]
    assert read_offsets(broker.replicas.disk, "/logs1", RECOVERY_POINTS) == {("t", 0): 1}


# -- the switch ------------------------------------------------------------------------------------------------------


def test_a_copy_does_not_take_the_replicas_place_before_what_was_put_before_is_done() -> None:
    broker = moving()
    move(broker)
    broker.replicas.workers.hold()
    found = broker.send(broker.produce_request(("t", 0, batch(b"d")), acks=-1), 13)
    broker.report()
    # The move looks again meanwhile.
    broker.replicas.pass_time(move_steps.WAIT_MS)
    broker.replicas.workers.release()
    assert found[0].responses[0].partition_responses[0].error_code == 0
    assert (names(broker), names(broker, "/logs1")) == (["t-0-delete"], ["t-0"])
    assert values(broker) == [b"a", b"b", b"c", b"d"]


# -- jobs that fail --------------------------------------------------------------------------------------------------


@pytest.mark.trio
async def test_a_stop_does_not_wait_for_a_job_that_failed() -> None:
    broker = moving()
    broker.replicas.disk.fail("write", f"-future/{LOG}", errno.EMFILE)
    move(broker)
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-delete"])
    with trio.fail_after(1):
        await broker.replicas.manager.moves.stop()


def test_a_job_may_fail_after_its_move_was_given_up() -> None:
    broker = moving()
    broker.replicas.workers.hold()
    move(broker)
    do(broker, 1)
    broker.replicas.disk.fail("write", f"-future/{LOG}", errno.EMFILE)
    move(broker, "/logs")
    broker.replicas.workers.release()
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-delete"])
    assert described(broker) == {"/logs": [(0, False)], "/logs1": []}


def test_a_copy_that_is_damaged_when_it_takes_the_replicas_place_is_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def damaged(*arguments: Any, **named: Any) -> None:
        raise CorruptFileError("/logs1/t-0", "has other offsets")

    broker = moving()
    move(broker)
    monkeypatch.setattr(move_switch, "settle_copy", damaged)
    broker.report()
    assert (names(broker), names(broker, "/logs1")) == (["t-0"], ["t-0-delete"])
    assert broker.produce("t", batch(b"d")).error_code == 0


# -- waits -----------------------------------------------------------------------------------------------------------


def test_only_the_newest_wait_of_a_move_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = moving()
    move(broker)
    (hosted,) = broker.replicas.manager.replicas
    for _ in range(3):
        broker.replicas.manager.moves.follow(hosted)
    looks: list[int] = []
    is_recorded = MoveSteps._is_recorded

    def counted(self: MoveSteps, moving: Any) -> bool:
        looks.append(broker.replicas.clock.now)
        return is_recorded(self, moving)

    monkeypatch.setattr(MoveSteps, "_is_recorded", counted)
    broker.replicas.pass_time(move_steps.WAIT_MS)
    assert len(looks) == 1


def test_a_wait_that_is_over_wakes_nobody() -> None:
    broker = moving()
    timers, wait_ms = broker.replicas.manager._timers, move_steps.WAIT_MS
    move(broker)
    broker.replicas.clock.now += wait_ms // 2
    (hosted,) = broker.replicas.manager.replicas
    broker.replicas.manager.moves.follow(hosted)
    assert timers._wait_s() == wait_ms / 1000
    move(broker, "/logs")
    assert timers._wait_s() > wait_ms / 1000
