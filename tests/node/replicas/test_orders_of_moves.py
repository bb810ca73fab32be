"""What AlterReplicaLogDirs asks for while a replica moves already, is not open, or a directory has failed."""

from __future__ import annotations

import errno

import pytest

from kafkaproto.error_codes import ErrorCode
from tests.apis.support.data_broker import ME, DataBroker
from tests.node.replicas.test_moves import alter, described, move, moving, names, recorded, values
from tests.node.replicas.test_moves_that_end import settling

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


# -- what ends a move ------------------------------------------------------------------------------------------------


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
